"""The texts of OpenRAG's tools, to the letter, where a journey does not come by."""

from __future__ import annotations

import pytest

from knowgate.client.errors import AuthenticationError, RateLimitError, ServerError
from knowgate.errors import (
    AuthError,
    ConflictError,
    DocumentError,
    ForbiddenError,
    InputError,
    KnowgateError,
    NotFoundError,
    StorageError,
)
from knowgate.guard.limits import RateLimited
from knowgate.tools.openrag.ask import _part, chat_text, search_text
from knowgate.tools.openrag.documents import file_text, url_text
from knowgate.tools.openrag.failures import in_words
from knowgate.tools.openrag.settings import models_text, settings_text
from knowgate.wire import (
    AgentSettings,
    ChatReply,
    FileAnswer,
    KnowledgeSettings,
    ModelOption,
    ModelsAnswer,
    Result,
    SettingsAnswer,
    TaskAnswer,
)


def _task(status: str, ok: int, failed: int, **files: FileAnswer) -> TaskAnswer:
    total = ok + failed
    return TaskAnswer("t1", "ingest", status, "done", total, total, ok, failed, 0, 0, 0, "", "", 0.0, dict(files))


def test_search():
    assert search_text([]) == "No results found."
    shown = _part(1, Result("a.pdf", "x" * 501, 0.876, page=3))
    assert shown == f"\n---\n**1. a.pdf** (page 3)\nRelevance: 0.88\n\n{'x' * 500}...\n"
    assert search_text([shown]) == f"Found 1 result(s):\n{shown}"
    assert search_text([shown], 2) == (
        f"Found 3 result(s):\n{shown}\n---\n2 more had no room: use a smaller limit or narrow the search.\n"
    )


def test_chat():
    assert chat_text(ChatReply("Nothing.")) == "Nothing."
    sources = [Result("a.md", "x", 0.5), Result("b.md", "y", 0.25)]
    assert chat_text(ChatReply("So [1].", "c1", sources)) == (
        "So [1].\n\n---\n**Sources:**\n1. a.md (relevance: 0.50)\n2. b.md (relevance: 0.25)\n\n_Chat ID: c1_"
    )


def test_ingesting_a_file():
    assert file_text(_task("completed", 1, 1), "a.zip") == (
        "Successfully ingested 'a.zip'.\nStatus: completed\nSuccessful files: 1\nFailed files: 1"
    )
    broken = FileAnswer("a.pdf", "failed", error="It is damaged.", fix="Repair it.")
    assert file_text(_task("failed", 0, 1, a=broken), "a.pdf") == (
        "Ingestion finished with status: failed\nSuccessful files: 0\nFailed files: 1\n"
        "- a: failed: It is damaged. Repair it."
    )
    assert file_text(_task("running", 0, 0), "a.pdf").startswith(
        "Successfully queued 'a.pdf' for ingestion.\nTask ID: t1\n\nUse openrag_get_task_status or "
    )


def test_ingesting_an_address():
    done = _task("completed", 1, 0, a=FileAnswer("a", "completed", 4))
    assert url_text(done, "http://a") == "URL ingestion requested.\n\nhttp://a was ingested (4 chunks)."
    known = _task("completed", 1, 0, a=FileAnswer("a", "skipped"))
    assert url_text(known, "http://a").endswith("http://a is in the knowledge base already and has not changed.")
    assert "has started. Task t1 is still running" in url_text(_task("running", 0, 0), "http://a")


def test_settings_and_models():
    settings = SettingsAnswer(
        AgentSettings("ollama", "small", "p" * 201), KnowledgeSettings("minilm", "m", 256, 0, True, False, False)
    )
    assert settings_text(settings) == (
        "**Current OpenRAG settings**\n\n**Agent (LLM)**\n- Provider: ollama\n- Model: small\n"
        f"- System prompt: {'p' * 200}...\n\n**Knowledge (embeddings & ingestion)**\n- Embedding provider: minilm\n"
        "- Embedding model: m\n- Chunk size: 256\n- Chunk overlap: 0\n- Table structure: True\n- OCR: False\n"
        "- Picture descriptions: False"
    )
    models = ModelsAnswer([ModelOption("a", "A", True), ModelOption("b", "B")], [])
    assert models_text(models, "ollama") == (
        "**Available models for ollama**\n\n**Language models**\n- a (default)\n- b\n\n**Embedding models**\n- None"
    )


@pytest.mark.parametrize(
    ("error", "prefix"),
    [
        (AuthError("a", "No."), "Authentication error: No."),
        (ForbiddenError("a", "No."), "Authentication error: No."),
        (AuthenticationError("a", "No.", status_code=403), "Authentication error: No."),
        (InputError("a", "No.", "Do."), "Invalid request: No. Do."),
        (RateLimited("a", "No.", "Wait.", 60), "Rate limited: No. Wait."),
        (RateLimitError("a", "No."), "Rate limited: No."),
        (ServerError("a", "No."), "Server error: No."),
        (StorageError("a", "No."), "Server error: No."),
        (NotFoundError("a", "No."), "Not found: No."),
        (ConflictError("a", "No."), "Error: No."),
        (DocumentError("a", "No."), "Error: No."),
        (InputError("missing_argument", "query is required.", "Do."), "Error: query is required"),
    ],
)
def test_errors(error: KnowgateError, prefix: str):
    assert in_words(error).startswith(prefix)
