"""OpenAI's wire, spoken too by vLLM, LM Studio, OpenRouter, llama.cpp, text-embeddings-inference and many more."""

from __future__ import annotations

from collections.abc import Sequence

from knowgate.knowledge.embed.transport import Fixes, JsonTransport, require_key
from knowgate.knowledge.embed.wire import Connection, MalformedAnswerError, Role, attempts, listed

BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"
FIXES = Fixes(
    unreachable="Check that the server is running and that `base_url` is right (it usually ends in /v1).",
    unknown_model="Check the embedder's `model`, and that `base_url` is right (it usually ends in /v1).",
)


def connect(connection: Connection, model: str, shorten_to: int | None) -> OpenAIWire:
    require_key(connection, "OpenAI")
    return OpenAIWire(JsonTransport(connection, BASE_URL, FIXES), model, shorten_to)


class OpenAIWire:
    max_batch = 2048

    def __init__(self, transport: JsonTransport, model: str, shorten_to: int | None = None) -> None:
        self._transport = transport
        self._fields: dict[str, object] = {"model": model}
        if shorten_to:
            self._fields["dimensions"] = shorten_to

    def embed(self, texts: Sequence[str], role: Role) -> list[object]:
        answer = self._transport.post("/embeddings", {**self._fields, "input": list(texts)}, attempts(role))
        items = listed(answer, "data")
        vectors: dict[object, object] = {}
        for position, item in enumerate(items):
            vector = listed(item, "embedding")
            # Servers may answer out of order; a few leave the index out.
            vectors[item.get("index", position) if isinstance(item, dict) else position] = vector  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        try:
            return [vectors[position] for position in range(len(items))]
        except KeyError:
            raise MalformedAnswerError("index") from None

    def close(self) -> None:
        self._transport.close()
