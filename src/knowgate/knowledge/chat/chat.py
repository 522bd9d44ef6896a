"""The walk from a message to an answer: standalone question, search, then a model's words or the documents' own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from knowgate.errors import KnowgateError, NetworkError, StorageError
from knowgate.knowledge.chat import prompt
from knowgate.knowledge.chat.citations import Citations
from knowgate.knowledge.chat.history import LONGEST_MESSAGE, check_message
from knowgate.knowledge.chat.models import ChatModel
from knowgate.knowledge.chat.quoting import NO_DOCUMENTS, NOTHING_FITS, declined, quoted
from knowgate.knowledge.chat.standalone import ask_standalone, standalone, telling
from knowgate.knowledge.embed.port import Embedder
from knowgate.knowledge.search import ALL, MAX_QUERY, Query, Shown
from knowgate.model import EVERYTHING, ChatAnswer, Filter, Hit, Message, SearchResult

if TYPE_CHECKING:
    from knowgate.knowledge.chat.extract import Quote

_LONGEST_ANSWER = LONGEST_MESSAGE // 2
_BROKE_OFF = "\n\n(The model broke off here.)"


@dataclass(frozen=True, slots=True)
class Ask:
    message: str
    history: tuple[Message, ...] = ()
    limit: int = 10
    threshold: float = 0.0
    where: Filter = EVERYTHING
    shown: Shown = ALL
    """To people and to models."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What the numbers in the answer count. When it comes again, the last one holds."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The last event; the answer holds all that came before it."""

    answer: ChatAnswer


Event: TypeAlias = Sources | Delta | Warned | Done


class Choices(Protocol):
    """What can be chosen about answers."""

    @property
    def system_prompt(self) -> str:
        """Empty: ours."""
        ...

    @property
    def on_failure(self) -> Literal["extractive", "error"]:
        """What to do when the model fails."""
        ...


class Answering:
    def __init__(
        self,
        search: Callable[[Query], SearchResult],
        embedder: Callable[[], Embedder],
        model: Callable[[], ChatModel | None],
        choices: Callable[[], Choices],
    ) -> None:
        self._search = search
        self._embedder = embedder
        self._model = model
        self._choices = choices

    async def stream(self, ask: Ask) -> AsyncGenerator[Event]:
        """Close the generator (`aclosing`) when you stop before its end."""
        from anyio import to_thread

        check_message(ask.message)
        choices = self._choices()
        warnings: list[str] = []
        model: ChatModel | None = None
        try:
            model = self._model()
        except KnowgateError as error:
            if choices.on_failure == "error":
                raise
            warnings.append(_fell_back(error))
        question = standalone(ask.message, ask.history)
        if model and ask.history:
            question = await ask_standalone(model, ask.message, ask.history)
        found = await to_thread.run_sync(self._find, ask, question[:MAX_QUERY])
        for warning in (*warnings, *found.warnings):
            yield Warned(warning)
        warnings += found.warnings

        answer: ChatAnswer | None = None
        if model and found.hits:
            async with aclosing(self._worded(model, ask, found.hits, choices)) as events:
                async for event in events:
                    if isinstance(event, Warned):
                        warnings.append(event.text)
                    if isinstance(event, Done):
                        answer = event.answer
                    else:
                        yield event
        if answer is None:
            answer = await to_thread.run_sync(self._extracted, ask.message, question, found.hits, ask.where)
            yield Sources(answer.sources)
            yield Delta(answer.text)
        yield Done(replace(answer, warnings=tuple(warnings)))

    def _find(self, ask: Ask, question: str) -> SearchResult:
        return self._search(Query(question, limit=ask.limit, threshold=ask.threshold, where=ask.where, shown=ask.shown))

    async def _worded(self, model: ChatModel, ask: Ask, hits: Sequence[Hit], choices: Choices) -> AsyncGenerator[Event]:
        """The model's answer. When it fails before its first word, nothing is done but warned."""
        told = prompt.build(ask.message, hits, ask.history, choices.system_prompt or prompt.DEFAULT_SYSTEM_PROMPT)
        citations = Citations(len(told.sources))
        text = ""
        yield Sources(told.sources)
        try:
            async with aclosing(model.stream(told.system, told.messages)) as pieces:
                async for piece in pieces:
                    shown = citations.feed(piece)
                    shown = shown if text else shown.lstrip()
                    if shown:
                        text += shown
                        yield Delta(shown)
                    if len(text) > _LONGEST_ANSWER:
                        raise NetworkError("model_cut_off", "The model's answer has no end.", "Ask for less at once.")
            if not text:
                message = "The model answered with numbers that no source has."
                raise NetworkError("model_malformed", message, "Try again, or choose another model.")
        except KnowgateError as error:
            if choices.on_failure == "error":
                raise
            yield Warned(str(error) if text else _fell_back(error))
            if not text:
                return
            text += _BROKE_OFF
            yield Delta(_BROKE_OFF)
        cited = citations.cited
        yield Done(ChatAnswer(text, told.sources, cited, answered=bool(cited) or not prompt.declines(text)))

    def _extracted(self, message: str, question: str, hits: Sequence[Hit], where: Filter) -> ChatAnswer:
        if not hits:
            return self._nothing(where)
        # A follow-up's own words say what is new in it; what went before only helped to find the passages.
        own = self._quotes(message, hits) if message != question and telling(message) else ()
        return quoted(own or self._quotes(question, hits), hits)

    def _quotes(self, question: str, hits: Sequence[Hit]) -> tuple[Quote, ...]:
        from knowgate.knowledge.chat.extract import extract

        try:
            return extract(question, hits, self._embedder()).quotes
        except StorageError:
            raise
        except KnowgateError:
            # Without vectors the words decide alone.
            return extract(question, hits, None).quotes

    def _nothing(self, where: Filter) -> ChatAnswer:
        if self._search(Query("*", limit=1, where=where)).hits:
            return declined(())
        return ChatAnswer(NO_DOCUMENTS if where == EVERYTHING else NOTHING_FITS, (), (), answered=False)


def _fell_back(error: KnowgateError) -> str:
    return f"The model did not answer, so the best sentences are quoted. {error}"
