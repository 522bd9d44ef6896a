"""Errors in the native tools' words: what was wrong, what to try."""

from __future__ import annotations

from knowgate.errors import KnowgateError

_FIXES = {
    "task_not_found": "Use the task_id that knowgate_ingest returned.",
    "document_not_found": "List the names with knowgate_documents.",
    "filter_not_found": "Leave filter_id out, or ask the user for its id.",
    "chat_not_found": "Leave chat_id out to begin a new conversation.",
    "bad_cursor": "Call again without the cursor to begin anew.",
}
"""By code, where the usual fix is a command that an assistant cannot type."""


def in_words(error: KnowgateError) -> str:
    return f"{error.message.strip()} {_FIXES.get(error.code, error.fix)}".strip()
