from __future__ import annotations

import orjson
import pytest
import typer

from knowgate.cli import ingest, keys, main, saved_filters
from knowgate.knowledge.filters import Filters


@pytest.fixture(autouse=True)
def commands(monkeypatch):
    app = typer.Typer()
    app.callback()(main.knowgate)
    app.command()(ingest.ingest)
    app.add_typer(keys.app, name="keys")
    app.add_typer(saved_filters.app, name="filters")
    monkeypatch.setattr(main, "app", app)


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def test_create_prints_the_id(cli, data, open_engine):
    ran = cli("filters", "create", "Guides", "--source", "guides/*", "--type", "md", "--owner", "ann", "--data", data)
    saved = Filters(open_engine().store).get(ran.out.strip())
    assert (saved.name, saved.owner) == ("Guides", "local")
    assert (saved.where.names, saved.where.types, saved.where.owners) == (("guides/*",), ("markdown",), ("ann",))
    assert "No document fits" in ran.err
    assert f"--filter {saved.id}" in ran.err


def test_create_with_everything(cli, data):
    arguments = ["--source", "a", "--source", "b", "--description", "D", "--limit", "5", "--threshold", "0.5"]
    saved = cli("filters", "create", "F", *arguments, "--data", data, "--json").json["filter"]
    assert (saved["description"], saved["limit"], saved["threshold"]) == ("D", 5, 0.5)
    assert saved["where"]["names"] == ["a", "b"]
    assert saved["where"]["types"] is saved["where"]["owners"] is None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([" "], "bad_filter_name"),
        (["F", "--type", "nonsense"], "unknown_type"),
        (["F", "--limit", "0"], "bad_query_data"),
        (["F", "--threshold", "2"], "bad_query_data"),
    ],
)
def test_what_makes_no_filter(cli, data, arguments, code):
    ran = cli("filters", "create", *arguments, "--data", data, "--json")
    assert (ran.code, orjson.loads(ran.err)["code"]) == (2, code)
    assert cli("filters", "--data", data, "--json").json == {"filters": []}


def test_list(cli, data):
    ran = cli("filters", "--data", data)
    assert (ran.code, ran.out) == (0, "")
    assert "no filters yet" in ran.err
    cli("filters", "create", "All", "--data", data)
    cli("filters", "create", "Guides", "--source", "guides/*", "--owner", "ann", "--data", data)
    listed = cli("filters", "list", "--data", data)
    heading, guides, everything = listed.out.splitlines()
    assert heading.split() == ["id", "name", "owner", "updated", "what"]
    assert "Guides" in guides and guides.endswith("data_sources: guides/*; owners: ann")
    assert "All" in everything and everything.endswith("everything")
    assert cli("filters", "--data", data).out == listed.out
    names = [each["name"] for each in cli("filters", "list", "--limit", "1", "--data", data, "--json").json["filters"]]
    assert names == ["Guides"]


def test_show_by_id_or_name(cli, data, docs):
    cli("ingest", docs, "--data", data)
    id = cli("filters", "create", "Guides", "--source", "guides/*", "--data", data).out.strip()
    shown = cli("filters", "show", "Guides", "--data", data)
    assert cli("filters", "show", id, "--data", data).out == shown.out
    assert "guides/*" in shown.out
    assert cli("filters", "show", id, "--data", data, "--json").json["documents"] == 1


def test_a_name_that_two_filters_have(cli, data):
    ids = [cli("filters", "create", "Twice", "--data", data).out.strip() for _ in range(2)]
    ran = cli("filters", "delete", "Twice", "--data", data)
    assert ran.code == 8
    assert all(id in ran.err for id in ids)
    assert cli("filters", "delete", ids[0], "--data", data).code == 0
    assert cli("filters", "show", "Twice", "--data", data, "--json").json["filter"]["id"] == ids[1]


def test_delete(cli, data):
    cli("filters", "create", "Guides", "--data", data)
    cli("keys", "create", "ann", "--filter", "Guides", "--data", data)
    ran = cli("filters", "delete", "Guides", "--data", data)
    assert ran.out == "Deleted the filter Guides.\n"
    assert "see nothing any more: ann" in ran.err
    for command in ("show", "delete"):
        gone = cli("filters", command, "Guides", "--data", data, "--json")
        assert (gone.code, orjson.loads(gone.err)["code"]) == (9, "filter_not_found")


def test_what_a_terminal_would_obey_is_not_printed(cli, data):
    cli("filters", "create", "trap\x1b[2J", "--source", "a\u009b31m", "--data", data)
    for arguments in (["list"], ["show", "trap\x1b[2J"], ["delete", "trap\x1b[2J"]):
        ran = cli("filters", *arguments, "--data", data)
        assert ran.code == 0
        assert not {"\x1b", "\u009b"} & set(ran.out + ran.err)
