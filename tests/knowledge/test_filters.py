from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.engine import Engine
from knowgate.errors import InputError, NotFoundError
from knowgate.knowledge.filters import DIMENSIONS, Filters, merge, query_data, read_dimensions, read_query_data
from knowgate.model import EVERYTHING, Document, Filter, SavedFilter
from knowgate.store.port import Batch, DocumentWrite, Store
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


@pytest.fixture
def filters(store: SqliteStore) -> Filters:
    return Filters(store)


def refused(call: Callable[[], object]) -> InputError:
    with pytest.raises(InputError) as error:
        call()
    assert error.value.fix
    return error.value


# What is kept


def test_a_filter_is_kept(filters: Filters) -> None:
    data = {"query": "returns", "filters": {"data_sources": ["docs/*"]}, "limit": 5, "scoreThreshold": 0.2}
    saved = filters.create("ann", " Refunds ", "All about money back", data)
    assert filters.get(saved.id) == saved
    assert (saved.name, saved.owner, saved.query, saved.limit, saved.threshold) == ("Refunds", "ann", "returns", 5, 0.2)
    assert saved.where == Filter(names=("docs/*",))


def test_what_is_not_said_is_the_default(filters: Filters) -> None:
    saved = filters.create("ann", "All")
    assert query_data(saved) == {
        "query": "",
        "filters": {name: ["*"] for name in DIMENSIONS},
        "limit": 10,
        "scoreThreshold": 0.0,
        "color": "zinc",
        "icon": "filter",
    }
    assert saved.where == EVERYTHING


def test_an_update_changes_what_is_given(filters: Filters) -> None:
    saved = filters.create("ann", "a", "b", {"limit": 5})
    renamed = filters.update(saved.id, name="c")
    assert (renamed.name, renamed.description, renamed.limit) == ("c", "b", 5)
    narrowed = filters.update(saved.id, description="", query_data='{"filters": {"owners": ["ann"]}}')
    assert (narrowed.name, narrowed.description, narrowed.limit) == ("c", "", 10)
    assert narrowed.where == Filter(owners=("ann",))
    assert narrowed.created_at == saved.created_at
    assert filters.get(saved.id) == narrowed


def test_a_bad_update_changes_nothing(filters: Filters) -> None:
    saved = filters.create("ann", "a")
    refused(lambda: filters.update(saved.id, name="b", query_data={"limit": 0}))
    refused(lambda: filters.update(saved.id, name=" "))
    assert filters.get(saved.id) == saved


def test_updates_of_different_parts_at_once_are_both_kept(filters: Filters) -> None:
    saved = filters.create("ann", "a")
    begin = threading.Barrier(2)

    def change(**parts: str) -> None:
        begin.wait(60)
        for number in range(20):
            filters.update(saved.id, **{part: f"{value} {number}" for part, value in parts.items()})

    others = [threading.Thread(target=change, kwargs={part: part}) for part in ("name", "description")]
    for other in others:
        other.start()
    for other in others:
        other.join()
    found = filters.get(saved.id)
    assert (found.name, found.description) == ("name 19", "description 19")


def test_a_deleted_filter_is_gone(filters: Filters) -> None:
    kept, gone = filters.create("ann", "a"), filters.create("ann", "b")
    assert filters.delete(gone.id) == gone
    assert filters.search() == [kept]
    for call in (filters.get, filters.delete, lambda gone: filters.update(gone, name="c")):
        with pytest.raises(NotFoundError) as error:
            call(gone.id)
        assert error.value.code == "filter_not_found"


def test_search_finds_names_first_then_the_newest(filters: Filters) -> None:
    for name, description, query in [
        ("Refunds", "", ""),
        ("Older", "About REFUNDS", ""),
        ("All refunds of 2025", "", ""),
        ("All refunds of 2026", "", ""),
        ("Newer", "", "how do refunds work"),
        ("Other", "parcels", ""),
    ]:
        filters.create("ann", name, description, {"query": query})
    found = [saved.name for saved in filters.search(" refunds ")]
    assert found == ["Refunds", "All refunds of 2026", "All refunds of 2025", "Newer", "Older"]
    assert [saved.name for saved in filters.search("refunds", 2)] == found[:2]
    assert [saved.name for saved in filters.search("", 2)] == ["Other", "Newer"]
    assert filters.search("zebra") == []


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range(filters: Filters, limit: int) -> None:
    assert refused(lambda: filters.search("", limit)).code == "bad_limit"


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "\ud800", "a\x00b"])
def test_bad_names(filters: Filters, name: str) -> None:
    assert refused(lambda: filters.create("ann", name)).code == "bad_filter_name"
    assert filters.search() == []


