"""Who works on what, among several processes on one store: a lease is held while its holder is alive."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from knowgate.errors import ConflictError, StorageError
from knowgate.store.port import Batch, Record, Store

HOLDER_SECONDS = 15.0
"""A holder that has not been heard of for so long is dead."""
_BEAT_SECONDS = 4.0
_WRONG_CLOCK_SECONDS = 300.0
"""No clock is wrong by more: who was to live until then is dead, also to somebody who has just come."""


class Leases:
    """One holder a process. Its heartbeat renews one record, however many leases it has."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._place = _place()
        self.holder = f"{self._place}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._seen: dict[str, tuple[float, float, float]] = {}
        """Of each other holder its last sign of life, when we first saw that one, and when we last looked."""
        self._stop = threading.Event()
        self._beating: threading.Thread | None = None
        self._lock = threading.Lock()
        self._held: set[str] = set()
        self._left: list[Record] = []
        """Leases that nobody here is at any more, and whose records are still to be dropped."""

    def take(self, name: str) -> Record | None:
        """Take the lease if it is free or its holder is dead. Two threads of a process do not share one either."""
        self._start()
        with self._lock:
            if name in self._held:
                return None
            self._held.add(name)
        lease = None
        try:
            stored = self._store.record("lease", name)
            if stored is None or stored.value["holder"] == self.holder or not self._alive(stored.value["holder"]):
                wanted = Record("lease", name, {"holder": self.holder})
                lease = self._store.put_if(wanted, stored.version if stored else 0)
        finally:
            if lease is None:
                self.forget(name)
        return lease

    def release(self, lease: Record) -> None:
        """Give it back; if the store is away, later."""
        try:
            self._drop(lease)
        except StorageError:
            self._left.append(lease)
        finally:
            self.forget(lease.id)

    def leave(self, lease: Record) -> None:
        """Give it back with the next heartbeat; until then, only this process may take it again."""
        self._left.append(lease)
        self.forget(lease.id)

    def forget(self, name: str) -> None:
        """The record was dropped with another write; this process may take it again."""
        with self._lock:
            self._held.discard(name)

    def _drop(self, lease: Record) -> None:
        """Unless it has been taken over, or taken anew, in the meantime."""
        with suppress(ConflictError):
            self._store.apply(Batch(holds=[lease], drop=[("lease", lease.id)]))

    def held(self, name: str) -> bool:
        """Is somebody alive at it?"""
        stored = self._store.record("lease", name)
        if stored is not None and stored.value["holder"] == self.holder:
            # One that could not be given back, because the store was away, is ours in name only.
            with self._lock:
                return name in self._held
        return stored is not None and self._alive(stored.value["holder"])

    @contextmanager
    def waiting(self, name: str, poll: float = 0.2) -> Generator[Record | None]:
        """Hold the lease for a while; None, after a short wait, when another process has it."""
        lease = self.take(name)
        if lease is None:
            time.sleep(poll)
        try:
            yield lease
        finally:
            if lease is not None:
                self.release(lease)

    def close(self) -> None:
        with self._lock:
            self._stop.set()
            if self._beating:
                self._beating.join()
                self._beating = None
                # If it cannot be dropped now, it is swept when its time is long over.
                with suppress(StorageError):
                    self._store.apply(Batch(drop=[("holder", self.holder)]))

    def _alive(self, holder: str) -> bool:
        record = self._store.record("holder", holder)
        if record is None:
            return False
        until, now = record.value["until"], time.monotonic()
        place, pid, _ = holder.rsplit(":", 2)
        if place == self._place:
            return until > time.time() and process_exists(int(pid))
        # Clocks of other machines may be wrong: who gives no sign of life for so long by our own is dead.
        sign, since, looked = self._seen.get(holder, (None, now, now))
        # While we could not look, a store that was away kept him from giving one.
        if sign != until or now - looked > HOLDER_SECONDS:
            since = now
        self._seen[holder] = until, since, now
        return now - since < HOLDER_SECONDS and until > time.time() - _WRONG_CLOCK_SECONDS

    def _start(self) -> None:
        with self._lock:
            if self._beating is None:
                self._sweep()
                self._beat()
                self._beating = threading.Thread(target=self._run, name="knowgate-heartbeat", daemon=True)
                self._beating.start()

    def _run(self) -> None:
        while not self._stop.wait(_BEAT_SECONDS):
            # A full disk or a long lock must not end the beating: there are several beats in a holder's life.
            with suppress(StorageError):
                self._beat()
                while self._left:
                    self._drop(self._left[0])
                    del self._left[0]

    def _sweep(self) -> None:
        """Killed processes leave their record behind."""
        long_ago = time.time() - 3600
        gone = [holder.id for holder in self._store.scan_records("holder") if holder.value["until"] < long_ago]
        self._store.apply(Batch(drop=[("holder", id) for id in gone]))

    def _beat(self) -> None:
        self._store.apply(Batch(records=[Record("holder", self.holder, {"until": time.time() + HOLDER_SECONDS})]))


def _place() -> str:
    """Where a process id means the same process: one running system, and in it one space of process ids."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}/{boot}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return f"{socket.gethostname()}/{uuid.getnode():x}"


def process_exists(pid: int) -> bool:
    """Whether a process of this machine runs; where it cannot be asked without harm (Windows), time must tell."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
