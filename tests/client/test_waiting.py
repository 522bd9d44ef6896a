"""Waiting ends in time, and several tasks are one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.client.waiting import Patience, together
from knowgate.wire import FileAnswer, TaskAnswer

TASK = TaskAnswer(
    "t1", "ingest", "completed", "done", 1, 1, 1, 0, 0, 0, 0, "2026-01-01", "2026-01-02", 1.0,
    {"a.md": FileAnswer("a.md", "completed", 1)},
)  # fmt: skip
times = st.floats(0, 1000)


@given(times, times, times, times)
def test_nobody_waits_beyond_his_time(timeout: float, interval: float, asked: float, took: float) -> None:
    patience = Patience(timeout, interval, since=0.0)
    if (left := patience.left(asked)) > 0:
        assert 0 <= patience.hold(asked) <= min(25, left)
        assert 0 <= patience.pause(asked, asked + took) <= max(0.0, min(interval, timeout - asked - took) + 1e-9)


def test_a_server_that_held_its_answer_back_is_asked_again_at_once() -> None:
    patience = Patience(300.0, 1.0, since=0.0)
    assert patience.pause(asked_at=10.0, now=35.0) == 0.0
    assert patience.pause(asked_at=10.0, now=10.25) == 0.75


@pytest.mark.parametrize(
    ("states", "status"),
    [
        (("completed", "completed"), "completed"),
        (("completed", "failed"), "completed"),
        (("failed", "failed"), "failed"),
        (("completed", "pending"), "running"),
        (("pending", "pending"), "pending"),
    ],
)
def test_the_state_of_several_tasks(states: tuple[str, ...], status: str) -> None:
    assert together([replace(TASK, status=state) for state in states]).status == status


def test_several_tasks_are_added_up() -> None:
    other = replace(
        TASK,
        task_id="t2",
        status="failed",
        failed_files=2,
        total_files=3,
        updated_at="2026-01-03",
        files={"b.md": FileAnswer("b.md", "failed", error="Broken.")},
        error="Cancelled.",
        code="cancelled",
    )
    both = together([TASK, other])
    assert (both.task_id, both.total_files, both.failed_files) == ("t1,t2", 4, 2)
    assert (both.created_at, both.updated_at) == ("2026-01-01", "2026-01-03")
    assert both.files.keys() == {"a.md", "b.md"}
    assert (both.error, both.code) == ("Cancelled.", "cancelled")
    assert together([TASK]) is TASK
