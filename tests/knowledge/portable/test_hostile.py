"""An archive is not trusted: whatever is wrong with it is a typed error, and the store stays as it was."""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.errors import DocumentError, KnowgateError
from knowgate.knowledge.portable import content_digest, import_
from knowgate.store.port import Batch, DocumentWrite
from knowgate.store.sqlite.store import SqliteStore

Members = dict[str, bytes]
JSON_LINES = ("documents.jsonl", "chunks.jsonl", "facts.jsonl", "vectors.jsonl", "records.jsonl")


@pytest.fixture
def members(archive: Path) -> Members:
    with zipfile.ZipFile(archive) as zip:
        return {name: zip.read(name) for name in zip.namelist()}


@pytest.fixture
def refused(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], tmp_path: Path
) -> Callable[[bytes], KnowgateError]:
    """Imports the bytes into a store with something in it; the error, once it is sure that nothing changed."""

    def run(data: bytes) -> KnowgateError:
        store = new_store()
        store.apply(Batch(documents=[written("mine", "my own text")]))
        before = content_digest(store)
        path = tmp_path / "hostile.zip"
        path.write_bytes(data)
        files = {file for file in tmp_path.rglob("*") if "data" not in file.parts[len(tmp_path.parts)]}
        with pytest.raises(KnowgateError) as caught:
            import_(store, path)
        assert content_digest(store) == before
        assert store.space() is None
        assert store.scan_records("chat") == []
        assert {file for file in tmp_path.rglob("*") if "data" not in file.parts[len(tmp_path.parts)]} == files
        assert caught.value.fix
        return caught.value

    return run


def packed(members: Members, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as zip:
        for name, data in members.items():
            zip.writestr(name, data)
    return target.getvalue()


def signed(members: Members) -> Members:
    """With a manifest that fits its members, so that only what is inside them can be wrong."""
    manifest = orjson.loads(members["manifest.json"])
    rest = {name: data for name, data in members.items() if name != "manifest.json"}
    manifest["members"] = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in rest.items()
    }
    return rest | {"manifest.json": orjson.dumps(manifest)}


def edited(members: Members, name: str, number: int, /, **changes: Any) -> Members:
    lines = members[name].split(b"\n")
    lines[number] = orjson.dumps(orjson.loads(lines[number]) | changes)
    return signed(members | {name: b"\n".join(lines)})


def test_the_helpers_make_archives_that_can_be_read(
    members: Members, new_store: Callable[..., SqliteStore], shop: SqliteStore, tmp_path: Path
) -> None:
    for number, compression in enumerate((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)):
        path = tmp_path / f"fine{number}.zip"
        path.write_bytes(packed(edited(members, "documents.jsonl", 0, unknown_key=1), compression))
        store = new_store()
        import_(store, path)
        assert content_digest(store) == content_digest(shop)


# --- not ours, or not whole ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"PK", b"%PDF-1.7 and so on", b"PK\x05\x06" + b"\xff" * 18, b"\0" * 100_000])
def test_what_is_no_zip(refused: Callable[[bytes], KnowgateError], data: bytes) -> None:
    assert refused(data).code == "not_an_archive"


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"word/document.xml": b"<w/>", "[Content_Types].xml": b""},
        {"manifest.json": b""},
        {"manifest.json": b"[1]"},
        {"manifest.json": b'{"format":"other","version":1}'},
        {"manifest.json": b'{"format":"knowgate-archive","version":"1"}'},
        {"manifest.json": b" " * (1 << 21)},
        {"manifest.json": b"[" * 100_000},
    ],
)
def test_another_zip(refused: Callable[[bytes], KnowgateError], members: Members) -> None:
    assert refused(packed(members)).code == "not_an_archive"


def test_a_newer_version_needs_a_newer_knowgate(members: Members, refused: Callable[[bytes], KnowgateError]) -> None:
    """Whatever else may have changed in it."""
    error = refused(packed({"manifest.json": b'{"format":"knowgate-archive","version":3,"parts":[]}'}))
    assert error.code == "newer_archive"
    assert "upgrade" in error.fix.lower()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short(archive: Path, refused: Callable[[bytes], KnowgateError], part: float) -> None:
    data = archive.read_bytes()
    assert isinstance(refused(data[: int(len(data) * part)]), DocumentError)


