"""Every method of the engine that shows or changes something passes the gate, as a tool with a name.

A method that calls others is one call. Which tools there are is told by `TOOLS`, filled by the decorator.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import orjson

from knowgate.engine.caller import Caller
from knowgate.engine.offered import hidden_documents, passage_filter
from knowgate.engine.showing import Showing
from knowgate.errors import ForbiddenError, InputError
from knowgate.model import EVERYTHING, LOCAL, Document, Filter, Scope
from knowgate.store.port import scan_all_documents

if TYPE_CHECKING:
    from knowgate.guard.policy import Action

P = ParamSpec("P")
R = TypeVar("R")
Self = TypeVar("Self", bound="Gated")

PREFIX = "knowgate_"
TOOLS: dict[str, Scope] = {"knowgate_chat": "read", "knowgate_run_operation": "apis"}
"""Every tool that the engine's methods pass the gate as, with its scope. These two do so by themselves."""
_TOLD, _LONGEST, _DEEPEST = 10, 500, 100
_BY_NAME = frozenset({"document", "delete_document"})
"""These name what they concern, so a person can be asked about it."""

_OF_THE_GRAPH = frozenset({"entities", "relations", "trace", "path", "graph"})
"""What they show comes from whole documents: single passages cannot be left out."""


class _Call:
    """The call that is being made in this thread."""

    __slots__ = ("documents", "showing", "tool")

    def __init__(self, tool: str, showing: Showing, documents: Sequence[str]) -> None:
        self.tool = tool
        self.showing = showing
        self.documents = frozenset(documents)


_current: ContextVar[_Call | None] = ContextVar("knowgate_call", default=None)


def gated(
    tool: str,
    scope: Scope = "read",
    *,
    changes: bool = False,
    written: bool = True,
    documents: Callable[..., Sequence[str]] | None = None,
) -> Callable[[Callable[Concatenate[Self, P], R]], Callable[Concatenate[Self, P], R]]:
    """`documents` tells from the arguments which documents the call names."""
    TOOLS[PREFIX + tool] = scope

    def decorate(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], R]:
        signature = inspect.signature(method)

        @functools.wraps(method)
        def passing(self: Self, *args: P.args, **kwargs: P.kwargs) -> R:
            if _current.get() is not None:
                return method(self, *args, **kwargs)
            given = dict(list(signature.bind(self, *args, **kwargs).arguments.items())[1:])
            with self.turning_away(tool):
                named = documents(self, *args, **kwargs) if documents else ()
            with self.passing(tool, scope, given, changes=changes, written=written, documents=named) as showing:
                token = _current.set(_Call(tool, showing, named))
                try:
                    return method(self, *args, **kwargs)
                finally:
                    _current.reset(token)

        return passing

    return decorate


class AlreadyInside:
    """Leaves a context that was entered elsewhere, such as in a thread."""

    def __init__(self, context: AbstractContextManager[object]) -> None:
        self._context = context

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> bool | None:
        return self._context.__exit__(*error)


