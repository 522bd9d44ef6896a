"""Whatever a store can hold comes out of an archive as it went in."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.knowledge.portable import content_digest, export, import_
from knowgate.model import Chunk, Document, EmbedderIdentity
from knowgate.store.port import Batch, Clue, DocumentWrite, Facts, Link, Mention, Name, Record, VectorWrite
from knowgate.store.sqlite.store import SqliteStore

anything = st.text(max_size=30) | st.sampled_from(
    [
        "\u2028\u2029\x85\x0b\x0c\x1c",
        "\x00\r\n\t",
        "e\u0301\ufeff",
        "\U0010ffff\ufffe",
        "../../etc/passwd",
        '{"a":1}\\"',
    ]
)
without_null = anything.filter(lambda text: "\x00" not in text)
ids = without_null.filter(bool)
whole_numbers = st.integers(0, 2**48 - 1)
times = st.floats(-1e12, 1e12)
values = anything | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
json = st.recursive(
    st.none() | values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3)
)


@st.composite
def documents(draw: st.DrawFn) -> DocumentWrite:
    id = draw(ids)
    ordinals = draw(st.lists(st.integers(0, 10_000), unique=True, max_size=4).map(sorted))
    chunks: list[Chunk] = []
    for ordinal in ordinals:
        start, end = sorted((draw(whole_numbers), draw(whole_numbers)))
        headings = tuple(draw(st.lists(anything, max_size=3)))
        page = draw(st.none() | whole_numbers)
        text = draw(anything)
        chunks.append(Chunk(f"{id}:{ordinal}", id, ordinal, text, headings, start, end, page, draw(whole_numbers)))
    document = Document(
        id=id,
        name=draw(without_null),
        source=draw(anything) + id,
        type=draw(anything),
        mime=draw(anything),
        title=draw(anything),
        sha256=draw(anything),
        recipe=draw(anything),
        size=draw(whole_numbers),
        owner=draw(anything),
        modified_at=draw(times),
        indexed_at=draw(times),
        fields=draw(st.dictionaries(anything, values, max_size=4)),
        warnings=tuple(draw(st.lists(anything, max_size=2))),
        chunks=len(chunks),
    )
    return DocumentWrite(document, chunks, draw(facts(ordinals)))


def facts(ordinals: list[int]) -> st.SearchStrategy[Facts]:
    clues = st.lists(st.builds(Clue, anything, anything, anything, anything), max_size=2)
    if not ordinals:
        return st.builds(Facts, clues=clues)
    passages, sure = st.sampled_from(ordinals), st.floats(0, 1)
    return st.builds(
        Facts,
        st.lists(st.builds(Name, anything, passages, sure), max_size=3),
        st.lists(st.builds(Mention, anything, passages, anything, anything, sure, anything), max_size=3),
        st.lists(st.builds(Link, anything, anything, anything, passages, sure, anything), max_size=3),
        clues,
    )


record_ids = ids.filter(lambda text: text < "\U0010ffff")
decided = st.fixed_dictionaries({"means": anything, "name": anything})
records = st.builds(
    Record, st.sampled_from(["chat", "filter"]), record_ids, st.dictionaries(anything, json)
) | st.builds(Record, st.just("entity_name"), record_ids, decided)
several = st.lists(documents(), max_size=4, unique_by=(lambda w: w.document.id, lambda w: w.document.source))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(several, st.lists(records, max_size=3, unique_by=lambda r: (r.kind, r.id)), st.data())
def test_everything_comes_back(writes: list[DocumentWrite], kept: list[Record], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store, copy = SqliteStore(Path(folder) / "store"), SqliteStore(Path(folder) / "copy")
        store.apply(Batch(documents=writes, records=kept))
        space = store.start_space(EmbedderIdentity("p", "m", 3, "query: ", "", False))
        for waiting in store.pending(100):
            if data.draw(st.booleans()):
                numbers = st.floats(-60_000, 60_000, width=16)
                rows = [data.draw(st.tuples(numbers, numbers, numbers)) for _ in waiting.chunks]
                write = VectorWrite(waiting.document_id, waiting.revision, space.generation, np.array(rows, np.float32))
                store.apply(Batch(vectors=[write]))
        archive = export(store, Path(folder) / "a.zip").path
        import_(copy, archive)
        assert copy.scan_documents() == store.scan_documents()
        assert [repr(d.fields) for d in copy.scan_documents()] == [
            repr(sorted_fields(d)) for d in store.scan_documents()
        ]
        for write in writes:
            id = write.document.id
            assert copy.document_chunks(id) == list(write.chunks)
            assert copy.facts(id) == store.facts(id)
            assert {(each.key, each.ordinal) for each in copy.facts(id).mentions} == {
                (each.key, each.ordinal) for each in write.facts.mentions
            }
            np.testing.assert_array_equal(copy.document_vectors(id), store.document_vectors(id))
        for record in kept:
            assert copy.record(record.kind, record.id).value == record.value
        assert content_digest(copy) == content_digest(store)
        assert contents(export(copy, Path(folder) / "b.zip").path) == contents(archive)
        store.close()
        copy.close()


def contents(archive: Path) -> dict[str, bytes]:
    """All but the manifest: an index that has no vectors yet names no embedder."""
    with zipfile.ZipFile(archive) as zip:
        return {name: zip.read(name) for name in zip.namelist() if name != "manifest.json"}


def sorted_fields(document: Document) -> dict[str, object]:
    """`1`, `1.0` and `True` are equal; only their spelling tells them apart."""
    return dict(sorted(document.fields.items()))
