"""A language model that words the answer: text in, text out as it comes, every failure a typed error.

It is slow to import and rarely configured, so that pydantic-ai is loaded when the first question is put to a model.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from knowgate.errors import InputError
from knowgate.knowledge.chat.failures import Failures, worth_a_retry
from knowgate.knowledge.chat.providers import Connection, build, check_installed, connect, open_client
from knowgate.model import Message

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelMessage, ModelResponseStreamEvent
    from pydantic_ai.models import StreamedResponse

_BREATH = 0.3
"""Seconds before the one retry."""


def create_model(
    provider: str,
    model: str | None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_seconds: float = 60.0,
    region: str | None = None,
) -> ChatModel:
    """Checks the settings; the model itself is first asked when a question comes."""
    if not model:
        raise InputError("model_missing", f"Chat with {provider} needs a model.", "Set the `model` of chat.")
    connection = connect(
        provider, model, base_url=base_url, api_key=api_key, timeout_seconds=timeout_seconds, region=region
    )
    check_installed(provider)
    return ChatModel(connection)


class ChatModel:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._failures = Failures(connection)

    async def stream(self, system: str, messages: Sequence[Message]) -> AsyncGenerator[str]:
        """The answer in pieces. Close the generator (`aclosing`) when you stop before its end.

        A server that is down or stumbles before its first word is asked once more; after that never.
        """
        import anyio

        begun = False
        for last in (False, True):
            try:
                async with aclosing(self._pieces(system, messages)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            # pydantic-ai takes a server at its word and fails in any way when that word makes no sense.
            except Exception as error:  # noqa: BLE001
                if last or begun or not worth_a_retry(error):
                    raise self._failures.typed(error, begun=begun) from None
            await anyio.sleep(_BREATH)

    async def _pieces(self, system: str, messages: Sequence[Message]) -> AsyncGenerator[str]:
        import anyio
        from anyio import to_thread

        silence = self._connection.timeout_seconds
        said = False
        async with AsyncExitStack() as stack:
            # One client for each answer: it may be asked for from any event loop, and nothing is left open.
            client = await to_thread.run_sync(open_client, self._connection)
            stack.push_async_callback(client.aclose)
            request = await to_thread.run_sync(self._request, client, system, messages)
            with anyio.fail_after(silence):
                response = await stack.enter_async_context(request)
            events = aiter(response)
            while True:
                # Signs of life on the wire are no answer, so that the HTTP client's own patience is not enough.
                with anyio.fail_after(silence):
                    event = await anext(events, None)
                if event is None:
                    break
                text = _text(event)
                said = said or bool(text.strip())
                if text:
                    yield text
            details = response.provider_details or {}
            self._check_end(response.finish_reason or details.get("finish_reason"), said=said)

    def _request(
        self, client: httpx2.AsyncClient, system: str, messages: Sequence[Message]
    ) -> AbstractAsyncContextManager[StreamedResponse]:
        """Takes a second or two the first time, when pydantic-ai is loaded: call it in a thread."""
        from pydantic_ai.direct import model_request_stream

        return model_request_stream(build(self._connection, client), _conversation(system, messages))

    def _check_end(self, reason: str | None, *, said: bool) -> None:
        if reason is None:
            raise self._failures.cut_off()
        if reason == "content_filter":
            raise self._failures.filtered()
        if not said:
            raise self._failures.empty()
        if reason == "length":
            raise self._failures.too_long()


def _conversation(system: str, messages: Sequence[Message]) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart

    turns: list[ModelMessage] = []
    for message in messages:
        if message.role == "user":
            turns.append(ModelRequest.user_text_prompt(message.content, instructions=system))
        else:
            turns.append(ModelResponse([TextPart(message.content)]))
    return turns


def _text(event: ModelResponseStreamEvent) -> str:
    """What is meant for the reader; a model's thoughts are not."""
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""
