"""The promises of the port about searching: filters, words and vectors, kept by every store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from contract import (
    DIMENSION,
    best_by_words,
    by_vector,
    by_words,
    delete,
    document,
    embed,
    identity,
    ids,
    matches,
    put,
    vector_of,
    vectors_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.errors import InputError
from knowgate.model import EVERYTHING, NOTHING, Filter
from knowgate.store.port import Batch, DocumentWrite, Store, VectorWrite

# Filters

SHELF = [
    document("1", "common", name="guide/intro.md", owner="ann", modified_at=10.0, fields={"year": 2023, "tag": "x"}),
    document("2", "common", name="guide/[draft].md", owner="bob", modified_at=20.0, fields={"year": "2023"}),
    document("3", "common", name="notes.pdf", type="pdf", mime="application/pdf", modified_at=30.0),
    document("4", "common", name="a*b?.txt", type="text", mime="text/plain", fields={"final": True, "n": 1.5}),
    document("5", "common", name="axbx.txt", type="text", mime="text/plain", fields={"final": False}),
    document("6", "common", name="übung.md", source="https://example.com/übung", owner="Ann", fields={"year": 2024}),
    document("7", "common", name="d.md", fields={"a.b": "dot", '"': "quote", "$": "root", "": "empty", "é['x']": 1}),
]

FILTERS: list[tuple[Filter, str]] = [
    (Filter(), "1234567"),
    (Filter(ids=("1", "3", "nobody")), "13"),
    (Filter(ids=()), ""),
    (Filter(names=("notes.pdf",)), "3"),
    (Filter(names=("/docs/3.md", "https://example.com/übung")), "36"),
    (Filter(names=("NOTES.pdf",)), ""),
    (Filter(names=("guide/*",)), "12"),
    (Filter(names=("*.md",)), "1267345"),
    (Filter(names=("?bung.md",)), "6"),
    (Filter(names=("https://*",)), "6"),
    (Filter(names=("guide/[draft].md",)), "2"),
    (Filter(names=("*[draft]*",)), "2"),
    (Filter(names=("*[a-z]*",)), ""),
    (Filter(names=("*]*",)), "2"),
    (Filter(names=("a*b?.txt",)), "45"),
    (Filter(names=("",)), ""),
    (Filter(names=()), ""),
    (Filter(names=("%", "_", "' OR 1 --")), ""),
    (Filter(types=("pdf", "text/plain")), "345"),
    (Filter(types=()), ""),
    (Filter(owners=("ann",)), "1"),
    (Filter(owners=("",)), "3457"),
    (Filter(owners=()), ""),
    (Filter(modified_from=20.0), "23"),
    (Filter(modified_until=20.0), "14567"),
    (Filter(modified_from=10.0, modified_until=30.0), "12"),
    (Filter(modified_from=30.0, modified_until=10.0), ""),
    (Filter(fields={"year": (2023,)}), "1"),
    (Filter(fields={"year": ("2023",)}), "2"),
    (Filter(fields={"year": (2023, 2024.0)}), "16"),
    (Filter(fields={"year": ()}), ""),
    (Filter(fields={"final": (True,)}), "4"),
    (Filter(fields={"final": (False,)}), "5"),
    (Filter(fields={"n": (1.5,)}), "4"),
    (Filter(fields={"year": (2023,), "tag": ("x",)}), "1"),
    (Filter(fields={"year": (2023,), "tag": ("y",)}), ""),
    (Filter(fields={"a.b": ("dot",)}), "7"),
    (Filter(fields={'"': ("quote",), "$": ("root",), "": ("empty",), "é['x']": (1,)}), "7"),
    (Filter(fields={"a": ("dot",)}), ""),
    (Filter(names=("*.md",), owners=("ann", "bob"), modified_from=15.0), "2"),
    (Filter(names=("guide/*",), also=Filter(names=("*intro*",))), "1"),
    (Filter(names=("guide/*",), also=Filter(names=("*.txt",), also=Filter(owners=("ann",)))), ""),
    (Filter(also=Filter(also=Filter(types=("pdf",)))), "3"),
    (Filter(owners=("ann",), also=EVERYTHING), "1"),
    (Filter(owners=("ann",), also=NOTHING), ""),
    (Filter(fields={"year": (2023,)}, also=Filter(fields={"year": (2023, "2023")})), "1"),
    (Filter(modified_from=10.0, also=Filter(modified_until=30.0)), "12"),
    (Filter(without=("1", "3", "nobody")), "24567"),
    (Filter(names=("guide/*",), also=Filter(without=("1",))), "2"),
    (Filter(ids=("1", "2"), without=("2",)), "1"),
]


def _some(values: list[Any]) -> st.SearchStrategy[tuple[Any, ...] | None]:
    return st.none() | st.lists(st.sampled_from(values), max_size=3, unique=True).map(tuple)


PLAIN_FILTERS = st.builds(
    Filter,
    ids=st.none() | _some(list("1234567")),
    names=_some(["guide/*", "*.md", "*.txt", "*[draft]*", "a*b?.txt", "notes.pdf", "https://*", "*", "/docs/3.md"]),
    types=st.none() | _some(["markdown", "text/plain", "application/pdf"]),
    owners=st.none() | _some(["ann", "bob", "", "Ann"]),
    modified_from=st.none() | st.sampled_from([0.0, 15.0, 30.0]),
    modified_until=st.none() | st.sampled_from([5.0, 25.0]),
    fields=st.just({}) | st.just({"year": (2023, "2023")}) | st.just({"final": (True,)}),
    without=st.just(()) | st.just(("1", "4")),
)
ANY_FILTERS = st.recursive(PLAIN_FILTERS, lambda inner: st.builds(Filter.within, PLAIN_FILTERS, inner), max_leaves=4)


def test_filters_hold_inside_every_search_and_scan(store: Store) -> None:
    put(store, *SHELF)
    embed(store)
    for where, expected in FILTERS:
        wanted = set(expected)
        assert {write.document.id for write in SHELF if matches(where, write.document)} == wanted, where
        assert {found.id for found in store.scan_documents(where)} == wanted, where
        assert {chunk.document_id for chunk in store.scan_chunks(where)} == wanted, where
        assert by_words(store, "common", where) == {f"{id}:0" for id in wanted}, where
        assert by_vector(store, "common", where) == {f"{id}:0" for id in wanted}, where
        assert store.stats(where).documents == len(wanted), where


@pytest.fixture(scope="module")
def shelf(lasting_store: Store) -> Store:
    put(lasting_store, *SHELF)
    embed(lasting_store)
    return lasting_store


@settings(max_examples=40)
@given(one=ANY_FILTERS, other=ANY_FILTERS)
def test_a_filter_within_another_lets_through_what_both_do(shelf: Store, one: Filter, other: Filter) -> None:
    def seen(where: Filter) -> set[str]:
        found = {document.id for document in shelf.scan_documents(where)}
        assert found == {write.document.id for write in SHELF if matches(where, write.document)}
        assert {chunk.document_id for chunk in shelf.scan_chunks(where)} == found
        assert by_words(shelf, "common", where) == by_vector(shelf, "common", where) == {f"{id}:0" for id in found}
        assert shelf.stats(where).documents == len(found)
        return found

    assert seen(one.within(other)) == seen(other.within(one)) == seen(one) & seen(other)


def test_many_patterns_are_as_good_as_one(store: Store) -> None:
    put(store, *SHELF)
    where = Filter(names=(*(f"*{number}*" for number in range(10_000, 12_000)), "guide/*", "https://*"))
    assert {found.id for found in store.scan_documents(where)} == set("126")


@pytest.mark.parametrize("length", [10_000, 10_001, 200_000])
@pytest.mark.parametrize("character", ["x", "[", "😀"])
def test_a_pattern_of_any_length_is_followed_or_refused(store: Store, character: str, length: int) -> None:
    put(store, *SHELF)
    pattern = "*" + character * (length - 1)
    if length <= 10_000:
        assert store.scan_documents(Filter(names=(pattern,))) == []
        return
    with pytest.raises(InputError) as caught:
        store.scan_documents(Filter(names=(pattern,)))
    assert caught.value.code == "pattern_too_long"


def test_a_filter_is_applied_before_the_best_are_chosen(store: Store) -> None:
    put(store, *(document(f"near{i}", "amber amber", owner="ann") for i in range(20)))
    put(store, document("far", "amber and many other words besides", owner="bob"))
    embed(store)
    assert ids(store.search_text("amber", 1, Filter(owners=("bob",)))) == ["far:0"]
    assert ids(store.search_vector(vector_of("amber amber"), 1, Filter(owners=("bob",)))) == ["far:0"]


# Search


def test_word_scores_are_shares_that_fall(store: Store) -> None:
    texts = {f"{i}:0": f"apple {'pear ' * (i % 3)}{'plum ' * (i % 5)}filler number {i}" for i in range(30)}
    put(store, *(document(id.removesuffix(":0"), text) for id, text in texts.items()))
    hits = store.search_text("apple pear plum", 30)
    assert len(hits) == 30
    assert all(0 < hit.score <= 1 for hit in hits)
    assert all(first.score >= second.score for first, second in pairwise(hits))
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-4) for hit in hits} == best_by_words(texts, "apple pear plum")
    assert store.search_text("apple pear plum", 4) == hits[:4]


def test_headings_count_as_words_of_the_passage(store: Store) -> None:
    write = document("a", "text")
    put(store, DocumentWrite(write.document, [replace(write.chunks[0], headings=("Refund policy",))]))
    assert by_words(store, "refunds") == {"a:0"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京は日本の首都です", "首都"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
        ("यह भारत।", "भारत"),
        ("class AuthService extends Base", "auth service"),
        ("Crème brûlée", "creme brulee"),
        ("to be or not to be", "to be"),
    ],
)
def test_words_are_found_in_many_languages(store: Store, text: str, query: str) -> None:
    put(store, document("a", text), document("b", "something else"))
    assert by_words(store, query) == {"a:0"}


@pytest.mark.parametrize("query", ["", "   ", "!?", "absent", "\x00", "\ud800", "' OR 1 --", "*"])
def test_a_query_without_known_words_finds_nothing(store: Store, query: str) -> None:
    put(store, document("a", "some text"))
    assert store.search_text(query, 10) == []


def test_vector_scores_are_cosines_that_fall(store: Store) -> None:
    put(store, *(document(str(i), f"text {i}") for i in range(50)))
    embed(store)
    query = vector_of("text 7")
    hits = store.search_vector(query, 50)
    expected = {f"{i}:0": float(vector_of(f"text {i}") @ query) for i in range(50)}
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-2) for hit in hits} == expected
    assert hits[0].chunk_id == "7:0"
    assert all(first.score >= second.score for first, second in pairwise(hits))
    assert ids(store.search_vector(query, 3)) == ids(hits)[:3]


def test_asking_for_none_or_for_more_than_there_is(store: Store) -> None:
    assert store.search_text("amber", 5) == []
    assert store.search_vector(vector_of("amber"), 5) == []
    put(store, document("a", "amber"))
    embed(store)
    for k, expected in ((0, []), (1, ["a:0"]), (10**6, ["a:0"])):
        assert ids(store.search_text("amber", k)) == expected
        assert ids(store.search_vector(vector_of("amber"), k)) == expected


def test_maintenance_changes_no_answer(store: Store) -> None:
    put(store, *(document(str(i), f"apple {i}", f"pear {i % 7}") for i in range(40)))
    embed(store)
    delete(store, *map(str, range(0, 40, 3)))

    def answers() -> Any:
        return [store.search_text(f"apple pear {i}", 9) for i in range(7)], store.search_vector(vector_of("apple 1"), 9)

    before = answers()
    for _ in range(2):
        store.maintain()
        assert answers() == before
    assert store.check() == store.check(thorough=True) == []


# Vectors


def test_vectors_come_back_in_chunk_order(store: Store) -> None:
    write = document("a", "one", "two", "three")
    put(store, write)
    assert store.document_vectors("a") is None
    embed(store)
    found = store.document_vectors("a")
    assert found is not None
    assert found.shape == (3, DIMENSION)
    np.testing.assert_allclose(found, vectors_of(write.chunks), atol=1e-3)


def test_documents_wait_for_vectors_in_order_of_id(store: Store) -> None:
    put(store, *(document(id, f"text of {id}", "more") for id in "cadb"), document("empty"))
    assert [each.document_id for each in store.pending(10)] == list("abcd")
    assert [each.document_id for each in store.pending(2, after="a")] == ["b", "c"]
    assert [each.document_id for each in store.pending(10, among=["d", "a", "nobody"])] == ["a", "d"]
    assert store.pending(10, among=[]) == []
    assert [chunk.text for chunk in store.pending(1)[0].chunks] == ["text of a", "more"]
    embed(store)
    assert store.pending(10) == []
    put(store, document("b", "new"))
    assert [each.document_id for each in store.pending(10)] == ["b"]


def test_vectors_of_an_older_text_are_dropped(store: Store) -> None:
    space = store.start_space(identity())
    put(store, document("a", "old"), document("b", "other"))
    old = store.pending(1)[0]
    put(store, document("a", "new"))
    new = store.pending(1)[0]
    assert new.revision != old.revision
    store.apply(Batch(vectors=[VectorWrite("a", old.revision, space.generation, vectors_of(old.chunks))]))
    assert store.document_vectors("a") is None
    assert store.pending(1) == [new]
    # Deleted and written again with the same text is another text, too.
    delete(store, "a")
    store.apply(Batch(vectors=[VectorWrite("a", new.revision, space.generation, vectors_of(new.chunks))]))
    put(store, document("a", "new"))
    store.apply(Batch(vectors=[VectorWrite("a", new.revision, space.generation, vectors_of(new.chunks))]))
    store.refresh()
    assert store.document_vectors("a") is None
    assert by_vector(store, "new") == set()


def test_passages_that_are_the_same_keep_their_vectors(store: Store) -> None:
    put(store, document("a", "one", "two"), document("b", "three", "four"))
    waiting = store.pending(1)[0]
    embed(store)
    before = store.document_vectors("a")
    assert before is not None
    # Another name, owner and date, the same passages; and a document of which one passage is another.
    put(store, document("a", "one", "two", name="new.md", owner="ann", modified_at=9.0), document("b", "three", "five"))
    after = store.document_vectors("a")
    assert after is not None
    assert (before == after).all()
    assert by_vector(store, "one") == by_vector(store, "one", Filter(owners=("ann",))) == {"a:0", "a:1"}
    assert store.document_vectors("b") is None
    assert [(each.document_id, len(each.chunks)) for each in store.pending(9)] == [("b", 2)]
    assert (store.stats().vectors, store.stats().pending) == (2, 1)
    # Other headings or places make another passage, too.
    write = document("a", "one", "two")
    put(store, DocumentWrite(write.document, [replace(write.chunks[0], headings=("Top",)), write.chunks[1]]))
    assert store.document_vectors("a") is None
    assert store.pending(9)[0].revision != waiting.revision
    assert by_vector(store, "one") == set()


def test_passages_that_are_the_same_still_take_the_vectors_on_their_way(store: Store) -> None:
    space = store.start_space(identity())
    put(store, document("a", "one", "two", "three"))
    waiting = store.pending(1)[0]
    vectors = vectors_of(waiting.chunks)
    for first, name in enumerate(("b.md", "c.md", "d.md")):
        store.apply(
            Batch(vectors=[VectorWrite("a", waiting.revision, space.generation, vectors[first : first + 1], first)])
        )
        put(store, document("a", "one", "two", "three", name=name))
        assert store.stats().vectors == first + 1
    found = store.document_vectors("a")
    assert found is not None
    np.testing.assert_allclose(found, vectors, atol=1e-3)
    assert by_vector(store, "one", Filter(names=("d.md",))) == {"a:0", "a:1", "a:2"}


def test_vectors_of_an_older_space_are_dropped(store: Store) -> None:
    put(store, document("a", "text"))
    before = store.start_space(identity())
    waiting = store.pending(1)[0]
    write = VectorWrite("a", waiting.revision, before.generation, vectors_of(waiting.chunks))
    store.start_space(identity())
    store.apply(Batch(vectors=[write]))
    assert store.document_vectors("a") is None
    assert len(store.pending(5)) == 1


def test_vectors_without_a_space_or_a_document_are_dropped(store: Store) -> None:
    put(store, document("a", "text"))
    waiting = store.pending(1)[0]
    store.apply(Batch(vectors=[VectorWrite("a", waiting.revision, 0, vectors_of(waiting.chunks))]))
    space = store.start_space(identity())
    store.apply(Batch(vectors=[VectorWrite("b", waiting.revision, space.generation, vectors_of(waiting.chunks))]))
    assert store.stats().vectors == 0


def test_a_new_space_drops_all_vectors_and_nothing_else(open_store: Callable[[], Store]) -> None:
    store, other = open_store(), open_store()
    put(store, document("a", "amber"), document("b", "blue"), document("empty"))
    first = store.start_space(identity())
    embed(store)
    assert len(by_vector(other, "amber")) == 2
    second = store.start_space(identity(12))
    assert second.generation > first.generation
    assert store.space() == other.space() == second
    for each in (store, other):
        each.refresh()
        assert [waiting.document_id for waiting in each.pending(10)] == ["a", "b"]
        assert each.document_vectors("a") is None
        assert each.search_vector(vector_of("amber", 12), 5) == []
        assert each.stats().vectors == 0
        assert by_words(each, "amber") == {"a:0"}
    embed(other)
    store.refresh()
    assert ids(store.search_vector(vector_of("amber", 12), 1)) == ["a:0"]


@pytest.mark.parametrize("pattern", ["*-????-????-????-????????????.pdf", "*a????????????????????", "?????*??????*.md"])
def test_patterns_with_many_marks(store: Store, pattern: str) -> None:
    named = "report-12ab-34cd-56ef-7890abcd1234.pdf"
    put(store, document("a", "apple", name=named), document("b", "apple", name="b.md"))
    where = Filter(names=(pattern,))
    wanted = {id for id, write in (("a", named), ("b", "b.md")) if matches(where, document(id, name=write).document)}
    assert {each.id for each in store.scan_documents(where)} == wanted


def test_a_long_question_within_many_patterns(store: Store) -> None:
    put(store, document("a", "apple"), document("b", "apple"))
    question = " ".join(["apple", *(f"word{number}" for number in range(1500))])
    where = Filter(names=(*(f"*{number}.md" for number in range(30)), "a*"))
    where = where.within(Filter(names=tuple(f"{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz")))
    assert by_words(store, question, where) == {"a:0"}
