from __future__ import annotations

import io
import sys

import orjson
import pytest

from knowgate.engine import Engine


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def test_a_folder_twice(cli, docs, data):
    ran = cli("ingest", docs, "--data", data)
    assert ran.code == 0
    assert ran.out.split() == ["indexed", "unchanged", "failed", "removed", "2", "0", "0", "0"]
    assert "search 'a question'" in ran.err
    (docs / "refunds.md").unlink()
    assert cli("ingest", docs, "--data", data).out.split()[4:] == ["0", "1", "0", "1"]
    assert cli("ingest", docs, "--data", data, "--force").out.split()[4:] == ["1", "0", "0", "0"]


def test_json_is_all_there_is(cli, docs, data):
    ran = cli("ingest", docs, "--data", data, "--json")
    assert ran.err == ""
    assert ran.json["task"]["completed"] == 2
    assert [file["name"] for file in ran.json["files"]] == ["refunds.md", "guides/parcels.md"]


def test_a_bad_file_does_not_stop_the_rest(cli, docs, data):
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    ran = cli("ingest", docs, "--data", data)
    assert ran.code == 10
    assert ran.out.split()[4:8] == ["2", "0", "1", "0"]
    assert "Failed: broken.pdf\n  The" in ran.out


def test_what_is_no_document_is_counted_and_no_failure(cli, docs, data):
    for name in ("a.md", "b.md"):
        (docs / name).write_text("")
    ran = cli("ingest", docs, "--data", data)
    assert ran.code == 0
    assert ran.out.split() == ["indexed", "unchanged", "ignored", "failed", "removed", "2", "0", "2", "0", "0"]
    assert ran.err.count("Ignored") == 1
    assert "Ignored 2 files (a.md, b.md): " in ran.err
    shown = cli("tasks", "--data", data).out
    assert "4/4" in shown


def test_a_damaged_document_in_a_folder_is_a_failure_and_a_plain_archive_is_none(cli, docs, data):
    (docs / "contract.docx").write_bytes(b"PK\x03\x04xx")
    (docs / "backup.zip").write_bytes(b"PK\x03\x04xx")
    ran = cli("ingest", docs, "--data", data)
    assert ran.code == 10
    assert "Failed: contract.docx" in ran.out
    assert "save it again" in " ".join(ran.out.split())
    assert "Ignored 1 file (backup.zip): " in ran.err


def test_a_link_that_leads_out_of_the_folder_is_ignored_by_name_and_read_when_it_is_named(cli, docs, data, tmp_path):
    (tmp_path / "private.txt").write_text("The password is abracadabra.")
    try:
        (docs / "guides" / "link.txt").symlink_to(tmp_path / "private.txt")
    except OSError:
        pytest.skip("this system does not let us make links")
    ran = cli("ingest", docs, "--data", data)
    assert ran.code == 0
    assert "Ignored 1 file (guides/link.txt): The link leads out of the folder" in ran.err
    assert cli("search", "abracadabra", "--mode", "keyword", "--data", data, "--json").json["hits"] == []
    assert cli("ingest", docs / "guides" / "link.txt", "--data", data, "--json").json["task"]["completed"] == 1


def test_nothing_found_is_told(cli, data, tmp_path):
    (tmp_path / "none").mkdir()
    ran = cli("ingest", tmp_path / "none", "--data", data)
    assert ran.code == 0
    assert f"There is nothing to index in {tmp_path / 'none'}." in ran.err


def test_the_configured_docs(cli, docs, data, tmp_path):
    (tmp_path / "knowgate.toml").write_text('data = "data"\ndocs = ["docs"]\n')
    assert cli("--config", tmp_path / "knowgate.toml", "ingest", "--json").json["task"]["completed"] == 2


def test_nothing_to_ingest(cli, data):
    ran = cli("ingest", "--data", data, "--json")
    assert (ran.code, orjson.loads(ran.err)["code"]) == (2, "nothing_to_ingest")


def _stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_text_from_stdin(cli, data, monkeypatch):
    _stdin(monkeypatch, "# Käse\n\nDer Käse ist im Keller.\n".encode())
    assert cli("ingest", "-", "--name", "keller.md", "--data", data).code == 0
    shown = cli("show", "keller.md", "--data", data, "--json").json
    assert shown["document"]["source"] == "text:keller.md"
    assert "Der Käse ist im Keller." in shown["passages"][0]["text"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-"], "name_missing"),
        (["-", "other.md", "--name", "a.md"], "bad_source"),
        (["-", "--name", "a.md"], "not_text"),
        (["other.md", "--name", "a.md"], "bad_name"),
    ],
)
def test_what_stdin_cannot_be(cli, data, monkeypatch, arguments, code):
    _stdin(monkeypatch, b"\xff\xfe\x00")
    ran = cli("ingest", *arguments, "--data", data, "--json")
    assert (ran.code, orjson.loads(ran.err)["code"]) == (2, code)


@pytest.mark.parametrize("also", [True, False], ids=["with something new", "alone"])
def test_interrupted_tasks_are_finished_too(cli, docs, data, open_engine, also):
    engine: Engine = open_engine()
    left = engine.submit([docs / "guides"])
    ran = cli("ingest", *([docs / "refunds.md"] if also else []), "--data", data)
    assert ran.code == 0
    own, *_ = engine.tasks()
    assert own.updated_at <= engine.task(left.id).updated_at
    assert f"Finishing task {left.id}, which was interrupted" in ran.err
    assert engine.task(left.id).status == "completed"
    assert engine.stats().documents == (2 if also else 1)


def test_an_interrupted_task_that_cannot_be_done_is_no_obstacle(cli, docs, data, open_engine):
    engine: Engine = open_engine()
    gone = docs / "gone"
    gone.mkdir()
    left = engine.submit([gone])
    gone.rmdir()
    ran = cli("ingest", docs, "--data", data)
    assert ran.code == 0
    assert f"Task {left.id} failed." in ran.err
    assert engine.interrupted() == []


def test_reembed(cli, docs, data):
    cli("ingest", docs, "--data", data)
    ran = cli("reembed", "--data", data)
    assert ran.code == 0
    assert "2 passages have vectors." in ran.err
