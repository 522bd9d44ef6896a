"""Conversations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knowgate.model.search import Hit


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str
    at: float


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation, seen by nobody but its owner."""

    id: str
    owner: str
    title: str
    created_at: float
    updated_at: float
    count: int
    """Of messages, also when they are not loaded."""
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    text: str
    """With numbers such as [1] that count the sources."""
    sources: tuple[Hit, ...]
    cited: tuple[int, ...]
    """Numbers, from 1, of the sources that the text refers to."""
    answered: bool
    """False when the documents do not answer."""
    warnings: tuple[str, ...] = ()
    chat_id: str = ""
    task_id: str = ""
    """Of the task that the message started, if it asked for an address to be ingested."""
