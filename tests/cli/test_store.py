"""`knowgate store copy` moves the whole index."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

import knowgate
from knowgate import Engine
from knowgate.cli.store import _KINDS, app
from knowgate.config.settings import Settings


def copied(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["copy", *arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    return orjson.loads(done.stdout)


@pytest.fixture
def filled(tmp_path: Path, docs: Path) -> Path:
    with Engine(Settings(data=tmp_path / "data")) as engine:
        engine.ingest([docs])
        engine.create_key("somebody", ["read"])
    return tmp_path / "data"


def test_every_kind_of_record_is_copied() -> None:
    """Those that are not belong to a process that is at work, or to the store itself."""
    found: set[str] = set()
    for file in Path(knowgate.__file__).parent.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if "Record(" in text:
            found |= set(re.findall(r'Record\("(\w+)"', text)) | set(re.findall(r'^_KIND\b.* = "(\w+)"', text, re.M))
    assert found - {"lease", "holder", "store"} == set(_KINDS)


def test_to_another_folder(filled: Path, tmp_path: Path) -> None:
    report = copied("--data", str(filled), "--to", str(tmp_path / "other"))
    assert report["documents"] == 2
    assert report["vectors"] == report["passages"] > 0
    with Engine(Settings(data=tmp_path / "other")) as engine:
        assert engine.search("courier").hits[0].document.name.endswith("parcels.md")


def test_to_a_cluster_and_back(filled: Path, tmp_path: Path) -> None:
    url = os.environ.get("OPENSEARCH_FOR_TESTS", "").partition(",")[0]
    if not url:
        pytest.skip("no OpenSearch: `make test-opensearch` brings one up")
    place = f"opensearch{url.removeprefix('http')}/cli-{os.getpid()}"
    there = copied("--data", str(filled), "--to", place)
    back = copied("--from", place, "--to", str(tmp_path / "back"))
    assert there == back
    assert there["documents"] == 2
    assert there["records"]["key"] == 1
    assert there["records"]["task_file"] == 2


def test_a_place_that_is_none(filled: Path) -> None:
    done = CliRunner().invoke(app, ["copy", "--data", str(filled), "--to", "ftp://nowhere"])
    assert done.exception is not None
    assert "no place for an index" in str(done.exception)
