"""From the engine's nouns to what is said on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson

from knowgate.knowledge.filters import query_data
from knowgate.knowledge.sources import is_url
from knowgate.model import Chat, ChatAnswer, Chunk, Document, Hit, Key, SavedFilter, SearchResult, Task, TaskFile
from knowgate.wire import (
    ApprovalItem,
    ChatReply,
    Conversation,
    ConversationDetail,
    ConversationMessage,
    FileAnswer,
    FilterItem,
    KeyItem,
    Listed,
    Passage,
    Result,
    SearchAnswer,
    TaskAnswer,
)

if TYPE_CHECKING:
    from knowgate.guard.approvals import Approval

_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(tzinfo=UTC, microsecond=0).timestamp()
MOST_FILES = 1000
"""How many files of a task are listed."""


def moment(seconds: float) -> str:
    # A page may claim to be of any year.
    seconds = min(max(seconds, _FIRST), _LAST)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def maybe_moment(seconds: float | None) -> str | None:
    return None if seconds is None else moment(seconds)


def result(hit: Hit) -> Result:
    chunk, document = hit.chunk, hit.document
    return Result(
        filename=document.name,
        text=chunk.text,
        score=hit.score,
        page=chunk.page,
        mimetype=document.mime,
        headings=chunk.headings,
        start=chunk.start,
        end=chunk.end,
        highlights=hit.highlights,
        document_id=document.id,
        source_url=_address(document),
        by_graph=hit.by_graph,
    )


def search(found: SearchResult) -> SearchAnswer:
    return SearchAnswer([result(hit) for hit in found.hits], found.mode, found.cursor, found.warnings)


def listed(document: Document) -> Listed:
    return Listed(
        filename=document.name,
        document_id=document.id,
        title=document.title,
        type=document.type,
        mimetype=document.mime,
        size=document.size,
        chunks=document.chunks,
        owner=document.owner,
        modified_at=moment(document.modified_at),
        indexed_at=moment(document.indexed_at),
        source_url=_address(document),
        fields=dict(document.fields),
    )


def passage(chunk: Chunk) -> Passage:
    return Passage(chunk.text, chunk.page, chunk.headings, chunk.start, chunk.end)


def chat(answer: ChatAnswer) -> ChatReply:
    return ChatReply(
        response=answer.text,
        chat_id=answer.chat_id or None,
        sources=[result(hit) for hit in answer.sources],
        cited=answer.cited,
        answered=answer.answered,
        warnings=answer.warnings,
        task_id=answer.task_id or None,
    )


def conversation(chat: Chat) -> Conversation:
    return Conversation(chat.id, chat.title, moment(chat.created_at), moment(chat.updated_at), chat.count)


def conversation_detail(chat: Chat) -> ConversationDetail:
    messages = [ConversationMessage(each.role, each.content, moment(each.at)) for each in chat.messages]
    return ConversationDetail(
        chat.id, chat.title, moment(chat.created_at), moment(chat.updated_at), chat.count, messages
    )


def task(task: Task, files: Sequence[TaskFile]) -> TaskAnswer:
    successful = task.completed + task.skipped + task.ignored
    cancelled = task.status == "cancelled"
    error = task.error or {}
    if cancelled:
        error = {"error": "The task was cancelled.", "code": "cancelled", "fix": "Start it again if it was a mistake."}
    elif task.status == "failed" and not error:
        error = next((each.error for each in files if each.error), error)
    pending = task.total - task.processed if not task.finished else 0
    return TaskAnswer(
        task_id=task.id,
        kind=task.kind,
        # OpenRAG's clients wait for completed or failed, and would wait on for a task that was cancelled.
        status="failed" if cancelled else task.status,
        phase=task.stage,
        total_files=task.total,
        processed_files=task.processed,
        successful_files=successful,
        failed_files=task.failed,
        pending_files=pending,
        running_files=min(1, pending) if task.status == "running" else 0,
        removed_files=task.removed,
        created_at=moment(task.created_at),
        updated_at=moment(task.updated_at),
        duration_seconds=round(max(0.0, task.updated_at - task.created_at), 3),
        files=_files(files),
        files_left_out=max(0, len(files) - MOST_FILES),
        error=error.get("error"),
        code=error.get("code"),
        fix=error.get("fix"),
        model_use=task.model_use,
        total_passages=task.passages,
        embedded_passages=task.embedded,
    )


def _files(files: Sequence[TaskFile]) -> dict[str, FileAnswer]:
    """By name; where two files share one, a number tells them apart: where they lie is nobody else's business."""
    found: dict[str, FileAnswer] = {}
    for each in sorted(files, key=lambda each: each.status != "failed")[:MOST_FILES]:
        name, n = each.name, 2
        while name in found:
            name, n = f"{each.name} ({n})", n + 1
        error = each.error or {}
        found[name] = FileAnswer(
            each.name,
            each.status,
            each.chunks,
            error.get("error"),
            error.get("code"),
            error.get("fix"),
            each.warnings,
        )
    return found


def saved_filter(saved: SavedFilter) -> FilterItem:
    return FilterItem(
        id=saved.id,
        name=saved.name,
        description=saved.description,
        query_data=orjson.dumps(query_data(saved)).decode(),
        owner=saved.owner,
        created_at=moment(saved.created_at),
        updated_at=moment(saved.updated_at),
    )


def key(key: Key) -> KeyItem:
    return KeyItem(
        key_id=key.id,
        key_prefix=key.prefix,
        name=key.name,
        scopes=sorted(key.scopes),
        filter_id=key.filter_id,
        created_at=moment(key.created_at),
        expires_at=maybe_moment(key.expires_at),
        revoked_at=maybe_moment(key.revoked_at),
    )


def approval(approval: Approval) -> ApprovalItem:
    return ApprovalItem(
        id=approval.id,
        state=approval.state,
        summary=approval.summary,
        asker=approval.asker,
        asked_at=moment(approval.asked_at),
        expires_at=moment(approval.expires_at),
        decided_by=approval.decided_by,
        reason=approval.reason,
    )


def _address(document: Document) -> str | None:
    """Paths of this machine are nobody else's business."""
    return document.source if is_url(document.source) else None
