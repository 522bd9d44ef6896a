"""The kill switch: one record stops every call in every process, until somebody turns it back."""

from __future__ import annotations

import time
from collections.abc import Callable

from knowgate.errors import ForbiddenError
from knowgate.model import Principal
from knowgate.store.port import Batch, Record, Store

_KIND, _ID = "switch", "calls"
_FRESH_SECONDS = 0.5
"""Asked at every call, so what was found is believed for a moment."""


class Switch:
    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._found: tuple[float, Record | None] | None = None

    def stop(self, by: Principal, reason: str = "") -> None:
        _only_admins(by)
        value = {"by": by.name, "reason": reason, "at": time.time()}
        self._store.apply(Batch(records=[Record(_KIND, _ID, value)]))
        self._found = None

    def resume(self, by: Principal) -> None:
        _only_admins(by)
        self._store.apply(Batch(drop=[(_KIND, _ID)]))
        self._found = None

    def check(self) -> None:
        """Raises ForbiddenError `stopped` while calls are stopped."""
        now = self._clock()
        found = self._found
        if found is None or now - found[0] >= _FRESH_SECONDS:
            self._found = found = now, self._store.record(_KIND, _ID)
        if record := found[1]:
            because = f": {record.value['reason']}" if record.value["reason"] else ""
            raise ForbiddenError(
                "stopped",
                f"All calls were stopped by {record.value['by']}{because}.",
                "Run `knowgate policy resume`, or wait until an administrator resumes them.",
            )


def _only_admins(by: Principal) -> None:
    if not by.has("admin"):
        raise ForbiddenError(
            "admin_only", "Only an administrator stops and resumes calls.", "Use a key with the scope admin."
        )
