"""The SDK: what a server offers, over REST, as `Client` and `AsyncClient`."""

from knowgate.client.aio import AsyncClient
from knowgate.client.errors import (
    AuthenticationError,
    ClientError,
    ConflictError,
    ConnectionFailed,
    ForbiddenError,
    NotFoundError,
    RateLimitError,
    ServerError,
    ValidationError,
)
from knowgate.client.stream import AsyncChatStream, ChatEvent, ChatStream, Content, Done, Sources
from knowgate.client.sync import Client

__all__ = [
    "AsyncChatStream",
    "AsyncClient",
    "AuthenticationError",
    "ChatEvent",
    "ChatStream",
    "Client",
    "ClientError",
    "ConflictError",
    "ConnectionFailed",
    "Content",
    "Done",
    "ForbiddenError",
    "NotFoundError",
    "RateLimitError",
    "ServerError",
    "Sources",
    "ValidationError",
]
