"""Threads that take tasks up when they are submitted or were interrupted, and embed what waits for vectors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from knowgate.errors import KnowgateError, StorageError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.knowledge.ingest import Progress

_LOOK_SECONDS = 15.0
"""How often they look for what another process left behind, without being told."""
_STOP_SECONDS = 2.0


class Workers:
    def __init__(self, engine: Engine, notice: Callable[[str], None], count: int = 1) -> None:
        """`notice` is told what goes wrong beside the tasks."""
        self._engine = engine
        self._notice = notice
        self._told = ""
        self._stopping = threading.Event()
        self._claiming = threading.Lock()
        self._busy: set[str] = set()
        self._knows_apis = False
        self._threads = [
            threading.Thread(target=self._run, name=f"knowgate-worker-{n}", daemon=True) for n in range(count)
        ]

    def start(self) -> None:
        self._engine.rooms.attended = True
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Waits a little for what is being worked on. What takes longer is left behind, and taken up again."""
        self._stopping.set()
        with self._engine.rooms.submitted:
            self._engine.rooms.submitted.notify_all()
        deadline = time.monotonic() + _STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self) -> None:
        submitted = self._engine.rooms.submitted
        with suppress(_Stopped):
            while not self._stopping.is_set():
                seen = self._engine.rooms.submissions
                if not self._do():
                    with submitted:
                        submitted.wait_for(partial(self._is_news, seen), _LOOK_SECONDS)

    def _is_news(self, seen: int) -> bool:
        return self._stopping.is_set() or self._engine.rooms.submissions != seen

    def _do(self) -> bool:
        """Whether there was anything to do at once."""
        task = None
        try:
            task = self._claim()
            if task:
                self._engine.run(task, self._report)
            elif self._engine.settings.apis and not self._knows_apis:
                # Whoever looks for an operation first does not wait for it then.
                self._knows_apis = True
                self._engine.index_apis()
                return True
            elif self._engine.store.stats().pending and not self._engine.rooms.tasks.unfinished():
                # What a task brought in gets its vectors by that task.
                self._engine.embed_pending(self._report)
        except _Stopped:
            raise
        except StorageError as error:
            # Nothing can be written now; the task stays as it is.
            self._tell(str(error))
            self._stopping.wait(1)
        except KnowgateError as error:
            self._tell(str(error))
            self._give_up(task, error)
        except Exception as error:  # noqa: BLE001 - a defect met once must not end the work for good
            self._tell(f"{type(error).__name__}: {error}")
            sentence = f"Something went wrong here ({type(error).__name__}); the server's own output says more."
            self._give_up(task, KnowgateError("internal_error", sentence))
        finally:
            if task:
                self._busy.discard(task)
        return task is not None

    def _give_up(self, task: str | None, error: KnowgateError) -> None:
        """A task that cannot even begin would be taken up for ever, and its owner would wait."""
        if task:
            with suppress(KnowgateError):
                self._engine.fail(task, error)
        self._stopping.wait(1)

    def _claim(self) -> str | None:
        """A task for this thread alone. Among processes its lease decides."""
        with self._claiming:
            free = next((task.id for task in self._engine.interrupted() if task.id not in self._busy), None)
            if free:
                self._busy.add(free)
            return free

    def _tell(self, what: str) -> None:
        """Once, however often it is met; once stopping has begun, it is no news that something was closed."""
        if what != self._told and not self._stopping.is_set():
            self._told = what
            self._notice(what)

    def _report(self, _: Progress) -> None:
        if self._stopping.is_set():
            raise _Stopped


class _Stopped(Exception):
    """Leaves the work where it is: it is taken up again."""
