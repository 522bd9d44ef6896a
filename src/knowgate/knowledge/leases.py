"""Who works on what, among several processes on one store: a lease is held while its holder is alive."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress

from knowgate.errors import StorageError
from knowgate.store.port import Batch, Record, Store

HOLDER_SECONDS = 15.0
"""A holder that has not been heard of for so long is dead."""
_BEAT_SECONDS = 4.0


class Leases:
    """One holder a process. Its heartbeat renews one record, however many leases it has."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._stop = threading.Event()
        self._beating: threading.Thread | None = None
        self._lock = threading.Lock()
        self._held: set[str] = set()

    def take(self, name: str) -> bool:
        """Take the lease if it is free or its holder is dead. Two threads of a process do not share one either."""
        self._start()
        with self._lock:
            if name in self._held:
                return False
            self._held.add(name)
        stored = self._store.record("lease", name)
        free = stored is None or stored.value["holder"] == self.holder or not self._alive(stored.value["holder"])
        lease = Record("lease", name, {"holder": self.holder})
        if free and self._store.put_if(lease, stored.version if stored else 0):
            return True
        self.forget(name)
        return False

    def release(self, name: str) -> None:
        self._store.apply(Batch(drop=[("lease", name)]))
        self.forget(name)

    def forget(self, name: str) -> None:
        """The record was dropped with another write, or cannot be dropped now; this process may take it again."""
        with self._lock:
            self._held.discard(name)

    def held(self, name: str) -> bool:
        """Is somebody alive at it?"""
        stored = self._store.record("lease", name)
        return stored is not None and self._alive(stored.value["holder"])

    @contextmanager
    def waiting(self, name: str, poll: float = 0.2) -> Generator[bool]:
        """Hold the lease for a while; False, after a short wait, when another process has it."""
        taken = self.take(name)
        if not taken:
            time.sleep(poll)
        try:
            yield taken
        finally:
            if taken:
                self.release(name)

    def close(self) -> None:
        with self._lock:
            self._stop.set()
            if self._beating:
                self._beating.join()
                self._store.apply(Batch(drop=[("holder", self.holder)]))
                self._beating = None

    def _alive(self, holder: str) -> bool:
        record = self._store.record("holder", holder)
        if record is None or record.value["until"] < time.time():
            return False
        host, pid, _ = holder.rsplit(":", 2)
        return host != socket.gethostname() or process_exists(int(pid))

    def _start(self) -> None:
        with self._lock:
            if self._beating is None:
                self._beat()
                self._beating = threading.Thread(target=self._run, name="knowgate-heartbeat", daemon=True)
                self._beating.start()

    def _run(self) -> None:
        while not self._stop.wait(_BEAT_SECONDS):
            # A full disk or a long lock must not end the beating: there are several beats in a holder's life.
            with suppress(StorageError):
                self._beat()

    def _beat(self) -> None:
        self._store.apply(Batch(records=[Record("holder", self.holder, {"until": time.time() + HOLDER_SECONDS})]))


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