@pytest.mark.parametrize("name", [*JSON_LINES, "manifest.json"])
def test_a_flipped_bit_in_a_member(archive: Path, refused: Callable[[bytes], KnowgateError], name: str) -> None:
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as zip:
        entry = zip.getinfo(name)
    data[entry.header_offset + 30 + len(name) + 20 + entry.compress_size // 2] ^= 0x10
    assert refused(bytes(data)).code in ("damaged_archive", "not_an_archive")


# --- a manifest that lies -----------------------------------------------------------------------------------------


def without(members: Members, name: str) -> Members:
    return {key: data for key, data in members.items() if key != name}


def doubled(members: Members) -> bytes:
    target = io.BytesIO(packed(members))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(target, "a") as zip:
        zip.writestr("chunks.jsonl", members["chunks.jsonl"])
    return target.getvalue()


def manifest_with(members: Members, /, **changes: Any) -> Members:
    return members | {"manifest.json": orjson.dumps(orjson.loads(members["manifest.json"]) | changes)}


@pytest.mark.parametrize(
    "tamper",
    [
        lambda m: packed(without(m, "chunks.jsonl")),
        lambda m: packed(signed(without(m, "chunks.jsonl"))),
        lambda m: packed(m | {"../../evil.txt": b"x"}),
        lambda m: packed(signed(m | {"../../evil.txt": b"x"})),
        doubled,
        lambda m: packed(m | {"records.jsonl": m["records.jsonl"] + b"\n"}),
        lambda m: packed(m | {"records.jsonl": m["records.jsonl"].replace(b"Hello", b"Howdy")}),
        lambda m: packed(manifest_with(m, version=0)),
        lambda m: packed(manifest_with(m, members=[])),
        lambda m: packed(manifest_with(m, counts={})),
        lambda m: packed(manifest_with(m, counts={"documents": 4, "chunks": 4, "vectors": 4, "records": 2})),
        lambda m: packed(manifest_with(m, counts={"documents": 3, "chunks": 4, "vectors": 4, "records": 3})),
        lambda m: packed(manifest_with(m, counts={"documents": 3, "chunks": 4, "vectors": 0, "records": 2})),
        lambda m: packed(manifest_with(m, embedder=None)),
        lambda m: packed(manifest_with(m, embedder={"provider": "p", "model": "m", "dimension": 5})),
        lambda m: packed(manifest_with(m, embedder={"provider": "p", "model": "m", "dimension": -4})),
    ],
)
def test_a_manifest_that_does_not_fit(
    members: Members, refused: Callable[[bytes], KnowgateError], tamper: Callable[[Members], bytes]
) -> None:
    assert refused(tamper(members)).code in ("damaged_archive", "not_an_archive")


def test_an_encrypted_member(archive: Path, refused: Callable[[bytes], KnowgateError]) -> None:
    data = bytearray(archive.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    assert refused(bytes(data)).code == "damaged_archive"


# --- lines that cannot be -----------------------------------------------------------------------------------------

LARGE = 2**63
NOT_FINITE = b64encode(np.array([[np.nan] * 4] * 2, dtype="<f2").tobytes()).decode()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("documents.jsonl", {"id": "zzz"}),
        ("documents.jsonl", {"id": ""}),
        ("documents.jsonl", {"id": "a\0b"}),
        ("documents.jsonl", {"id": 7}),
        ("documents.jsonl", {"name": "a\0b"}),
        ("documents.jsonl", {"name": None}),
        ("documents.jsonl", {"source": "/docs/blank.md"}),
        ("documents.jsonl", {"size": -1}),
        ("documents.jsonl", {"size": LARGE}),
        ("documents.jsonl", {"size": "10"}),
        ("documents.jsonl", {"modified_at": "yesterday"}),
        ("documents.jsonl", {"fields": {"a": [1]}}),
        ("documents.jsonl", {"fields": {"a": None}}),
        ("documents.jsonl", {"fields": {"a": LARGE}}),
        ("documents.jsonl", {"fields": []}),
        ("documents.jsonl", {"warnings": "text"}),
        ("documents.jsonl", {"chunks": 1}),
        ("documents.jsonl", {"chunks": 3}),
        ("documents.jsonl", {"chunks": LARGE}),
        ("chunks.jsonl", {"document_id": "refunds"}),
        ("chunks.jsonl", {"id": "refunds:1"}),
        ("chunks.jsonl", {"ordinal": 0, "id": "opening hours:0"}),
        ("chunks.jsonl", {"ordinal": -1, "id": "opening hours:-1"}),
        ("chunks.jsonl", {"ordinal": LARGE, "id": f"opening hours:{LARGE}"}),
        ("chunks.jsonl", {"start": 30, "end": 29}),
        ("chunks.jsonl", {"start": -5}),
        ("chunks.jsonl", {"end": LARGE}),
        ("chunks.jsonl", {"page": -1}),
        ("chunks.jsonl", {"page": 1.5}),
        ("chunks.jsonl", {"text": None}),
        ("chunks.jsonl", {"headings": [1]}),
        ("facts.jsonl", {"document_id": "refunds"}),
        ("facts.jsonl", {"facts": {"names": [{"key": "a", "ordinal": 9, "weight": 1}]}}),
        ("facts.jsonl", {"facts": {"names": [{"key": "a", "ordinal": 0, "weight": 2}]}}),
        ("facts.jsonl", {"facts": {"mentions": [{"key": "a", "ordinal": 0}]}}),
        ("facts.jsonl", {"facts": {"clues": ["a"]}}),
        ("facts.jsonl", {"facts": None}),
        ("vectors.jsonl", {"document_id": "refunds"}),
        ("vectors.jsonl", {"vectors": "****"}),
        ("vectors.jsonl", {"vectors": ""}),
        ("vectors.jsonl", {"vectors": "AAAA"}),
        ("vectors.jsonl", {"vectors": [1, 2]}),
        ("vectors.jsonl", {"vectors": NOT_FINITE}),
        ("records.jsonl", {"kind": "chat", "id": "a"}),
        ("records.jsonl", {"id": ""}),
        ("records.jsonl", {"value": []}),
        ("records.jsonl", {"kind": None}),
    ],
)
def test_a_line_that_cannot_be(
    members: Members, refused: Callable[[bytes], KnowgateError], name: str, changes: dict[str, Any]
) -> None:
    error = refused(packed(edited(members, name, 1, **changes)))
    assert error.code == "damaged_archive"
    assert ".jsonl, line " in error.message or "two of its documents" in error.message


