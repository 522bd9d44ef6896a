from __future__ import annotations

import orjson
import pytest

from knowgate.cli.documents import kept_in
from knowgate.config.settings import Settings, Store
from knowgate.engine import Engine


def test_a_table(cli, shop_data):
    heading, first, *_ = cli("documents", "--data", shop_data).out.splitlines()
    assert heading.split() == ["name", "type", "passages", "size", "modified", "vectors"]
    assert first.split()[:2] == ["architecture.md", "markdown"]
    assert first.split()[-1] == "yes"


def test_names_page_by_page(cli, shop_data):
    everything = [document["name"] for document in cli("documents", "--data", shop_data, "--json").json["documents"]]
    seen: list[str] = []
    cursor = ""
    while True:
        page = cli("documents", "--limit", "7", "--cursor", cursor, "--data", shop_data, "--json").json
        seen += [document["name"] for document in page["documents"]]
        cursor = page["cursor"]
        if not cursor:
            break
    assert seen == everything
    assert len(seen) == 20


@pytest.mark.parametrize(("query", "count"), [("services/", 5), ("*.csv", 2), ("nothing", 0)])
def test_by_name(cli, shop_data, query, count):
    assert len(cli("documents", query, "--data", shop_data, "--json").json["documents"]) == count


def test_missing_vectors_are_told(cli, docs, tmp_path, open_engine):
    engine: Engine = open_engine()
    engine.ingest([docs / "guides"])
    waiting = engine.submit([docs / "refunds.md"])
    # Read, but not yet embedded: what a process leaves that dies in between.
    from knowgate.knowledge.ingest import Progress

    def die(seen: Progress) -> None:
        if seen.stage == "reading" and seen.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.run(waiting.id, die)
    ran = cli("documents", "--data", tmp_path / "data", "--json")
    assert {document["name"]: document["vectors"] for document in ran.json["documents"]} == {
        "parcels.md": True,
        "refunds.md": False,
    }
    assert "pending" in cli("documents", "--data", tmp_path / "data").out
    assert " reembed" in cli("stats", "--data", tmp_path / "data").err


def test_show(cli, shop_data):
    ran = cli("show", "ledger.md", "--data", shop_data)
    assert "document  services/ledger.md" in ran.out
    assert "[1] Ledger" in ran.out
    assert "Only the payments service writes to the ledger." in ran.out


def test_delete(cli, indexed):
    ran = cli("delete", "--yes", "faq.html", "services/ledger.md", "faq.html", "--data", indexed)
    assert [line.split(" (")[0] for line in ran.out.splitlines()] == ["Deleted faq.html", "Deleted services/ledger.md"]
    assert cli("stats", "--data", indexed, "--json").json["documents"] == 18
    again = cli("delete", "--yes", "faq.html", "--data", indexed, "--json")
    assert (again.code, orjson.loads(again.err)["code"]) == (9, "document_not_found")


def test_nothing_is_deleted_when_nobody_can_be_asked(cli, indexed):
    ran = cli("delete", "faq.html", "--data", indexed)
    assert (ran.code, "--yes" in ran.err) == (3, True)
    assert cli("stats", "--data", indexed, "--json").json["documents"] == 20


def test_one_wrong_name_deletes_nothing(cli, indexed):
    assert cli("delete", "--yes", "faq.html", "nothing.md", "--data", indexed).code == 9
    assert cli("stats", "--data", indexed, "--json").json["documents"] == 20


def test_a_name_of_several_documents_lists_them(cli, docs, tmp_path):
    (docs / "guides" / "refunds.md").write_text("Another text of the same name.\n")
    data = tmp_path / "data"
    cli("ingest", docs / "refunds.md", docs / "guides" / "refunds.md", "--data", data)
    ran = cli("delete", "--yes", "refunds.md", "--data", data)
    assert ran.code == 8
    assert str(docs / "guides" / "refunds.md") in ran.err
    assert cli("delete", "--yes", docs / "guides" / "refunds.md", "--data", data).code == 0


def test_stats(cli, shop_data):
    counts = cli("stats", "--data", shop_data, "--json").json
    assert (counts["documents"], counts["pending"]) == (20, 0)
    assert counts["chunks"] == counts["vectors"] > 20
    assert counts["by_type"]["markdown"] == 12
    assert counts["embedder"]["provider"] == "minilm"


@pytest.mark.embedded
def test_stats_name_the_data_folder_and_its_size(cli, shop_data):
    assert cli("stats", "--data", shop_data, "--json").json["disk_bytes"] > 0
    assert str(shop_data) in cli("stats", "--data", shop_data).out


def test_stats_of_a_cluster_name_it_and_measure_no_folder(tmp_path):
    (tmp_path / "settings.toml").write_text("")
    store = Store(provider="opensearch", url=("http://a:1", "http://b:2"), prefix="kb")
    told, rows = kept_in(Settings(data=tmp_path, store=store))
    assert told == {"data": tmp_path, "cluster": ("http://a:1", "http://b:2"), "prefix": "kb"}
    assert rows == [("cluster", "http://a:1, http://b:2"), ("indexes", "kb-*"), ("data folder", str(tmp_path))]