class Gated(Caller):
    @contextmanager
    def passing(
        self,
        tool: str,
        scope: Scope,
        arguments: Mapping[str, object],
        *,
        changes: bool = False,
        written: bool = True,
        documents: Sequence[str] = (),
    ) -> Generator[Showing]:
        """Around what is done. Through what it yields goes every text that is shown."""
        from knowgate.guard.audit.record import Result
        from knowgate.guard.gate import Asked

        plain = {name: _plain(value) for name, value in arguments.items()}
        action = self._action(tool, scope, plain, documents)
        decision = self.rooms.gate.decide(action)
        summary = ""
        if changes or decision.outcome == "ask" or decision.audit.include_body:
            plain = self.rooms.redactor(more=decision.redact).json(plain).value
            about = f" on {', '.join(documents[:_TOLD])}" if documents else ""
            about += f" and {len(documents) - _TOLD:,} more" if len(documents) > _TOLD else ""
            said = orjson.dumps(plain).decode()
            summary = f"{action.tool} {said[:_LONGEST]}{'…' if len(said) > _LONGEST else ''}{about}"
        asked = Asked(
            action,
            _digest_of(action),
            summary,
            changes,
            plain,
            agent=self.agent,
            written=written,
        )
        with self.rooms.gate.passing(asked) as passage:
            if passage.decision.outcome == "dry_run":
                raise ForbiddenError(
                    "dry_run_only",
                    f"The policy lets this be tried only, and nothing was done (rule {passage.decision.rule}).",
                    "Ask whoever keeps the policy.",
                )
            showing = Showing(
                lambda: self.rooms.redactor(more=passage.decision.redact), passage_filter(self.rooms, self.principal)
            )
            yield showing
            passage.result = Result("success", redactions=showing.counts)

    def may(self, scope: Scope, what: str = "") -> None:
        """`what` names something that does not pass the gate: who is refused it is written down all the same."""
        with self.turning_away(what):
            super().may(scope)

    def may_rule(self, what: str = "") -> None:
        with self.turning_away(what):
            super().may_rule()

    def turn_away(self, what: str, code: str) -> None:
        """Write down what came to nothing before there was anything to decide on."""
        self.rooms.gate.turn_away(self.principal, PREFIX + what.removeprefix(PREFIX), code, agent=self.agent)

    @contextmanager
    def turning_away(self, what: str) -> Generator[None]:
        """Around a look at who calls, before there is anything to decide on."""
        try:
            yield
        except ForbiddenError as error:
            if what:
                self.turn_away(what, error.code)
            raise

    def offers(self, tool: str, scope: Scope) -> bool:
        """Whether the caller could be allowed to use the tool, whatever he asks of it."""
        if not self.principal.has(scope) or (scope == "apis" and not self.settings.apis):
            return False
        if self.principal is LOCAL and self.settings.policy.file is None:
            return True  # known without reading rules, and asked before anything else
        try:
            policy = self.rooms.policy()
        except InputError:
            return True  # nothing can be called then, and each call says what is wrong with the policy
        return policy.offers(self._action(tool.removeprefix(PREFIX), scope, {}, ()))

    def _showing(self) -> Showing:
        call = _current.get()
        assert call is not None, "only what passed the gate shows anything"
        return call.showing

    def _was_named(self, document: Document) -> bool:
        """Whether the gate decided on it: what came since then was not."""
        call = _current.get()
        return call is not None and document.name in call.documents

    def _visible(self, where: Filter = EVERYTHING) -> Filter:
        call = _current.get()
        return self._visible_to(call.tool if call else "", super()._visible(where))

    def _visible_to(self, tool: str, where: Filter) -> Filter:
        """Without the documents that the policy keeps from this tool, and those of APIs that are not for the caller."""
        if not tool:
            return where
        if hidden := hidden_documents(self.rooms, self.principal, whole=tool in _OF_THE_GRAPH):
            where = where.within(Filter(without=hidden))
        policy = self.rooms.policy()
        if not policy.names_documents:
            return where
        from knowgate.guard.policy.action import STRONGEST_FIRST

        def strength(*names: str) -> int:
            outcome = policy.decide(self._action(tool, TOOLS[PREFIX + tool], {}, names)).outcome
            if tool in _BY_NAME and outcome == "ask":
                return STRONGEST_FIRST.index("allow")
            return STRONGEST_FIRST.index(outcome)

        usual = strength()
        shown = (each.id for each in scan_all_documents(self.store, where) if strength(each.name) >= usual)
        return where.within(Filter(ids=tuple(shown)))

    def _action(self, tool: str, scope: Scope, arguments: Mapping[str, Any], documents: Sequence[str]) -> Action:
        from knowgate.guard.policy import Action, risk_score

        return Action(
            kind="tool",
            principal=self.principal,
            now=datetime.now(UTC),
            scope=scope,
            tool=PREFIX + tool,
            arguments=arguments,
            address=self.address,
            risk=risk_score(tool, "", arguments),
            documents=tuple(documents),
        )


def _digest_of(action: Action) -> str:
    """A yes is for these documents: what a saved filter or a task names may be other ones tomorrow."""
    what = [action.tool, dict(action.arguments), _plain(action.documents)]
    return sha256(orjson.dumps(what, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _plain(value: object, depth: int = 0) -> Any:
    """As JSON has it. What is long stands for itself by its hash."""
    if depth > _DEEPEST:
        raise InputError("nested_too_deep", f"What was sent is nested deeper than {_DEEPEST} levels.", "Send it flat.")
    match value:
        case None | bool() | float():
            return value
        case int():
            return value if -(2**63) <= value < 2**63 else str(value)
        case str():
            # Half a character, as a file's name may have, is no text that JSON could hold.
            return value.encode("utf-8", "backslashreplace").decode()
        case bytes():
            return sha256(value).hexdigest()
        case Path():
            return str(value)
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return {_plain(str(name)): _plain(each, depth + 1) for name, each in pairs}
        case list() | tuple() | set() | frozenset():
            return [_plain(each, depth + 1) for each in cast("Iterable[object]", value)]
        case _ if is_dataclass(value):
            return _plain({field.name: getattr(value, field.name) for field in fields(value)})
        case _ if hasattr(value, "seek"):
            return _digest(value)
        case _:
            return None


def _digest(file: Any) -> str:
    """Of a file that will be read: it is left where it was."""
    place = file.tell()
    digest = sha256()
    while piece := file.read(1 << 20):
        digest.update(piece)
    file.seek(place)
    return digest.hexdigest()
