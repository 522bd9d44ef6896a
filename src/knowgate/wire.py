"""What is said on the wire: the answers of the server, as its own clients and tools read them.

OpenRAG's names and shapes, with more beside them. Moments are ISO 8601 in UTC. A new field may appear at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from knowgate.model import Entity, FieldValue, ModelUse, SearchMode


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    error: str
    """One sentence."""
    code: str
    request_id: str
    fix: str = ""
    approval_id: str = ""
    """What a person approves, where that is what is missing."""


@dataclass(frozen=True, slots=True)
class Result:
    """A passage with everything a citation needs."""

    filename: str
    text: str
    score: float
    page: int | None = None
    mimetype: str | None = None
    headings: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    highlights: tuple[tuple[int, int], ...] = ()
    document_id: str = ""
    source_url: str | None = None
    by_graph: bool = False
    """Whether the graph led to it."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    results: list[Result]
    mode: SearchMode = "hybrid"
    cursor: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundEntity:
    entity: Entity
    score: float


@dataclass(frozen=True, slots=True)
class EntitySearchAnswer:
    results: list[FoundEntity]


@dataclass(frozen=True, slots=True)
class ChatReply:
    response: str
    """With numbers such as [1] that count the sources."""
    chat_id: str | None = None
    sources: list[Result] = field(default_factory=list[Result])
    cited: tuple[int, ...] = ()
    """Numbers of the sources that the response refers to."""
    answered: bool = True
    """False when the documents do not answer."""
    warnings: tuple[str, ...] = ()
    task_id: str | None = None
    """Of the ingestion that the message asked for."""


@dataclass(frozen=True, slots=True)
class Conversation:
    chat_id: str
    title: str
    created_at: str
    last_activity: str
    message_count: int


@dataclass(frozen=True, slots=True)
class ConversationList:
    conversations: list[Conversation]
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class ConversationMessage:
    role: str
    content: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class ConversationDetail:
    chat_id: str
    title: str
    created_at: str
    last_activity: str
    message_count: int
    messages: list[ConversationMessage]


@dataclass(frozen=True, slots=True)
class Listed:
    """A document without its passages."""

    filename: str
    document_id: str
    title: str
    type: str
    mimetype: str
    size: int
    chunks: int
    owner: str
    modified_at: str
    indexed_at: str
    source_url: str | None
    fields: dict[str, FieldValue] = field(default_factory=dict[str, FieldValue])


@dataclass(frozen=True, slots=True)
class DocumentsAnswer:
    documents: list[Listed]
    cursor: str


@dataclass(frozen=True, slots=True)
class Passage:
    text: str
    page: int | None
    headings: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    document: Listed
    passages: list[Passage]
    cursor: str


@dataclass(frozen=True, slots=True)
class DeleteAnswer:
    success: bool
    deleted_chunks: int
    filename: str | None = None
    message: str | None = None
    error: str | None = None
    filenames: list[str] | None = None
    filter_id: str | None = None
    per_file: dict[str, int] | None = None
    """Passages that were deleted, by file."""
    code: str | None = None
    fix: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class IngestAnswer:
    task_id: str
    message: str
    file_count: int
    filename: str | None = None
    """None for several files."""
    create_filter: bool = False
    filter_id: str | None = None
    preview_mode: bool = False


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """What became of one file of a task."""

    filename: str
    status: str
    chunks: int = 0
    error: str | None = None
    code: str | None = None
    fix: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    task_id: str
    kind: str
    status: str
    """pending, running, completed or failed; a cancelled task has failed with the code `cancelled`."""
    phase: str
    total_files: int
    processed_files: int
    successful_files: int
    failed_files: int
    pending_files: int
    running_files: int
    removed_files: int
    created_at: str
    updated_at: str
    duration_seconds: float
    files: dict[str, FileAnswer]
    files_left_out: int = 0
    """How many files are not listed, because there are too many; failed ones are listed first."""
    error: str | None = None
    code: str | None = None
    fix: str | None = None
    model_use: ModelUse | None = None
    """What a language model was asked for on the way, and what that cost."""
    total_passages: int = 0
    embedded_passages: int = 0
    """How many have their vectors, which grows in the phase `embedding`; both are 0 until then."""


@dataclass(frozen=True, slots=True)
class TaskList:
    tasks: list[TaskAnswer]


@dataclass(frozen=True, slots=True)
class FilterItem:
    id: str
    name: str
    description: str
    query_data: str
    """JSON in a string, as OpenRAG's clients expect it."""
    owner: str
    created_at: str
    updated_at: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class FilterCreated:
    success: bool
    id: str
    filter: FilterItem


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    success: bool
    filter: FilterItem


@dataclass(frozen=True, slots=True)
class FilterList:
    success: bool
    filters: list[FilterItem]


@dataclass(frozen=True, slots=True)
class Done:
    success: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    llm_provider: str
    llm_model: str | None
    system_prompt: str


@dataclass(frozen=True, slots=True)
class KnowledgeSettings:
    embedding_provider: str
    embedding_model: str
    chunk_size: int
    chunk_overlap: int
    table_structure: bool
    ocr: bool
    picture_descriptions: bool


@dataclass(frozen=True, slots=True)
class SettingsAnswer:
    agent: AgentSettings
    knowledge: KnowledgeSettings


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    message: str


@dataclass(frozen=True, slots=True)
class ModelOption:
    value: str
    label: str
    default: bool = False


@dataclass(frozen=True, slots=True)
class ModelsAnswer:
    language_models: list[ModelOption]
    embedding_models: list[ModelOption]


@dataclass(frozen=True, slots=True)
class KeyItem:
    key_id: str
    key_prefix: str
    name: str
    scopes: list[str]
    filter_id: str | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class KeyCreated:
    success: bool
    key_id: str
    key_prefix: str
    name: str
    scopes: list[str]
    filter_id: str | None
    created_at: str
    expires_at: str | None
    api_key: str
    """Shown this once."""


@dataclass(frozen=True, slots=True)
class KeyList:
    keys: list[KeyItem]


@dataclass(frozen=True, slots=True)
class ApprovalItem:
    """A call that waits, or waited, for a person."""

    id: str
    state: str
    summary: str
    """What would be done, without secrets."""
    asker: str
    asked_at: str
    expires_at: str
    decided_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalList:
    approvals: list[ApprovalItem]


@dataclass(frozen=True, slots=True)
class AuditPage:
    records: list[dict[str, Any]]
    cursor: str = ""
    """Hand it back for older ones; empty when there are no more."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    record: dict[str, Any]
    curl: str
    """The call as a command, without secrets."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    file: str
    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    sound: bool
    findings: list[AuditFinding]


@dataclass(frozen=True, slots=True)
class StatsAnswer:
    documents: int
    passages: int
    pending: int
    """Documents that wait for their vectors and are found by keyword only."""


@dataclass(frozen=True, slots=True)
class Health:
    status: str
    version: str


@dataclass(frozen=True, slots=True)
class Ready:
    status: str
    """ready, or why not."""
