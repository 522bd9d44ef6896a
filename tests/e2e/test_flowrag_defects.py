"""What went wrong in the original, each once: tests are named after the numbers of its list of defects."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.serving import knowgate

from knowgate import Engine
from knowgate.config.flowrag import as_settings, read_flowrag
from knowgate.config.load import load
from knowgate.config.settings import Embedder, Schema
from knowgate.errors import ConflictError, InputError

OpenEngine = Callable[..., Engine]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def names(engine: Engine) -> set[str]:
    return {each.name for each in engine.entities(limit=1000).entities}


def test_1_the_best_passage_comes_first_in_every_mode(docs: Path, open_engine: OpenEngine) -> None:
    write(
        docs,
        bread="# Bread\n\nThe Oven service bakes sourdough bread every morning.",
        ships="# Ships\n\nThe Harbour service counts container ships.",
        stars="# Stars\n\nThe Observatory service photographs distant galaxies.",
        taxes="# Taxes\n\nThe Ledger service files the yearly tax return.",
    )
    engine = open_engine()
    engine.ingest([docs])
    for mode in ("hybrid", "naive", "local", "global", "keyword"):
        hits = engine.search("Which Oven service bakes sourdough bread?", mode=mode, limit=4).hits
        assert hits[0].document.name == "bread.md", mode
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True), mode


def test_2_the_first_start_needs_no_data_folder(tmp_path: Path, docs: Path) -> None:
    write(docs, a="The Ledger service calls the Quill service.")
    data = tmp_path / "not there yet"
    assert "Quill" in knowgate("ingest", str(docs), data=data) + knowgate("graph", "show", "Ledger", data=data)


def test_3_thousands_of_entities_are_no_trouble(docs: Path, open_engine: OpenEngine) -> None:
    rows = "\n".join(f"| svc-{number:04} | db-{number:04} |" for number in range(2000))
    write(docs, a=f"| service | database |\n|---|---|\n{rows}\n", b="The Ledger service calls the Quill service.")
    engine = open_engine()
    engine.ingest([docs])
    assert engine.graph_stats().entities > 2000
    engine.ingest([docs], force=True)
    engine.delete("a.md")
    assert names(engine) == {"Ledger", "Quill"}


def test_4_a_name_may_have_an_apostrophe(docs: Path, open_engine: OpenEngine) -> None:
    write(docs, a="| service | description |\n|---|---|\n| Zoë's ledger | it's hers; DROP TABLE |\n")
    engine = open_engine()
    assert engine.ingest([docs]).status == "completed"
    [found] = [each for each in engine.entities(limit=100).entities if "ledger" in each.name]
    assert engine.relations(found.name).entity == found
    assert engine.ingest([docs], force=True).status == "completed"


def test_5_a_deleted_file_goes_and_the_folder_beside_stays(
    docs: Path, open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = docs.with_name("docs-old")
    beside.mkdir()
    write(docs, a="The Ledger service calls the Quill service.", b="The Oven service.")
    write(beside, c="The Harbour service calls the Crane service.")
    monkeypatch.chdir(docs.parent)
    engine = open_engine()
    engine.ingest(["./docs", "docs-old"])
    (docs / "a.md").unlink()
    engine.ingest(["./docs"])
    assert {each.name for each in engine.documents().documents} == {"b.md", "c.md"}
    assert not {"Ledger", "Quill"} & names(engine)
    assert {"Harbour", "Crane"} <= names(engine)


def test_6_a_shorter_document_loses_its_tail(docs: Path, open_engine: OpenEngine) -> None:
    long = "\n\n".join(
        f"# Part {number}\n\nThe Widget{number} service. " + "Words follow. " * 200 for number in range(9)
    )
    write(docs, a=long)
    engine = open_engine()
    engine.ingest([docs])
    before = engine.stats().chunks
    assert "Widget8" in names(engine)
    write(docs, a="The Widget1 service.")
    engine.ingest([docs])
    assert engine.stats().chunks == 1 < before
    assert names(engine) == {"Widget1"}
    assert not engine.search('"Part 8"').hits


def test_7_what_two_documents_say_outlives_one(docs: Path, open_engine: OpenEngine) -> None:
    said = "The Ledger service calls the Quill service."
    write(docs, a=said, b=said)
    engine = open_engine()
    engine.ingest([docs])
    [relation] = engine.relations("Ledger").relations
    assert {each.document for each in relation.passages} == {"a.md", "b.md"}
    engine.delete("a.md")
    [relation] = engine.relations("Ledger").relations
    assert [each.document for each in relation.passages] == ["b.md"]


def test_8_a_file_that_cannot_be_read_for_once_is_kept(docs: Path, open_engine: OpenEngine) -> None:
    write(docs, a="The Ledger service calls the Quill service.", b="The Oven service.")
    engine = open_engine()
    engine.ingest([docs])
    (docs / "a.md").write_bytes(b"%PDF-1.7 cut off")
    task = engine.ingest([docs])
    assert task.failed == 1
    assert {"Ledger", "Quill", "Oven"} <= names(engine)


def test_9_a_changed_schema_reaches_what_is_indexed(docs: Path, open_engine: OpenEngine) -> None:
    write(docs, a="The Ledger service calls the Quill service.")
    open_engine().ingest([docs])
    changed = open_engine(schema=Schema(entity_types=("COMPONENT", "OTHER"), relation_types=("INVOKES",)))
    assert {each.type for each in changed.entities().entities} == {"SERVICE"}
    vectors = changed.stats().vectors
    changed.ingest([docs], force=True)
    assert {each.type for each in changed.entities().entities} == {"COMPONENT"}
    assert [each.type for each in changed.relations("Ledger").relations] == ["INVOKES"]
    assert changed.stats().vectors == vectors


def test_10_another_embedder_is_told_of_and_mended(docs: Path, open_engine: OpenEngine, embedding_server: str) -> None:
    write(docs, a="The Ledger service calls the Quill service.")
    open_engine(docs=(docs,)).ingest([docs])
    other = Embedder(provider="openai", model="four", base_url=embedding_server, api_key=SecretStr("k"), dimension=4)
    engine = open_engine(embedder=other, docs=(docs,))
    assert "embedder changed" in " ".join(engine.graph_stats().warnings)
    found = engine.search("Ledger")
    assert found.hits
    assert "reembed" in " ".join(found.warnings)
    with pytest.raises(ConflictError, match="was made with the embedder"):
        engine.search("Ledger", mode="naive")
    engine.reembed()
    assert engine.search("Ledger", mode="naive").hits
    assert engine.search("Ledger").warnings == ()


def test_11_a_namespace_does_not_cut_the_graph(docs: Path, tmp_path: Path, open_engine: OpenEngine) -> None:
    (tmp_path / "flowrag.config.json").write_text('{"docs": "./docs", "namespace": "acme"}', encoding="utf-8")
    settings, warnings = as_settings(read_flowrag(None, {}, tmp_path))
    assert re.search("namespace is not used.*--data", " ".join(warnings))
    write(docs, a="The Ledger service calls the Quill service. The Quill service calls the Inkwell service.")
    engine = open_engine(docs=settings["docs"])
    engine.run(engine.index().id)
    assert len(engine.path("Ledger", "Inkwell").relations or ()) == 2
    assert engine.trace("Ledger", direction="downstream").tree.steps[0].name == "Quill"


def test_12_a_path_is_the_shortest(docs: Path, open_engine: OpenEngine) -> None:
    arrows = ["A-svc --> B-svc", "B-svc --> C-svc", "C-svc --> D-svc", "D-svc --> F-svc", "A-svc --> F-svc"]
    write(docs, a="```mermaid\ngraph LR\n  " + "\n  ".join(arrows) + "\n```\n")
    engine = open_engine()
    engine.ingest([docs])
    assert len(engine.path("A-svc", "F-svc").relations or ()) == 1
    assert len(engine.path("A-svc", "D-svc", max_depth=3).relations or ()) == 3
    assert engine.path("A-svc", "D-svc", max_depth=2).relations is None
    assert engine.path("A-svc", "A-svc").relations == ()


def test_13_paths_may_be_very_long(docs: Path, open_engine: OpenEngine) -> None:
    folder = docs
    for _ in range(8):
        folder = folder / ("long:" * 20 if re.match("/", str(docs)) else "long" * 20)
    folder.mkdir(parents=True)
    write(folder, a="The Ledger service calls the Quill service.")
    engine = open_engine()
    assert engine.ingest([docs]).status == "completed"
    assert {"Ledger", "Quill"} <= names(engine)


def test_14_a_limit_may_be_large(docs: Path, open_engine: OpenEngine) -> None:
    write(docs, a="\n\n".join(f"# Part {number}\n\nThe Ledger service, part {number}." for number in range(30)))
    engine = open_engine()
    engine.ingest([docs])
    for mode in ("naive", "local", "hybrid"):
        assert len(engine.search("Ledger", mode=mode, limit=1000).hits) == engine.stats().chunks


def test_15_an_unset_token_opens_no_door(tmp_path: Path) -> None:
    config = tmp_path / "flowrag.config.json"
    config.write_text('{"transport": "http", "auth": {"token": "${NOT_SET_ANYWHERE}"}}', encoding="utf-8")
    with pytest.raises(InputError, match=r"flowrag\.config\.json:1: auth\.token: .*NOT_SET_ANYWHERE"):
        read_flowrag(None, {}, tmp_path)


def test_16_no_key_is_needed_and_none_is_asked_for(docs: Path, tmp_path: Path) -> None:
    write(docs, a="The Ledger service calls the Quill service.")
    config = tmp_path / "flowrag.config.json"
    config.write_text('{"docs": "./docs", "data": "./data", "extractor": {"provider": "gemini"}}', encoding="utf-8")
    settings, _ = as_settings(read_flowrag(None, {}, tmp_path))
    loaded = load(flags=settings, environ={}, cwd=tmp_path).settings
    with Engine(loaded) as engine:
        engine.run(engine.index().id)
        assert {"Ledger", "Quill"} <= names(engine)
