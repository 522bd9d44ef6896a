"""A policy file is read again when it, or a file that it includes, changes; what cannot be read changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from knowgate.errors import InputError
from knowgate.guard.policy.watched import WatchedPolicy

MAIN = 'version: "1.0"\nincludes: [more.yaml]\n'
MORE = 'version: "1.0"\nrules:\n  - {{name: {}, tools: ["*"], deny: true}}\n'


def _write(path: Path, text: str, at: int) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(at, at))


@pytest.fixture
def watched(tmp_path: Path) -> WatchedPolicy:
    _write(tmp_path / "policy.yaml", MAIN, 1)
    _write(tmp_path / "more.yaml", MORE.format("one"), 1)
    return WatchedPolicy(tmp_path / "policy.yaml")


def test_while_nothing_changes_it_is_the_same(watched: WatchedPolicy) -> None:
    assert watched() is watched()


def test_an_included_file_counts(watched: WatchedPolicy, tmp_path: Path) -> None:
    before = watched()
    _write(tmp_path / "more.yaml", MORE.format("two"), 2)
    assert [rule.name for rule in watched().rules] == ["two"]
    assert watched().version != before.version


def test_what_cannot_be_read_leaves_the_one_before(
    watched: WatchedPolicy, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = watched()
    _write(tmp_path / "more.yaml", "rules: [", 2)
    assert watched() is before
    assert watched() is before
    assert len(caplog.records) == 1
    (tmp_path / "policy.yaml").unlink()
    assert watched() is before
    _write(tmp_path / "policy.yaml", MAIN, 3)
    _write(tmp_path / "more.yaml", MORE.format("three"), 3)
    assert [rule.name for rule in watched().rules] == ["three"]


def test_the_first_one_must_be_readable(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        WatchedPolicy(tmp_path / "nothing.yaml")
