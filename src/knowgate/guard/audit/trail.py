"""Writing the trail: the attempt before a call, the outcome after it.

What is promised: when `attempt` returns, its line outlives the process, and for a call that changes something it has
been forced to the disk, too. Outcomes and the attempts of reading calls outlive the process, but the last of them can
be lost with the power. What cannot be written is an error, never silence.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from knowgate.guard.audit.log import Log, Rotation
from knowgate.guard.audit.record import Call, Fields, Result, describe_call, describe_result

ROTATION = Rotation()


@dataclass(frozen=True, slots=True)
class Attempt:
    """What `outcome` needs to know."""

    id: str
    sequence: int
    fields: Fields
    began: float


def _now() -> datetime:
    return datetime.now(UTC)


class Trail:
    """Many threads and processes may write to one folder. All methods raise StorageError `audit_unwritable`."""

    def __init__(self, folder: Path, rotation: Rotation = ROTATION, now: Callable[[], datetime] = _now) -> None:
        self._log = Log(folder, rotation, now)

    def attempt(self, call: Call) -> Attempt:
        """Before anything is done."""
        id = str(uuid.uuid4())
        fields = describe_call(self._log.keys(), call)
        sequence = self._log.append({"id": id, "event": "attempt", **fields}, durable=call.changes)
        return Attempt(id, sequence, fields, time.perf_counter())

    def outcome(self, attempt: Attempt, result: Result) -> None:
        """Says all that the attempt said, too, so that one line tells the whole story."""
        answer = describe_result(result, 1000 * (time.perf_counter() - attempt.began))
        line = {"id": attempt.id, "event": "outcome", **attempt.fields, **answer, "attempt": attempt.sequence}
        self._log.append(line)

    def refused(self, call: Call, error: str) -> None:
        """A call that was not made."""
        fields = describe_call(self._log.keys(), call)
        answer = describe_result(Result("denied", error=error), 0.0)
        self._log.append({"id": str(uuid.uuid4()), "event": "refused", **fields, **answer})
