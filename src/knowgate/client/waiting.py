"""Waiting for tasks. One task id may name several tasks, separated by commas: the batches of a large folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowgate.wire import FileAnswer, TaskAnswer

_LONGEST_HOLD = 25


@dataclass(frozen=True, slots=True)
class Patience:
    """How long somebody waits, and how often he asks at most."""

    timeout: float
    poll_interval: float
    since: float

    @classmethod
    def starting_now(cls, timeout: float, poll_interval: float) -> Patience:
        return cls(timeout, poll_interval, time.monotonic())

    def left(self, now: float) -> float:
        return self.since + self.timeout - now

    def hold(self, now: float) -> int:
        """Whole seconds for which the server shall hold its answer back."""
        return min(_LONGEST_HOLD, int(self.left(now)))

    def pause(self, asked_at: float, now: float) -> float:
        """What is missing to the interval: a server that held its answer back is asked again at once."""
        return max(0.0, min(asked_at + self.poll_interval - now, self.left(now)))


def finished(task: TaskAnswer) -> bool:
    return task.status in ("completed", "failed", "cancelled")


def ids_of(task_id: str) -> list[str]:
    return task_id.split(",")


def out_of_time(task_id: str, timeout: float) -> TimeoutError:
    return TimeoutError(f"Ingestion task {task_id} did not complete within {timeout}s")


def together(tasks: Sequence[TaskAnswer]) -> TaskAnswer:
    """Several tasks as one. It has failed when all have: like a task of which some files failed."""
    first = tasks[0]
    if len(tasks) == 1:
        return first
    files: dict[str, FileAnswer] = {}
    for task in tasks:
        files.update(task.files)
    states = {task.status for task in tasks}
    broken = next((task for task in tasks if task.error), first)
    return replace(
        first,
        task_id=",".join(task.task_id for task in tasks),
        status=states.pop() if len(states) == 1 else "completed" if all(map(finished, tasks)) else "running",
        phase=next((task.phase for task in tasks if not finished(task)), tasks[-1].phase),
        total_files=sum(task.total_files for task in tasks),
        processed_files=sum(task.processed_files for task in tasks),
        successful_files=sum(task.successful_files for task in tasks),
        failed_files=sum(task.failed_files for task in tasks),
        pending_files=sum(task.pending_files for task in tasks),
        running_files=sum(task.running_files for task in tasks),
        removed_files=sum(task.removed_files for task in tasks),
        total_passages=sum(task.total_passages for task in tasks),
        embedded_passages=sum(task.embedded_passages for task in tasks),
        created_at=min(task.created_at for task in tasks),
        updated_at=max(task.updated_at for task in tasks),
        duration_seconds=max(task.duration_seconds for task in tasks),
        files=files,
        files_left_out=sum(task.files_left_out for task in tasks),
        error=broken.error,
        code=broken.code,
        fix=broken.fix,
    )
