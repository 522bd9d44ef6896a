from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import StorageError
from knowgate.knowledge.graph import meta
from knowgate.knowledge.graph.meta import Maker, Meta

META = Meta(Maker("local"), Maker("gemini", "gemini-3-flash-preview"), ("SERVICE", "DB"), ("USES",), 1767614400.5, 7)


def test_the_file_has_six_fields(tmp_path: Path):
    meta.write(tmp_path / "new", META)
    text = (tmp_path / "new" / "flowrag.meta.json").read_text(encoding="utf-8")
    assert json.loads(text) == {
        "configHash": META.config_hash,
        "embedder": {"provider": "local"},
        "extractor": {"provider": "gemini", "model": "gemini-3-flash-preview"},
        "schema": {"entityTypes": ["SERVICE", "DB"], "relationTypes": ["USES"]},
        "lastIndexedAt": "2026-01-05T12:00:00.500Z",
        "documentCount": 7,
    }
    assert text == json.dumps(json.loads(text), indent=2)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["flowrag.meta.json"]


def test_what_is_written_is_read(tmp_path: Path):
    assert meta.read(tmp_path) is None
    for each in (META, replace(META, documents=8)):
        meta.write(tmp_path, each)
        assert meta.read(tmp_path) == each


def test_the_hash_of_the_defaults():
    # What JavaScript computes for FlowRAG's defaults.
    entity_types = ("SERVICE", "DATABASE", "PROTOCOL", "TEAM", "CONCEPT")
    relation_types = ("USES", "PRODUCES", "CONSUMES", "OWNS", "DEPENDS_ON")
    assert Meta(Maker("local"), Maker("gemini"), entity_types, relation_types, 0, 0).config_hash == "cc0d1a0e"


def test_the_hash_is_the_one_javascript_computes():
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    odd = replace(META, entity_types=('Größe "x" \\ \n \x7f \x1f \u2028 😀 /', "<b>"), embedder=Maker("openai", "é"))
    program = (
        "const {embedder, extractor, schema} = JSON.parse(process.argv[1]);"
        "const text = JSON.stringify({embedder, extractor, schema});"
        "console.log(require('crypto').createHash('sha256').update(text).digest('hex').slice(0, 8))"
    )
    run = subprocess.run(["node", "-e", program, json.dumps(odd.as_json())], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == odd.config_hash


@given(st.lists(st.text(min_size=1), min_size=1), st.integers(0, 4_000_000_000_000))
def test_time_and_count_do_not_change_the_hash(types: list[str], at: int):
    one = replace(META, entity_types=tuple(types))
    assert replace(one, indexed_at=at / 1000, documents=at).config_hash == one.config_hash
    assert replace(one, entity_types=(*types, "MORE")).config_hash != one.config_hash


@pytest.mark.parametrize("text", ["", "{}", "[1]", "{" * 100, '{"embedder": 1}', "[" * 100_000])
def test_a_damaged_file_is_told(tmp_path: Path, text: str):
    (tmp_path / "flowrag.meta.json").write_text(text, encoding="utf-8")
    with pytest.raises(StorageError) as caught:
        meta.read(tmp_path)
    assert caught.value.code == "bad_meta"
    assert "force" in caught.value.fix


@pytest.mark.parametrize(
    ("new", "kinds", "said"),
    [
        (META, [], ""),
        (replace(META, entity_types=("DB", "SERVICE"), documents=9), [], ""),
        (replace(META, embedder=Maker("gemini")), ["breaking"], "from local (its usual model) to gemini"),
        (replace(META, embedder=Maker("local", "e5")), ["breaking"], "to local (e5)"),
        (replace(META, entity_types=("DB", "TEAM")), ["minor"], "(entity types: +TEAM -SERVICE)"),
        (replace(META, relation_types=("USES", "OWNS")), ["minor"], "(relation types: +OWNS)"),
        (replace(META, extractor=Maker("openai")), ["minor"], "to openai (its usual model)"),
        (
            Meta(Maker("a"), Maker("b"), ("C",), ("D",), 0, 0),
            ["breaking", "minor", "minor"],
            "entity types: +C -DB -SERVICE; relation types: +D -USES",
        ),
    ],
)
def test_changes(new: Meta, kinds: list[str], said: str):
    found = meta.changes(META, new)
    assert [change.kind for change in found] == kinds
    assert said in " ".join(change.sentence for change in found)
    assert all(re.search("Index again|knowgate reembed", change.sentence) for change in found)
