"""Asking a model: one answer of a given form, tried again while that may help."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from knowgate.errors import InputError, KnowgateError
from knowgate.knowledge.chat.failures import Failures
from knowgate.knowledge.chat.providers import PROVIDERS, Connection, build, check_installed, connect, open_client
from knowgate.knowledge.extract.llm.found import Found, read_answer
from knowgate.knowledge.extract.llm.prompt import MORE, answer_schema, rules
from knowgate.model import ModelUse, Schema

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

TRIES = 4
BREATH_SECONDS = 1.0
"""Before the second try; doubled before each that follows."""
LONGEST_BREATH = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Or the reason why there is none."""

    found: Found
    use: ModelUse
    error: KnowgateError | None = None
    hopeless: bool = False
    """Whether every other question would fail in the same way."""


def reach(
    provider: str,
    model: str | None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_seconds: float = 120.0,
    region: str | None = None,
) -> Connection:
    """Check the settings; the model itself is first asked when there is a passage to read."""
    if not model:
        raise InputError("model_missing", f"Extraction with {provider} needs a model.", "Set the `model` of extract.")
    connection = connect(
        provider,
        model,
        base_url=base_url,
        api_key=api_key,
        timeout_seconds=timeout_seconds,
        region=region,
        section="extract",
    )
    check_installed(provider)
    return connection


@asynccontextmanager
async def opened(
    connection: Connection,
    schema: Schema,
    gleaning: int,
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> AsyncGenerator[Asking]:
    """For as many passages as there are, on one event loop."""
    client = open_client(connection)
    try:
        yield Asking(connection, build(connection, client), schema, gleaning, sleep)
    finally:
        await client.aclose()


class Asking:
    def __init__(
        self,
        connection: Connection,
        model: Model,
        schema: Schema,
        gleaning: int,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._connection = connection
        self._failures = Failures(connection)
        self._model = model
        self._rules = rules(schema)
        self._form = _form(model, schema)
        self._gleaning = gleaning
        self._sleep = sleep

    async def __call__(self, question: str) -> Answer:
        from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart

        turns: list[ModelMessage] = [ModelRequest.user_text_prompt(question, instructions=self._rules)]
        answer = Answer(Found(), ModelUse())
        for _ in range(1 + self._gleaning):
            more, said = await self._persist(turns)
            if more.error:
                # What the first pass has found is not given up because a later one fails.
                return more if not answer.use.calls else answer
            together = answer.found.with_new(more.found)
            news = together != answer.found
            answer = Answer(together, answer.use + more.use)
            if not news:
                break
            turns += [ModelResponse([TextPart(said)]), ModelRequest.user_text_prompt(MORE, instructions=self._rules)]
        return answer

    async def _persist(self, turns: Sequence[ModelMessage]) -> tuple[Answer, str]:
        breath = BREATH_SECONDS
        for left in reversed(range(TRIES)):
            try:
                return await self._once(turns)
            # pydantic-ai takes a server at its word and fails in any way when that word makes no sense.
            except Exception as error:  # noqa: BLE001
                again, hopeless, wait = _prospects(error)
                if not left or not again:
                    typed = self._failures.typed(error, begun=_answered(error))
                    return Answer(Found(), ModelUse(), typed, hopeless), ""
            await self._sleep(min(max(wait, breath), LONGEST_BREATH))
            breath *= 2
        raise AssertionError("the last try returns")

    async def _once(self, turns: Sequence[ModelMessage]) -> tuple[Answer, str]:
        from pydantic_ai.direct import model_request_stream

        silence = self._connection.timeout_seconds
        async with AsyncExitStack() as stack:
            with anyio.fail_after(silence):
                request = model_request_stream(self._model, turns, model_request_parameters=self._form)
                stream = await stack.enter_async_context(request)
            events = aiter(stream)
            while True:
                # Signs of life on the wire are no answer, so that the HTTP client's own patience is not enough.
                with anyio.fail_after(silence):
                    if await anext(events, None) is None:
                        break
            response = stream.get()
        said = _said(response)
        details = response.provider_details or {}
        reason = response.finish_reason or details.get("finish_reason")
        if reason is None:
            raise self._failures.cut_off()
        if reason == "content_filter":
            raise self._failures.filtered()
        found = read_answer(said)
        if found is None:
            raise self._failures.no_json() if said.strip() else self._failures.empty()
        cut = reason == "length"
        return Answer(Found(found.entities, found.relations, cut), self._use(response)), said

    def _use(self, response: ModelResponse) -> ModelUse:
        usage = response.usage
        price = _price(response) if self._connection.base_url == PROVIDERS[self._connection.provider].base_url else None
        return ModelUse(1, 0, usage.input_tokens, usage.output_tokens, price)


def _form(model: Model, schema: Schema) -> ModelRequestParameters:
    """A server that can hold its model to a form is asked to; the others are told in words."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if not model.profile.get("supports_json_schema_output"):
        return ModelRequestParameters()
    return ModelRequestParameters(
        output_mode="native", output_object=OutputObjectDefinition(answer_schema(schema), name="entities_and_relations")
    )


def _said(response: ModelResponse) -> str:
    from pydantic_ai.messages import TextPart

    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def _price(response: ModelResponse) -> float | None:
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None  # a model that nobody has a price for, or a server that does not count


def _prospects(error: Exception) -> tuple[bool, bool, float]:
    """Whether the same question may be answered later, whether no question will be, and how long to wait."""
    from pydantic_ai import exceptions

    hopeless = isinstance(
        error,
        exceptions.ModelAuthenticationError
        | exceptions.ModelNotFoundError
        | exceptions.ModelQuotaExceededError
        | exceptions.UserError,
    )
    if isinstance(error, KnowgateError):
        return error.code in ("model_cut_off", "model_malformed"), False, 0.0
    rejected = isinstance(error, exceptions.ModelHTTPError) and error.status_code < 500
    passing = not rejected or isinstance(error, exceptions.ModelRateLimitError)
    wait = error.retry_after if isinstance(error, exceptions.ModelAPIError) else None
    return passing and not hopeless, hopeless, wait or 0.0


def _answered(error: Exception) -> bool:
    """Whether there is a server at all."""
    from pydantic_ai import exceptions

    return not isinstance(error, exceptions.ModelConnectionError) or error.phase in ("read", "write")