@pytest.mark.parametrize("name", JSON_LINES)
@pytest.mark.parametrize(
    "line",
    [b"\n", b"null\n", b"{}\n", b"{\n", b"\xff\xfe\n", b'"\\ud800"\n', b'{"id":NaN}\n', b"[" * 100_000 + b"\n", b"{}"],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_line_that_says_nothing(
    members: Members, refused: Callable[[bytes], KnowgateError], name: str, line: bytes, first: bool
) -> None:
    data = line + members[name] if first else members[name] + line
    assert refused(packed(signed(members | {name: data}))).code == "damaged_archive"


@pytest.mark.parametrize("time", [b"1e999", b"NaN", b"-Infinity"])
@pytest.mark.parametrize("place", [b'"modified_at":1.5', b'"share":0.1'])
def test_a_number_that_is_none(
    members: Members, refused: Callable[[bytes], KnowgateError], place: bytes, time: bytes
) -> None:
    documents = members["documents.jsonl"]
    assert place in documents
    hostile = documents.replace(place, place.partition(b":")[0] + b":" + time)
    assert refused(packed(signed(members | {"documents.jsonl": hostile}))).code == "damaged_archive"


@pytest.mark.parametrize("name", ["documents.jsonl", "chunks.jsonl", "records.jsonl"])
def test_a_line_without_end_is_not_read_to_its_end(
    members: Members, refused: Callable[[bytes], KnowgateError], name: str
) -> None:
    bomb = packed(signed(members | {name: b" " * (65 << 20)}))
    assert len(bomb) < 1 << 20
    assert "longer than" in refused(bomb).message


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_random_damage_is_noticed_or_harmless(
    archive: Path, shop: SqliteStore, changes: list[tuple[float, int]]
) -> None:
    data = bytearray(archive.read_bytes())
    for place, value in changes:
        data[int(place * len(data))] = value
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "damaged.zip"
        path.write_bytes(data)
        store = SqliteStore(Path(folder) / "data")
        try:
            import_(store, path)
        except KnowgateError:
            assert store.stats().documents == 0
        else:
            assert content_digest(store) == content_digest(shop)
        store.close()
