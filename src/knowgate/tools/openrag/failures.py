"""Errors as OpenRAG's tools tell of them."""

from __future__ import annotations

from knowgate.errors import AuthError, ForbiddenError, InputError, KnowgateError, LimitError, NotFoundError
from knowgate.tools.tool import Answer


def in_words(error: KnowgateError) -> str:
    if error.code == "missing_argument":
        return f"Error: {error.message.removesuffix('.')}"
    return f"{_prefix(error)}: {error}"


def refusal(what: str) -> Answer:
    return Answer(None, f"Error: {what}", failed=True)


def _prefix(error: KnowgateError) -> str:
    match error:
        case AuthError() | ForbiddenError():
            return "Authentication error"
        case InputError():
            return "Invalid request"
        case LimitError():
            return "Rate limited"
        case NotFoundError():
            return "Not found"
        case _:
            return "Server error" if error.http_status >= 500 else "Error"
