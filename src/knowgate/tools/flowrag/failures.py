"""Errors as FlowRAG's tools tell of them, with what to do behind."""

from __future__ import annotations

from knowgate.errors import KnowgateError


def in_words(error: KnowgateError) -> str:
    match error.code:
        case "entity_not_found":
            return f"{error.message.removesuffix('.')}\n{error.fix}"
        case "no_docs":
            return f"Error: {error}"
        case _:
            return str(error)
