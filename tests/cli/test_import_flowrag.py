from __future__ import annotations

import orjson
import pytest
from tests.knowledge.portable.test_flowrag import Folder, fill


@pytest.fixture
def folder(tmp_path):
    folder = Folder(tmp_path / "flowrag" / "data")
    fill(folder)
    return folder


def test_there_and_asked(cli, folder, tmp_path):
    data = tmp_path / "ours"
    ran = cli("import", "flowrag", folder.path, "--data", data)
    assert ran.code == 0, ran.err
    rows = dict(line.rsplit(maxsplit=1) for line in ran.out.splitlines()[1:])
    assert (rows["documents added"], rows["entities"], rows["relations"], rows["damaged"]) == ("2", "3", "2", "0")
    assert "Importing: 1 of 2 steps." in ran.err
    assert "TOPIC" in ran.err
    assert "Custom fields" in ran.err
    assert cli("stats", "--data", data, "--json").json["pending"] == 0
    assert "CONSUMES" in cli("graph", "relations", "mail's box", "--data", data).out
    assert cli("search", "who reads kafka", "--data", data, "--json").json["hits"]
    again = cli("import", "flowrag", folder.path, "--data", data, "--json").json
    assert (again["added"], again["unchanged"]) == (0, 2)


def test_files_that_are_still_there(cli, folder, tmp_path):
    (tmp_path / "flowrag" / "content").mkdir()
    (tmp_path / "flowrag" / "content" / "orders.md").write_text("Orders use Kafka.", encoding="utf-8")
    ran = cli("import", "flowrag", folder.path, "--data", tmp_path / "ours")
    assert "1 file of these are still there" in ran.err


def test_damage_is_told_and_the_command_says_so(cli, folder, tmp_path):
    folder.execute("UPDATE entities SET type = '' WHERE name = 'Orders'")
    ran = cli("import", "flowrag", folder.path, "--data", tmp_path / "ours")
    assert ran.code == 10
    assert "entity Orders: The row is damaged" in ran.err
    assert cli("documents", "--data", tmp_path / "ours", "--json").json["documents"]


@pytest.mark.parametrize("arguments", [["flowrag"], ["a", "b"], ["flowrag", "a", "b"], ["a", "--namespace", "x"]])
def test_what_cannot_be_meant(cli, tmp_path, arguments):
    ran = cli("import", *arguments, "--data", tmp_path / "ours")
    assert ran.code == 2
    assert "flowrag" in ran.err


def test_another_folder(cli, tmp_path):
    ran = cli("import", "flowrag", tmp_path, "--data", tmp_path / "ours", "--json")
    assert orjson.loads(ran.err)["code"] == "not_flowrag"


def test_a_namespace(cli, tmp_path):
    folder = Folder(tmp_path / "flowrag", "acme")
    fill(folder)
    refused = cli("import", "flowrag", folder.path, "--data", tmp_path / "ours", "--json")
    assert orjson.loads(refused.err)["code"] == "namespace_missing"
    named = cli("import", "flowrag", folder.path, "--namespace", "acme", "--data", tmp_path / "ours", "--json")
    assert named.json["added"] == 2


def test_the_graph_survives_export_and_import(cli, folder, tmp_path):
    cli("import", "flowrag", folder.path, "--data", tmp_path / "ours")
    cli("graph", "alias", "Kafka", "the bus", "--data", tmp_path / "ours")
    archive = tmp_path / "a.knowgate.zip"
    cli("export", archive, "--data", tmp_path / "ours")
    cli("import", archive, "--data", tmp_path / "copy")
    drawn = [cli("graph", "export", "--format", "jsonl", "--data", tmp_path / each).out for each in ("ours", "copy")]
    assert drawn[0] == drawn[1] != ""
    assert cli("graph", "show", "the bus", "--data", tmp_path / "copy").out.startswith("Kafka")
