"""Servers of every kind are started as an app would, in a process of their own."""

from __future__ import annotations

import os
import sys

import pytest

from knowgate.cli.apps.entries import Entry, this_program
from knowgate.cli.apps.trial import try_out
from knowgate.errors import KnowgateError
from knowgate.version import __version__


def _python(code: str, **env: str) -> Entry:
    return Entry(sys.executable, ["-c", code], env)


def _refusal(entry: Entry, patience: float = 60) -> KnowgateError:
    with pytest.raises(KnowgateError) as refusal:
        try_out(entry, os.environ, patience)
    assert "knowgate mcp install" in refusal.value.fix
    return refusal.value


def test_our_own_server(tmp_path):
    command, *args = this_program()
    answered = try_out(Entry(command, [*args, "mcp", "--read-only", "--data", str(tmp_path)]), os.environ)
    assert (answered.name, answered.version) == ("knowgate", __version__)
    assert answered.tools > 1


def test_a_program_that_is_gone(tmp_path):
    gone = _refusal(Entry(str(tmp_path / "python")))
    assert gone.code == "server_missing"
    assert str(tmp_path / "python") in gone.message


@pytest.mark.skipif(os.name == "nt", reason="rights are of another kind there")
def test_a_file_that_is_no_program(tmp_path):
    broken = tmp_path / "knowgate"
    broken.write_text("neither script nor program")
    broken.chmod(0o755)
    assert "cannot be started" in _refusal(Entry(str(broken))).message


def test_one_that_crashes_says_why():
    told = _refusal(_python("import sys; print('a\\nb\\nc\\nd\\ne\\nf', file=sys.stderr); sys.exit(3)")).message
    assert told == "It ended with 3: b / c / d / e / f."


def test_one_that_says_nothing():
    assert "did not answer" in _refusal(_python("import time; time.sleep(600)"), patience=0.5).message


@pytest.mark.parametrize("said", ["hello", "7", "[]", '{"id": 1, "error": {}}', '{"id": 1, "result": {}}'])
def test_one_that_speaks_something_else(said):
    told = _refusal(_python(f"import sys; print({said!r}, flush=True); sys.stdin.read()")).message
    assert told == "It answers with something else than MCP."


def test_only_the_entry_says_what_is_set(monkeypatch):
    monkeypatch.setenv("KNOWGATE_DATA", "here")
    monkeypatch.setenv("OTHER", "there")
    code = "import os, sys; sys.exit(str([os.environ.get(n) for n in ('KNOWGATE_DATA', 'KNOWGATE_URL', 'OTHER')]))"
    assert "[None, 'mine', 'there']" in _refusal(_python(code, KNOWGATE_URL="mine")).message
