"""Google's Gemini wire. The role of a text is told by a task type instead of a prefix."""

from __future__ import annotations

from collections.abc import Sequence

from knowgate.knowledge.embed.transport import Fixes, JsonTransport, require_key
from knowgate.knowledge.embed.wire import Connection, Role, attempts, listed

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
DEFAULT_MODEL = "gemini-embedding-001"
KEY_HEADER = "x-goog-api-key"
FIXES = Fixes(
    unreachable="Check the network, and the embedder's `base_url` if you set one.",
    unknown_model="Check the embedder's `model`, such as gemini-embedding-001.",
)
_TASKS: dict[Role, str] = {"query": "RETRIEVAL_QUERY", "passage": "RETRIEVAL_DOCUMENT"}


def connect(connection: Connection, model: str, shorten_to: int | None) -> GeminiWire:
    require_key(connection, "Gemini")
    return GeminiWire(JsonTransport(connection, BASE_URL, FIXES, key_header=KEY_HEADER), model, shorten_to)


class GeminiWire:
    max_batch = 100

    def __init__(self, transport: JsonTransport, model: str, shorten_to: int | None = None) -> None:
        self._transport = transport
        self._model = f"models/{model.removeprefix('models/')}"
        self._fields: dict[str, object] = {"outputDimensionality": shorten_to} if shorten_to else {}

    def embed(self, texts: Sequence[str], role: Role) -> list[object]:
        fields = {"model": self._model, "taskType": _TASKS[role], **self._fields}
        requests = [{**fields, "content": {"parts": [{"text": text}]}} for text in texts]
        answer = self._transport.post(f"/{self._model}:batchEmbedContents", {"requests": requests}, attempts(role))
        return [listed(item, "values") for item in listed(answer, "embeddings")]

    def close(self) -> None:
        self._transport.close()
