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
from knowgate import Engine, rooms
from knowgate.cli.main import run
from knowgate.cli.store import _KINDS, app
from knowgate.config.settings import Settings
from knowgate.config.settings import Store as StoreSettings
from knowgate.errors import KnowgateError
from knowgate.store.copy import claim
from knowgate.store.port import Batch, Record


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


def refused(*arguments: str) -> KnowgateError:
    done = CliRunner().invoke(app, ["copy", *arguments])
    assert isinstance(done.exception, KnowgateError)
    return done.exception


def test_what_is_there_is_not_replaced_unasked(filled: Path, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    copied("--data", str(filled), "--to", other)
    with Engine(Settings(data=Path(other))) as engine:
        engine.revoke_key("somebody")
    assert refused("--data", str(filled), "--to", other).code == "target_not_empty"
    with Engine(Settings(data=Path(other))) as engine:
        assert engine.keys()[0].revoked_at is not None
    assert copied("--data", str(filled), "--to", other, "--overwrite")["unchanged"] == 2


def test_a_copy_that_was_begun_goes_on_and_no_other_comes_between(filled: Path, tmp_path: Path) -> None:
    other = rooms.open_store(StoreSettings(), tmp_path / "other")
    claim(other, str(filled.resolve()), _KINDS)
    other.apply(Batch(records=[Record("key", "half", {})]))
    other.close()
    second = tmp_path / "second"
    copied("--data", str(filled), "--to", str(second))
    assert refused("--data", str(second), "--to", str(tmp_path / "other")).code == "other_copy"
    assert copied("--data", str(filled), "--to", str(tmp_path / "other"))["documents"] == 2
    assert refused("--data", str(filled), "--to", str(tmp_path / "other")).code == "target_not_empty"


def test_from_where_there_is_nothing_nothing_is_copied(filled: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    assert refused("--from", str(nowhere), "--to", str(tmp_path / "other")).code == "no_index"
    assert not nowhere.exists()
    assert refused("--data", str(filled), "--to", str(filled)).code == "same_place"


def test_a_password_in_an_address_is_not_repeated(filled: Path) -> None:
    error = refused("--data", str(filled), "--to", "opensearch://bob:hunter2@localhost:9200/x")
    assert "hunter2" not in str(error)
    assert "store.password" in error.fix


def test_stopped_half_way(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    command = ["store", "copy", "--data", str(filled), "--to", str(tmp_path / "other")]
    with monkeypatch.context() as stopping:
        stopping.setattr("knowgate.store.copy.copy", stop)
        assert run([*command, "--json"]) == 130
        told = orjson.loads(capsys.readouterr().err)
        assert run(command) == 130
    assert told["code"] == "interrupted"
    assert "same command" in told["fix"]
    assert told["fix"] in capsys.readouterr().err
    assert run(command) == 0
    assert "Copying: " in capsys.readouterr().err
