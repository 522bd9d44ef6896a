"""Everything Knowgate can do, in process: one object, Engine, that acts for somebody.

Every door calls these methods for its caller, so what a caller may do and see is decided here and nowhere else.
"""

from __future__ import annotations

from typing import Self

from knowgate.engine.documents import DocumentPage, Documents
from knowgate.engine.graph import Graphs
from knowgate.engine.operations import Operations
from knowgate.engine.oversight import Oversight
from knowgate.engine.talk import Talk
from knowgate.engine.tuning import Tuning
from knowgate.model import Principal

__all__ = ["DocumentPage", "Engine"]


class Engine(Documents, Graphs, Operations, Oversight, Talk, Tuning):
    """Close it, or use it as a context manager."""

    def acting_for(self, principal: Principal, *, agent: str = "", address: str = "") -> Engine:
        """The same rooms for another caller."""
        return Engine(principal=principal, rooms=self.rooms, agent=agent, address=address)

    def close(self) -> None:
        self.rooms.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
