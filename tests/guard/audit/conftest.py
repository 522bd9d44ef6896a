"""A trail of its own for every test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from knowgate.guard.audit.record import Call, Result
from knowgate.guard.audit.trail import Trail
from knowgate.model import LOCAL

CALL = Call(
    principal=LOCAL,
    tool="knowgate_run_operation",
    request_hash="a" * 64,
    decision="allow",
    rule="reads",
    policy_version="p1",
    agent="claude",
    arguments={"petId": 7, "body": {"note": "canary"}},
    operation_id="getPet",
    api="pets",
    method="GET",
    url="https://api.example/pets/7?verbose=canary",
    template="https://api.example/pets/{petId}",
    auth_profile="main",
    spec_hash="s1",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "audit"


@pytest.fixture
def call() -> Call:
    return CALL


@pytest.fixture
def make() -> Callable[..., None]:
    """Some calls, each an attempt and an outcome."""

    def make(trail: Trail, number: int, **changes: object) -> None:
        for _ in range(number):
            trail.outcome(trail.attempt(replace(CALL, **changes)), Result("success", 200, redactions={"EMAIL": 2}))

    return make