# What is sent


def test_a_star_is_no_constraint_and_nothing_matches_nothing() -> None:
    assert read_dimensions({"owners": ["ann", "*"], "document_types": None}) == EVERYTHING
    assert read_dimensions({"owners": []}) == Filter(owners=())


def test_an_unknown_dimension_is_refused_but_other_keys_are_not() -> None:
    error = refused(lambda: read_query_data({"filters": {"groups": ["secret"]}}))
    assert error.code == "unknown_dimension"
    assert "groups" in error.message
    assert "data_sources" in error.fix
    assert read_query_data({"sortBy": "date", "filters": None}) == read_query_data({})


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ("{", "queryData"),
        ("[]", "queryData"),
        ("null", "queryData"),
        ({"query": 1}, "query"),
        ({"query": "\ud800"}, "query"),
        ({"filters": []}, "filters"),
        ({"filters": "*"}, "filters"),
        ({"filters": {"owners": "ann"}}, "filters.owners"),
        ({"filters": {"owners": [1]}}, "filters.owners"),
        ({"filters": {"owners": {"a": 1}}}, "filters.owners"),
        ({"filters": {"data_sources": ["x" * 5000]}}, "filters.data_sources"),
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": "10"}, "limit"),
        ({"scoreThreshold": 1.1}, "scoreThreshold"),
        ({"scoreThreshold": float("nan")}, "scoreThreshold"),
        ({"scoreThreshold": False}, "scoreThreshold"),
        ({"color": 7}, "color"),
        ({"icon": []}, "icon"),
    ],
)
def test_what_is_wrong_is_named(data: Any, field: str) -> None:
    error = refused(lambda: read_query_data(data))
    assert error.code == "bad_query_data"
    assert error.message.startswith(f"{field} is not")


texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
values = st.none() | st.lists(texts | st.just("*"), max_size=4)
connectors = st.none() | st.lists(st.sampled_from(["local", "url", "s3", "*"]), max_size=3)
dimensions = st.fixed_dictionaries(
    {}, optional={**dict.fromkeys(DIMENSIONS[:3], values), "connector_types": connectors}
)
sent = st.fixed_dictionaries(
    {},
    optional={
        "query": st.none() | texts,
        "filters": st.none() | dimensions,
        "limit": st.none() | st.integers(1, 1000),
        "scoreThreshold": st.none() | st.floats(0, 1) | st.sampled_from([0, 1]),
        "color": st.none() | texts,
        "icon": st.none() | texts,
        "other": texts,
    },
)


def saved_from(data: Any) -> SavedFilter:
    return SavedFilter(id="f", name="n", description="", owner="o", **read_query_data(data))


@given(sent)
def test_what_was_read_comes_back(data: dict[str, Any]) -> None:
    read = read_query_data(data)
    assert read_query_data(query_data(saved_from(data))) == read
    assert read_query_data(orjson.dumps(query_data(saved_from(data))).decode()) == read
    for name in ("query", "limit", "scoreThreshold", "color", "icon"):
        if data.get(name) is not None:
            assert query_data(saved_from(data))[name] == data[name]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
keys = st.sampled_from(["query", "filters", "limit", "scoreThreshold", "color", "icon", *DIMENSIONS])


@given(st.text() | st.dictionaries(keys, anything | st.dictionaries(keys, anything)))
def test_anything_is_read_or_refused(data: Any) -> None:
    try:
        read = saved_from(data)
    except InputError as error:
        assert error.code in ("bad_query_data", "unknown_dimension")
    else:
        orjson.dumps(query_data(read))


# What it means


