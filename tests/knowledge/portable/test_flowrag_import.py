from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.knowledge.portable.test_flowrag import Folder, fill

from knowgate.knowledge.extract.names import key
from knowgate.knowledge.parse import parse
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.portable.flowrag_import import FlowragReport, Making, absolute, find_root, import_flowrag
from knowgate.knowledge.sources import document_id
from knowgate.model import DEFAULT_SCHEMA, Document
from knowgate.store.port import Batch, DocumentWrite, Store
from knowgate.store.sqlite.store import SqliteStore

MAKING = Making(
    parse=lambda content, name: parse(content, name, ParseOptions()),
    count=lambda text: len(text.split()),
    chunk_tokens=32,
    schema=DEFAULT_SCHEMA,
    owner="ann",
)


@pytest.fixture
def store(new_store: Callable[..., SqliteStore]) -> SqliteStore:
    return new_store()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "flowrag" / "data")


def brought(store: Store, folder: Folder, **changes: str) -> FlowragReport:
    return import_flowrag(store, folder.path, MAKING, **changes)


def named(store: Store, document: Document) -> set[tuple[str, int, str]]:
    return {(each.name, each.ordinal, each.type) for each in store.facts(document.id).mentions}


def test_documents_with_their_graph(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    seen: list[tuple[int, int]] = []
    report = import_flowrag(store, folder.path, MAKING, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
    assert (report.added, report.replaced, report.unchanged, report.damages) == (2, 0, 0, ())
    assert (report.entities, report.relations, report.without_fields) == (3, 2, 1)
    assert report.other_types == ("TOPIC",)
    orders, mail = store.scan_documents()
    assert (orders.name, mail.name) == ("orders.md", "sub/mail.md")
    assert orders.source == str(folder.path.parent.resolve() / "content" / "orders.md")
    assert (orders.id, orders.owner, orders.fields) == (document_id(orders.source), "ann", {"team": "blue"})
    assert [chunk.text for chunk in store.document_chunks(orders.id)] == ["Orders use Kafka. Kafka is fast."]
    assert {("Orders", 0, "SERVICE"), ("Kafka", 0, "TOPIC")} <= named(store, orders)
    facts = store.facts(mail.id)
    box = next(each for each in facts.mentions if each.name == "Mail's box")
    assert (box.description, box.confidence) == ("About Mail's box.", 0.8)
    link = next(each for each in facts.links if each.type == "CONSUMES")
    assert (link.source, link.target, link.description) == (key("Mail's box"), key("Kafka"), "key word")
    assert store.stats().pending == 2


def test_facts_are_put_where_our_passages_name_them(store: SqliteStore, folder: Folder) -> None:
    first, second = "The gate guards all doors. " * 8, "Ledgers are kept by Nobody. " * 8
    text = f"# One\n\n{first}\n\n# Two\n\n{second}"
    chunk = folder.document("a.md", text, text)
    folder.entity("gate", f"{chunk}:0", type="service")
    folder.entity("Nobody", f"{chunk}:0")
    folder.entity("unsaid", f"{chunk}:0")
    folder.relation("Nobody", "OWNS", "unsaid", f"{chunk}:0")
    brought(store, folder)
    [document] = store.scan_documents()
    passages = store.document_chunks(document.id)
    assert len(passages) > 2
    of = {name: {ordinal for said, ordinal, _ in named(store, document) if said == name} for name in ("gate", "Nobody")}
    assert of["gate"] == {each.ordinal for each in passages if "gate" in each.text}
    assert of["Nobody"] == {each.ordinal for each in passages if "Nobody" in each.text}
    assert ("gate", 0, "SERVICE") in named(store, document)
    # What no passage names in so many words stands at the beginning of the piece.
    assert ("unsaid", 0, "SERVICE") in named(store, document)
    assert [each.ordinal for each in store.facts(document.id).links if each.target == key("unsaid")] == [0]


def test_a_piece_is_looked_for_in_its_own_part(store: SqliteStore, folder: Folder) -> None:
    first, second = "Doors are shut by a hinge at night. " * 6, "Doors are open on a hinge all day. " * 6
    chunk = folder.document("a.txt", f"{first}\n\n{second}", first.strip(), second.strip())
    folder.entity("hinge", f"{chunk}:1")
    brought(store, folder)
    [document] = store.scan_documents()
    passages = {each.ordinal: each.text for each in store.document_chunks(document.id)}
    found = {ordinal for name, ordinal, _ in named(store, document) if name == "hinge"}
    assert found == {ordinal for ordinal, text in passages.items() if "open on a hinge" in text}


def test_a_reader_that_changes_the_text(store: SqliteStore, folder: Folder) -> None:
    page = "<html><body><h1>Parts</h1><p>The gate asks the ledger.</p></body></html>"
    chunk = folder.document("a.html", page)
    folder.entity("gate", f"{chunk}:0")
    assert brought(store, folder).added == 1
    [document] = store.scan_documents()
    assert (document.type, document.title) == ("html", "Parts")
    assert ("gate", 0, "SERVICE") in named(store, document)


def test_a_second_import_changes_nothing(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    brought(store, folder)
    before = store.scan_documents(), [store.facts(each.id) for each in store.scan_documents()]
    report = brought(store, folder)
    assert (report.added, report.replaced, report.unchanged) == (0, 0, 2)
    assert (store.scan_documents(), [store.facts(each.id) for each in store.scan_documents()]) == before


def test_what_flowrag_has_learned_since_is_taken_over(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    brought(store, folder)
    folder.execute("UPDATE entities SET description = 'Takes orders.' WHERE name = 'Orders'")
    report = brought(store, folder)
    assert (report.added, report.replaced, report.unchanged) == (0, 1, 1)
    orders = store.scan_documents()[0]
    assert "Takes orders." in {each.description for each in store.facts(orders.id).mentions}


def test_what_was_ingested_from_its_file_stays(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    source = str(folder.path.parent.resolve() / "content" / "orders.md")
    mine = Document(document_id(source), "o.md", source, "markdown", "", "O", "", "2/250/plain", 9, "", 0.0, 0.0)
    store.apply(Batch(documents=[DocumentWrite(mine, [])]))
    report = brought(store, folder)
    assert (report.added, report.kept) == (1, 1)
    assert store.documents([mine.id]) == {mine.id: mine}


def test_files_that_are_still_there_are_named(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    there = folder.path.parent / "content" / "orders.md"
    there.parent.mkdir()
    there.write_text("Orders.", encoding="utf-8")
    assert brought(store, folder).files == (str(there.resolve()),)


def test_pieces_stand_for_a_text_that_is_lost(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    next(path for path in (folder.path / "kv").glob("doc_*") if b"orders.md" in path.read_bytes()).unlink()
    report = brought(store, folder)
    assert [each.reason for each in report.damages] == ["The document itself is missing; its passages are there."]
    orders = store.scan_documents()[0]
    assert store.document_chunks(orders.id)[0].text == "Orders use Kafka.\n\nKafka is fast."
    assert ("Orders", 0, "SERVICE") in named(store, orders)


def test_damage_costs_only_itself(store: SqliteStore, folder: Folder) -> None:
    fill(folder)
    folder.document("content/empty.md", " ")
    folder.document("./content/orders.md", "The same file, spelled in another way.")
    folder.put("chunk:doc:bm93aGVyZS5tZA:0", {"content": None})
    report = brought(store, folder)
    assert report.added == 2
    places = {each.place for each in report.damages}
    assert {"content/empty.md", "content/orders.md", "nowhere.md"} <= places


def test_a_namespace(store: SqliteStore, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data", "acme")
    fill(folder)
    assert brought(store, folder, namespace="acme").added == 2


def test_where_flowrag_ran(tmp_path: Path) -> None:
    data = tmp_path / "var" / "flowrag"
    data.mkdir(parents=True)
    assert find_root(data, ["content/a.md"]) == data.resolve().parent
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "a.md").touch()
    assert find_root(data, ["gone.md", "content\\a.md"]) == tmp_path.resolve()


def test_one_file_has_one_spelling(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    spellings = ["content/a.md", "./content/a.md", "content\\a.md", "x/../content/a.md", str(root / "content" / "a.md")]
    assert {absolute(root, each) for each in spellings} == {str(root / "content" / "a.md")}
    elsewhere = "/srv/a.md" if os.name == "nt" else "C:\\docs\\a.md"
    assert absolute(root, elsewhere) == elsewhere
