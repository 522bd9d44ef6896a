"""Ollama's own wire."""

from __future__ import annotations

from collections.abc import Sequence

from knowgate.knowledge.embed.transport import Fixes, JsonTransport
from knowgate.knowledge.embed.wire import Connection, Role, attempts, listed

BASE_URL = "http://127.0.0.1:11434"
DEFAULT_MODEL = "nomic-embed-text"


def fixes(model: str) -> Fixes:
    return Fixes(
        unreachable="Is Ollama running? Start it with `ollama serve`.",
        unknown_model=f"Pull the model with `ollama pull {model}`.",
    )


def connect(connection: Connection, model: str, shorten_to: int | None) -> OllamaWire:
    return OllamaWire(JsonTransport(connection, BASE_URL, fixes(model)), model, shorten_to)


class OllamaWire:
    max_batch = 512

    def __init__(self, transport: JsonTransport, model: str, shorten_to: int | None = None) -> None:
        self._transport = transport
        self._fields: dict[str, object] = {"model": model}
        if shorten_to:
            self._fields["dimensions"] = shorten_to

    def embed(self, texts: Sequence[str], role: Role) -> list[object]:
        answer = self._transport.post("/api/embed", {**self._fields, "input": list(texts)}, attempts(role))
        return listed(answer, "embeddings")

    def close(self) -> None:
        self._transport.close()