def put(store: Store, *documents: tuple[str, str]) -> None:
    """Documents by source and owner."""
    rows = [
        Document(source, source.rpartition("/")[2], source, "text", "text/plain", "", "", "", 1, owner, 0.0, 0.0)
        for source, owner in documents
    ]
    store.apply(Batch(documents=[DocumentWrite(row, ()) for row in rows]))


def seen(store: Store, **dimensions: list[str]) -> set[str]:
    return {document.source for document in store.scan_documents(read_dimensions(dimensions))}


def test_dimensions_hold_together(store: SqliteStore) -> None:
    put(store, ("/docs/a.md", "ann"), ("/docs/b.md", "ann"), ("/other/a.md", "bob"))
    assert seen(store, data_sources=["a.md"]) == {"/docs/a.md", "/other/a.md"}
    assert seen(store, data_sources=["/docs/*", "nothing"], owners=["ann"]) == {"/docs/a.md", "/docs/b.md"}
    assert seen(store, data_sources=["a.md"], owners=["ann"], document_types=["text/plain"]) == {"/docs/a.md"}
    assert seen(store, data_sources=["a.md"], document_types=["pdf"]) == set()
    assert seen(store, data_sources=["a.md"], owners=[]) == set()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["local"], "local"),
        (["url"], "url"),
        (["local", "url"], "local url"),
        (["url", "sharepoint"], "url"),
        (["sharepoint"], ""),
        ([], ""),
        (["sharepoint", "*"], "local url"),
    ],
)
def test_how_documents_came_in(store: SqliteStore, wanted: list[str], found: str) -> None:
    sources = {
        "local": {"/docs/a.md", "C:\\docs\\a.md", "\\\\server\\docs\\a.md", "text:note.md"},
        "url": {"http://example.com/a", "https://example.com/docs/a.md"},
    }
    put(store, *((source, "ann") for each in sources.values() for source in each))
    assert seen(store, connector_types=wanted) == {source for each in found.split() for source in sources[each]}


def test_really_ingested_documents_are_local(engine: Engine, docs: Path) -> None:
    engine.ingest([docs])
    engine.ingest(text="A note.", filename="note.txt")
    assert engine.store.stats(read_dimensions({"connector_types": ["local"]})).documents == 3
    assert engine.store.stats(read_dimensions({"connector_types": ["url"]})).documents == 0


# What a request means that names one

SAVED = saved_from(
    {
        "filters": {"data_sources": ["a.md"], "owners": ["ann"], "connector_types": ["url"]},
        "limit": 3,
        "scoreThreshold": 0.4,
    }
)


def test_the_saved_filter_speaks_where_the_request_does_not() -> None:
    assert merge(SAVED) == (SAVED.where, 3, 0.4)
    assert merge(SAVED, {"owners": None}, 10, 0) == (SAVED.where, 3, 0.4)


def test_the_request_comes_first() -> None:
    where, limit, threshold = merge(SAVED, {"data_sources": ["b.md"], "owners": ["*"]}, 7, 0.1)
    assert where == Filter(names=("b.md",), also=SAVED.where.also)
    assert (limit, threshold) == (7, 0.1)
    assert merge(SAVED, {"connector_types": []}, 7)[0].also == Filter(names=())
    assert merge(SAVED, {}, 7) == (SAVED.where, 7, 0.4)
    assert merge(SAVED, {}, 10, 0.1) == (SAVED.where, 3, 0.1)


def test_without_a_saved_filter() -> None:
    assert merge(None) == (EVERYTHING, 10, 0.0)
    assert merge(None, {"owners": ["ann"]}, 4, 0.3) == (Filter(owners=("ann",)), 4, 0.3)


def test_a_request_with_an_unknown_dimension() -> None:
    for saved in (None, SAVED):
        assert refused(lambda saved=saved: merge(saved, {"groups": ["x"]})).code == "unknown_dimension"


@given(sent, dimensions)
def test_every_dimension_is_the_request_s_or_the_saved_one(data: dict[str, Any], inline: dict[str, Any]) -> None:
    saved = saved_from(data)
    own, asked, merged = saved.where, read_dimensions(inline), merge(saved, inline)[0]
    for dimension, part in zip(DIMENSIONS, ("names", "types", "owners", "also"), strict=True):
        chosen = own if inline.get(dimension) is None else asked
        assert getattr(merged, part) == getattr(chosen, part)
