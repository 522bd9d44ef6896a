from __future__ import annotations

import csv
import shutil
from pathlib import Path

import orjson
import pytest

from knowgate.cli.graph_export import FormatName, draw, guess_format
from knowgate.config.settings import Settings
from knowgate.engine import Engine
from knowgate.errors import InputError
from knowgate.knowledge.extract.names import key
from knowgate.model import Chunk, Document, Entity, Relation
from knowgate.store.port import Batch, DocumentWrite, Facts, Link, Mention

SERVICES = {
    "checkout": "SERVICE",
    "ledger": "SERVICE",
    "mailer": "SERVICE",
    "PostgreSQL": "DATABASE",
    "Team Blue": "TEAM",
    "Team Red": "TEAM",
}
TRIPLES = (
    ("mailer", "USES", "checkout"),
    ("checkout", "USES", "ledger"),
    ("ledger", "USES", "PostgreSQL"),
    ("Team Blue", "OWNS", "checkout"),
    ("Team Red", "OWNS", "ledger"),
    ("Team Red", "OWNS", "mailer"),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small system. Not to be changed."""
    text = "Who uses what, and who owns it."
    document = Document("s", "system.md", "/s", "markdown", "", "S", "", "1", 9, "", 0.0, 0.0, chunks=1)
    facts = Facts(
        mentions=[Mention(key(name), 0, name, type, 0.9) for name, type in SERVICES.items()],
        links=[Link(key(source), key(target), type, 0, 0.9) for source, type, target in TRIPLES],
    )
    folder = tmp_path_factory.mktemp("system") / "data"
    with Engine(Settings(data=folder)) as engine:
        chunk = Chunk("s:0", "s", 0, text, (), 0, len(text))
        engine.store.apply(Batch(documents=[DocumentWrite(document, [chunk], facts)]))
    return folder


@pytest.fixture
def data(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "copy")


def test_entities(cli, kept):
    ran = cli("graph", "entities", "--data", kept)
    lines = ran.out.splitlines()
    assert lines[0].split() == ["name", "type", "documents", "passages", "description"]
    assert any(line.split()[:4] == ["ledger", "SERVICE", "1", "1"] for line in lines)
    found = cli("graph", "entities", "LEDG", "--type", "service", "--data", kept, "--json").json
    assert [each["name"] for each in found["entities"]] == ["ledger"]
    some = cli("graph", "entities", "--limit", "1", "--data", kept)
    cursor = some.err.split("--cursor ")[1].strip().strip("'")
    assert cli("graph", "entities", "--limit", "1", "--cursor", cursor, "--data", kept).out != some.out
    none = cli("graph", "entities", "zebra", "--data", kept)
    assert (none.code, none.out) == (0, "")
    assert "No entity fits" in none.err


def test_show(cli, kept):
    ran = cli("graph", "show", "ledger", "--data", kept)
    assert ran.out.startswith("ledger [SERVICE]\n")
    assert "Named in 1 passage of 1 document.\n" in ran.out
    assert "\nUpstream:\nledger [SERVICE]\n" in ran.out
    assert "─ ←USES: checkout [SERVICE]\n" in ran.out
    assert "│  ├─ ←USES: mailer [SERVICE]\n" in ran.out
    assert "\nDownstream:\nledger [SERVICE]\n└─ USES: PostgreSQL" in ran.out
    assert "checkout --[USES]--> ledger\n  system.md\n" in ran.out
    down = cli("graph", "show", "ledger", "--downstream", "--data", kept).out
    assert "PostgreSQL" in down
    assert "checkout" not in down
    flat = cli("graph", "show", "mailer", "--downstream", "--depth", "1", "--data", kept).out
    assert "checkout" in flat
    assert "… 1 more" in flat
    assert "PostgreSQL" not in flat
    said = cli("graph", "show", "ledger", "--upstream", "--data", kept, "--json").json
    assert (said["entity"]["name"], said["upstream"]["name"]) == ("ledger", "ledger")
    assert "downstream" not in said
    assert said["total"] == len(said["relations"]) > 1


def test_what_is_not_there(cli, kept):
    for arguments in (["show", "ledgerr"], ["relations", "ledgerr"], ["path", "ledgerr", "mailer"]):
        ran = cli("graph", *arguments, "--data", kept, "--json")
        said = orjson.loads(ran.err)
        assert (ran.code, said["code"]) == (9, "entity_not_found")
        assert "ledger" in said["fix"]
    assert cli("graph", "show", "ledger", "--depth", "0", "--data", kept).code == 2


def test_relations(cli, kept):
    both = cli("graph", "relations", "checkout", "--data", kept, "--json").json
    triples = {(each["source"], each["type"], each["target"]) for each in both["relations"]}
    assert triples == {
        ("checkout", "USES", "ledger"), ("mailer", "USES", "checkout"), ("Team Blue", "OWNS", "checkout")
    }  # fmt: skip
    out = cli("graph", "relations", "checkout", "--direction", "out", "--data", kept).out
    assert out == "checkout --[USES]--> ledger\n  system.md\n"
    assert "is related to others" in cli("graph", "relations", "PostgreSQL", "--direction", "out", "--data", kept).err
    cut = cli("graph", "relations", "checkout", "--limit", "1", "--data", kept)
    assert "… and 2 more relations" in cut.err


def test_an_ambiguous_name(cli, kept):
    assert "may also mean: Team" in cli("graph", "relations", "team", "--data", kept).err


def test_path(cli, kept):
    ran = cli("graph", "path", "mailer", "postgresql", "--data", kept)
    assert ran.out.splitlines()[::2] == [
        "mailer --[USES]--> checkout",
        "checkout --[USES]--> ledger",
        "ledger --[USES]--> PostgreSQL",
    ]
    short = cli("graph", "path", "mailer", "postgresql", "--max-depth", "2", "--data", kept)
    assert (short.code, short.out) == (0, "")
    assert "--any-direction" in short.err
    back = cli("graph", "path", "postgresql", "mailer", "--any-direction", "--data", kept, "--json").json
    assert len(back["relations"]) == 3
    assert "are the same" in cli("graph", "path", "ledger", "ledgers", "--data", kept).err


def test_stats_and_schema(cli, kept):
    counts = cli("graph", "stats", "--data", kept, "--json").json
    assert (counts["documents"], counts["relations"]) == (1, 6)
    assert cli("graph", "--data", kept).out == cli("graph", "stats", "--data", kept).out
    rows = [line.split() for line in cli("graph", "stats", "--data", kept).out.splitlines()]
    assert ["USES", "3"] in rows
    assert "CONSUMES" in cli("graph", "schema", "--data", kept).out
    assert cli("graph", "schema", "--data", kept, "--json").json["flows"] == {"CONSUMES": "backward"}


def test_an_empty_graph(cli, tmp_path):
    for command in ("stats", "entities"):
        ran = cli("graph", command, "--data", tmp_path / "empty")
        assert (ran.code, ran.out) == (0, "")
        assert "knowgate ingest FOLDER" in ran.err
    assert cli("graph", "show", "x", "--data", tmp_path / "empty").code == 9
    assert cli("graph", "export", "--data", tmp_path / "empty").out == "flowchart LR\n"


def test_names(cli, data):
    merged = cli("graph", "merge", "mailer", "--into", "checkout", "--data", data, "--json").json["entity"]
    assert (merged["name"], merged["aliases"]) == ("checkout", ["mailer"])
    renamed = cli("graph", "rename", "ledger", "Books", "--data", data)
    assert renamed.out.startswith("Books [SERVICE]\n")
    assert "Also: ledger\n" in renamed.out
    cli("graph", "alias", "Books", "general accounts", "--data", data)
    assert cli("graph", "show", "general accounts", "--data", data).out.startswith("Books [SERVICE]\n")
    assert cli("graph", "forget", "general accounts", "--data", data).out
    assert cli("graph", "show", "general accounts", "--data", data).code == 9
    again = cli("graph", "forget", "general accounts", "--data", data)
    assert (again.code, again.out) == (0, "")
    assert cli("graph", "alias", "Books", " ", "--data", data).code == 2
    assert cli("graph", "merge", "zebra", "--into", "Books", "--data", data).code == 9


@pytest.mark.parametrize(
    "name", ["graph.html", "graph.mmd", "graph.gv", "graph.graphml", "graph.jsonld", "graph.jsonl"]
)
def test_export_to_a_file(cli, kept, tmp_path, name):
    ran = cli("graph", "export", "-o", tmp_path / name, "--data", kept)
    assert ran.out == f"{tmp_path / name}\n"
    assert "6 relations" in ran.err
    text = (tmp_path / name).read_bytes()
    assert b"checkout" in text
    assert b"PostgreSQL" in text


def test_export_to_a_folder(cli, kept, tmp_path):
    said = cli("graph", "export", "--format", "csv", "-o", tmp_path / "new" / "tables", "--data", kept, "--json").json
    assert [Path(file).name for file in said["files"]] == ["entities.csv", "relations.csv"]
    with Path(said["files"][1]).open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == said["relations"] == 6
    assert b"\r\r" not in Path(said["files"][0]).read_bytes()


def test_export_to_stdout(cli, kept):
    assert cli("graph", "export", "--data", kept).out.startswith("flowchart LR\n")
    assert cli("graph", "export", "--format", "dot", "-o", "-", "--data", kept).out.startswith("digraph")
    assert "@graph" in cli("graph", "export", "--data", kept, "--json").json
    refused = cli("graph", "export", "--format", "csv", "--data", kept, "--json")
    assert orjson.loads(refused.err)["code"] == "folder_missing"


def test_export_to_where_nothing_can_be_written(cli, kept, tmp_path):
    ran = cli("graph", "export", "-o", tmp_path / "nowhere" / "graph.html", "--data", kept, "--json")
    assert orjson.loads(ran.err)["code"] == "cannot_write"
    assert cli("graph", "export", "-o", tmp_path / "graph.pdf", "--data", kept).code == 2


def test_every_format_can_be_drawn_and_most_guessed():
    entities, relations = [Entity("a", "T"), Entity("b", "T")], [Relation("a", "b", "USES")]
    for each in FormatName:
        texts = draw(each, entities, relations)
        assert all("a" in text for text in texts.values())
        assert guess_format(f"x.{each}") is each
    with pytest.raises(InputError):
        guess_format("graph")
