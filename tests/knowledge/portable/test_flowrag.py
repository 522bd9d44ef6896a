from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from base64 import urlsafe_b64encode
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from knowgate.errors import InputError
from knowgate.knowledge.portable.flowrag import Damage, FlowragDocument, read_folder

TABLES = """
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, description TEXT NOT NULL,
  source_chunk_ids TEXT NOT NULL, fields TEXT);
CREATE TABLE relations (id TEXT PRIMARY KEY, source_id TEXT NOT NULL, target_id TEXT NOT NULL, type TEXT NOT NULL,
  description TEXT NOT NULL, keywords TEXT NOT NULL, source_chunk_ids TEXT NOT NULL, fields TEXT,
  FOREIGN KEY (source_id) REFERENCES entities (id), FOREIGN KEY (target_id) REFERENCES entities (id));
"""


class Folder:
    """A data folder as FlowRAG writes it; `colons` as its first versions did."""

    def __init__(self, path: Path, namespace: str = "", colons: bool = False) -> None:
        self.path = path
        self.prefix = f"{namespace}:" if namespace else ""
        self.colons = colons
        (path / "kv").mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path / "graph.db")) as connection:
            connection.executescript(TABLES.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))

    def file(self, key: str) -> Path:
        name = (self.prefix + key).replace("/", "_").replace("\\", "_")
        return self.path / "kv" / f"{name if self.colons else name.replace(':', '_')}.json"

    def put(self, key: str, value: Any) -> None:
        self.file(key).write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")

    def document(self, path: str, text: str, *chunks: str, **metadata: Any) -> str:
        id = "doc:" + urlsafe_b64encode(path.encode()).decode().rstrip("=")
        about = {**metadata, "path": path, "extension": ".md", "scannedAt": "2026-01-05T12:00:00.000Z"}
        self.put(id, {"id": id, "content": text, "metadata": about})
        self.put(f"docHash:{id}", hashlib.sha256(text.encode()).hexdigest())
        for index, chunk in enumerate(chunks or (text,)):
            value = {"id": f"chunk:{id}:{index}", "content": chunk, "documentId": id, "startToken": 0, "endToken": 9}
            self.put(f"chunk:{id}:{index}", value)
        return f"chunk:{id}"

    def extraction(self, chunk: str, names: list[str], triples: list[tuple[str, str, str]]) -> None:
        value = {
            "entities": [{"name": name, "type": "T", "description": ""} for name in names],
            "relations": [
                {"source": a, "type": b, "target": c, "description": "", "keywords": []} for a, b, c in triples
            ],
        }
        self.put(f"extraction:{hashlib.sha256(chunk.encode()).hexdigest()[:16]}", value)

    def execute(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.path / "graph.db")) as connection, connection:
            connection.execute(statement, values)

    def entity(self, name: str, *chunks: str, type: str = "SERVICE", fields: Any = None) -> None:
        ids = json.dumps([self.prefix + chunk for chunk in chunks])
        stored = json.dumps(fields) if fields else None
        values = (self.prefix + name, name, type, f"About {name}.", ids, stored)
        self.execute("INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?, ?, ?)", *values)

    def relation(self, source: str, type: str, target: str, *chunks: str) -> None:
        ids = json.dumps([self.prefix + chunk for chunk in chunks])
        ends = (self.prefix + source, self.prefix + target)
        values = (f"{self.prefix}{source}-{type}-{target}", *ends, type, "", '["key word"]', ids, None)
        self.execute("INSERT OR REPLACE INTO relations VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *values)

    def read(self, namespace: str = "") -> tuple[list[FlowragDocument], list[Damage]]:
        damages: list[Damage] = []
        return list(read_folder(self.path, damages.append, namespace)), damages


def names(document: FlowragDocument) -> dict[str, tuple[int, ...]]:
    return {entity.row.name: entity.pieces for entity in document.entities}


def fill(folder: Folder) -> None:
    orders = folder.document(
        "content/orders.md", "Orders use Kafka. Kafka is fast.", "Orders use Kafka.", "Kafka is fast.",
        fields={"team": "blue", "tags": ["x"]},
    )  # fmt: skip
    mail = folder.document("content/sub/mail.md", "Mail's box reads Kafka.")
    folder.entity("Orders", f"{orders}:0")
    folder.entity("Mail's box", f"{mail}:0", fields={"status": "live"})
    folder.entity("Kafka", f"{mail}:0", type="TOPIC")  # FlowRAG keeps the last passage only
    folder.relation("Orders", "USES", "Kafka", f"{orders}:0")
    folder.relation("Mail's box", "CONSUMES", "Kafka", f"{mail}:0")
    folder.extraction("Orders use Kafka.", ["Orders", "Kafka", "Gone since"], [("Orders", "USES", "Kafka")])
    folder.extraction("Kafka is fast.", ["Kafka"], [])


@pytest.mark.parametrize(("namespace", "colons"), [("", False), ("", True), ("acme/eu", False), ("acme", True)])
def test_a_whole_folder(tmp_path: Path, namespace: str, colons: bool):
    if colons and os.name == "nt":
        pytest.skip("Windows has no file names with colons")
    folder = Folder(tmp_path, namespace, colons)
    fill(folder)
    (orders, mail), damages = folder.read(namespace)
    assert damages == []
    assert (orders.name, orders.source) == ("orders.md", "content/orders.md")
    assert (mail.name, mail.source) == ("sub/mail.md", "content/sub/mail.md")
    assert orders.text == "Orders use Kafka. Kafka is fast."
    assert [(piece.ordinal, piece.text, piece.start) for piece in orders.pieces] == [
        (0, "Orders use Kafka.", 0),
        (1, "Kafka is fast.", 18),
    ]
    assert orders.fields == {"team": "blue"}
    assert names(mail) == {"Kafka": (0,), "Mail's box": (0,)}
    (consumes,) = mail.relations
    row = consumes.row
    assert (row.source, row.type, row.target, row.keywords) == ("Mail's box", "CONSUMES", "Kafka", ("key word",))
    box = next(entity.row for entity in mail.entities if entity.row.name == "Mail's box")
    assert (box.type, box.description, box.fields) == ("SERVICE", "About Mail's box.", {"status": "live"})


def test_passages_that_flowrag_forgot_are_found_again(tmp_path: Path):
    folder = Folder(tmp_path)
    fill(folder)
    (orders, _), _ = folder.read()
    assert names(orders) == {"Kafka": (0, 1), "Orders": (0,)}


def test_the_ends_of_a_relation_are_named_where_it_is_said(tmp_path: Path):
    folder = Folder(tmp_path)
    here, there = folder.document("a.md", "A uses B."), folder.document("b.md", "About A and B.")
    folder.entity("A", f"{there}:0")
    folder.entity("B", f"{there}:0")
    folder.relation("A", "USES", "B", f"{here}:0")
    (document, _), damages = folder.read()
    assert names(document) == {"A": (0,), "B": (0,)}
    assert damages == []


def test_only_one_namespace_is_read(tmp_path: Path):
    fill(Folder(tmp_path, "acme"))
    other = Folder(tmp_path, "other")
    other.entity("X", other.document("x.md", "X.") + ":0")
    documents, damages = other.read("other")
    assert [document.name for document in documents] == ["x.md"]
    assert damages == []


def test_a_folder_of_namespaces_asks_for_one(tmp_path: Path):
    folder = Folder(tmp_path, "acme")
    fill(folder)
    with pytest.raises(InputError) as caught:
        folder.read()
    assert caught.value.code == "namespace_missing"
    assert "only: acme." in caught.value.message


# Damage


def test_a_passage_of_an_older_version_is_left_out(tmp_path: Path):
    folder = Folder(tmp_path)
    chunk = folder.document("a.md", "New and short.", "New and short.", "The old tail.")
    folder.entity("Tail", f"{chunk}:1")
    folder.relation("Tail", "USES", "Tail", f"{chunk}:1")
    (document,), damages = folder.read()
    assert len(document.pieces) == 1
    assert [damage.reason for damage in damages] == [
        "This passage is of an older version of its document.",
        "No passage that names it is left.",
        "No passage that says so is left.",
    ]


def test_a_character_that_was_cut_in_two(tmp_path: Path):
    folder = Folder(tmp_path)
    folder.document("a.md", "Ein Käse.", "Ein K\ufffd", "\ufffdse.")
    (document,), damages = folder.read()
    assert [piece.start for piece in document.pieces] == [0, 6]
    assert damages == []


def test_a_lost_document_leaves_its_passages(tmp_path: Path):
    folder = Folder(tmp_path)
    fill(folder)
    id = "doc:" + urlsafe_b64encode(b"content/orders.md").decode().rstrip("=")
    folder.file(id).write_text('{"id": "doc', encoding="utf-8")
    (orders, _), damages = folder.read()
    assert (orders.source, orders.text) == ("content/orders.md", None)
    assert [(piece.text, piece.start) for piece in orders.pieces] == [
        ("Orders use Kafka.", None),
        ("Kafka is fast.", None),
    ]
    assert [damage.place for damage in damages] == [folder.file(id).name]
    folder.file(id).unlink()
    (orders, _), damages = folder.read()
    assert orders.text is None
    assert [damage.place for damage in damages] == ["content/orders.md"]


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff\xfe", b'"text"', b'{"content": 1}'])
def test_a_damaged_passage_costs_only_itself(tmp_path: Path, content: bytes):
    folder = Folder(tmp_path)
    fill(folder)
    id = "chunk:doc:" + urlsafe_b64encode(b"content/orders.md").decode().rstrip("=") + ":1"
    folder.file(id).write_bytes(content)
    (orders, mail), _ = folder.read()
    assert [piece.ordinal for piece in orders.pieces] == [0]
    assert names(mail) == {"Kafka": (0,), "Mail's box": (0,)}


def test_damaged_rows_are_told_one_by_one(tmp_path: Path):
    folder = Folder(tmp_path)
    fill(folder)
    folder.execute("INSERT INTO entities VALUES ('Bad', 'Bad', 'T', '', 'no list', NULL)")
    folder.execute("INSERT INTO entities VALUES ('Empty', '', 'T', '', '[]', NULL)")
    folder.execute("INSERT INTO entities VALUES ('Odd', CAST(x'ff' AS TEXT), 'T', '', '[]', '{')")
    folder.execute("INSERT INTO relations VALUES ('r', 'Orders', 'Nobody', 'USES', '', '[]', '[]', NULL)")
    documents, damages = folder.read()
    assert len(documents) == 2
    assert [damage.place for damage in damages] == ["entity Bad", "entity Empty", "entity Odd", "relation r"]
    assert "Nobody" in damages[-1].reason


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00 and then nothing", b"no database at all"])
def test_without_a_graph_the_documents_remain(tmp_path: Path, content: bytes):
    folder = Folder(tmp_path)
    fill(folder)
    (tmp_path / "graph.db").write_bytes(content)
    documents, damages = folder.read()
    assert [document.entities for document in documents] == [(), ()]
    assert {damage.place for damage in damages} == {"graph.db"}
    (tmp_path / "graph.db").unlink()
    assert [damage.reason for damage in folder.read()[1]] == [
        "There is no such file, so there are no entities and relations."
    ]


def test_reading_changes_nothing(tmp_path: Path):
    folder = Folder(tmp_path)
    fill(folder)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    folder.read()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_another_folder_is_refused(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        list(read_folder(tmp_path, lambda _: None))
    assert caught.value.code == "not_flowrag"


def test_names_below_the_common_folder(tmp_path: Path):
    folder = Folder(tmp_path)
    for path in ("C:\\docs\\a.md", "C:\\docs\\b\\c.md"):
        folder.document(path, path)
    assert [document.name for document in folder.read()[0]] == ["a.md", "b/c.md"]
    folder.document("/else/where.md", "x")
    assert [document.name for document in folder.read()[0]] == ["else/where.md", "C:/docs/a.md", "C:/docs/b/c.md"]
