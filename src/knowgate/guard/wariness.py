"""Who was given orders by something from outside: for a while, a person looks at whatever he changes."""

from __future__ import annotations

import time
from collections.abc import Callable

from knowgate.model import Principal
from knowgate.store.port import Batch, Record, Store

_KIND = "wary_of"
_SECONDS = 900.0


class Wariness:
    """Kept with everything else: another process, or the next command, is as wary."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    def begin(self, principal: Principal) -> None:
        self._store.apply(Batch(records=[Record(_KIND, principal.id, {"until": self._clock() + _SECONDS})]))

    def holds(self, principal: Principal) -> bool:
        record = self._store.record(_KIND, principal.id)
        return record is not None and record.value["until"] > self._clock()
