"""What a tool is. A door turns the declaration into its own protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from knowgate.errors import KnowgateError
from knowgate.tools.backend import Backend

if TYPE_CHECKING:
    from knowgate.model import Scope

LONGEST_WAIT = 25.0
"""Seconds after which a call is answered, done or not: many clients give up after a minute, some after half of one."""


class Given(BaseModel):
    """A tool's input. A name that we do not know is refused: it may have been meant to narrow something down."""

    model_config = ConfigDict(extra="forbid")


Input = TypeVar("Input", bound=Given)


@dataclass(frozen=True, slots=True)
class Hints:
    """What a tool does to the world. The defaults are those of a tool that looks something up."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The same facts twice: some clients show the model only the one, some only the other."""

    structured: object
    """A dataclass."""
    text: str
    failed: bool = False


class Call(Protocol):
    """What a tool can tell whoever calls while it works."""

    async def report(self, message: str, done: float = 0, total: float | None = None) -> None: ...

    def if_cancelled(self, undo: Callable[[], Awaitable[object]]) -> None:
        """Done when the caller takes the call back; not when he hangs up."""
        ...


@dataclass(frozen=True, slots=True)
class Tool(Generic[Input]):
    name: str
    title: str
    description: str
    """For a new colleague: when to use it, when not, an example."""
    input: type[Input]
    output: type
    """A dataclass."""
    run: Callable[[Backend, Input, Call], Awaitable[Answer]]
    scope: Scope = "read"
    hints: Hints = field(default_factory=Hints)
    pace: str = ""
    """Which limit it counts against, besides that of all calls: chat or ingest."""
    does: str = ""
    """What the gate calls it, when that is not its name."""
    arguments: Mapping[str, Any] | None = None
    """The schema of an input that is known only while running."""


class Unfold(Protocol):
    """Tools that depend on what there is to work with."""

    async def all(self, backend: Backend) -> Sequence[Tool[Any]] | None:
        """Those that are listed instead of the toolset's own; None when its own are to be listed."""
        ...

    def one(self, name: str) -> Tool[Any] | None:
        """What is called by that name, without looking whether it is there; None when nothing can be."""
        ...


@dataclass(frozen=True, slots=True)
class Toolset:
    name: str
    server_name: str
    instructions: str
    tools: tuple[Tool[Any], ...]
    wording: Callable[[KnowgateError], str]
    """How these tools tell of an error."""
    menu: bool = False
    """Whether documents and prompts are offered beside the tools."""
    schema: str = ""
    """Where the schema of the graph can be opened; nowhere when empty."""
    unfold: Unfold | None = None
    only_reading: bool = False

    def reading(self) -> Toolset:
        """Without the tools that change anything."""
        kept = tuple(tool for tool in self.tools if tool.hints.read_only)
        return replace(self, tools=kept, only_reading=True)
