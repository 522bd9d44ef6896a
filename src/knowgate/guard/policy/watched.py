"""The policy of a file, as the file stands now. A change that cannot be read leaves the one before in force."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

from knowgate.errors import InputError
from knowgate.guard.policy.policy import Policy

_log = logging.getLogger("knowgate.policy")
_Stamps = tuple[tuple[int, int] | None, ...]


class WatchedPolicy:
    """Asked at every call. The first one must be readable: without a policy nothing is decided."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._policy = Policy.load(path)
        self._stamps = _stamps(self._policy.files)

    def __call__(self) -> Policy:
        stamps = _stamps(self._policy.files)
        if stamps != self._stamps:
            with self._lock:
                if stamps != self._stamps:
                    self._stamps = stamps
                    self._read_again()
        return self._policy

    def _read_again(self) -> None:
        try:
            policy = Policy.load(self._path)
        except InputError as error:
            _log.error("The policy was changed and cannot be read, so the one before stays in force. %s", error)
            return
        self._policy = policy
        self._stamps = _stamps(policy.files)
        _log.info("The policy was changed: version %s is in force.", policy.version[:12])


def _stamps(files: Iterable[Path]) -> _Stamps:
    return tuple(map(_stamp, files))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
