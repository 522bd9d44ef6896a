"""What a key that is bound to a filter can see and do, through the engine itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.contract import document, matches

from knowgate import Engine
from knowgate.errors import ConflictError, ForbiddenError, InputError, KnowgateError, NotFoundError
from knowgate.knowledge.filters import admits, may_admit
from knowgate.knowledge.sources import document_id
from knowgate.model import LOCAL, Filter, Principal, Scope, Task
from knowgate.store.port import Batch, Record

ADDRESS = "https://example.com/inner/guide.md"


SOURCES = ("/srv/inner/a.md", "text:inner/same.md", "/srv/outer/b.pdf", "text:outer/same.md")
IN1, IN2, OUT1, OUT2 = map(document_id, SOURCES)


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Two documents inside, two outside; one name is used on both sides."""
    inside = document(IN1, "amber pump", name="inner/a.md", source=SOURCES[0], owner="ann", size=1)
    shared = document(IN2, "amber valve", name="inner/same.md", source=SOURCES[1], owner="ann", size=2)
    outside = document(OUT1, "amber crane", name="outer/b.pdf", source=SOURCES[2], type="pdf", size=100)
    other = document(OUT2, "amber boiler", name="outer/same.md", source=SOURCES[3], owner="bob", size=200)
    engine.store.apply(Batch(documents=[inside, shared, outside, other]))
    return engine


@pytest.fixture
def bind(filled: Engine) -> Callable[..., Engine]:
    def bind_to(scopes: str = "read write", name: str = "key", **dimensions: list[str]) -> Engine:
        saved = filled.create_filter("part", "", {"filters": dimensions})
        wanted: frozenset[Scope] = frozenset(scopes.split())  # type: ignore[arg-type]
        return filled.acting_for(Principal(f"id of {name}", name, wanted, saved.id))

    return bind_to


@pytest.fixture
def inner(bind: Callable[..., Engine]) -> Engine:
    return bind(data_sources=["inner/*"])


def refused(call: Callable[[], object]) -> KnowgateError:
    with pytest.raises(KnowgateError) as error:
        call()
    return error.value


def write_as(engine: Engine, name: str, owner: str = "") -> Task:
    return engine.submit_contents([(name, b"# New\n\ncopper")], owner=owner)


# Seeing


@pytest.mark.parametrize(
    "where", [Filter(), Filter(names=("*",)), Filter(ids=(OUT1, IN1)), Filter(also=Filter()), Filter(names=("/*",))]
)
def test_no_filter_of_a_call_is_wider_than_the_key(inner: Engine, where: Filter) -> None:
    for query in ("amber", "*"):
        assert {hit.document.id for hit in inner.search(query, where=where).hits} <= {IN1, IN2}
    assert {each.id for each in inner.documents(where=where).documents} <= {IN1, IN2}


def test_a_document_of_somebody_else_has_no_passages(filled: Engine, inner: Engine) -> None:
    assert inner.passages(filled.document(IN1))
    assert refused(lambda: inner.passages(filled.document(OUT1))).code == "document_not_found"


@pytest.mark.parametrize("name", [OUT1, "outer/b.pdf", "/srv/outer/b.pdf", "b.pdf", "outer/*", "*", "?", ""])
def test_what_is_outside_has_no_name(filled: Engine, inner: Engine, name: str) -> None:
    for call in (inner.document, inner.delete, inner.delete_called):
        error = refused(lambda call=call: call(name))
        missing = refused(lambda call=call: call("no such thing"))
        assert isinstance(error, NotFoundError)
        assert str(error).replace(name or "\0", "") == str(missing).replace("no such thing", "") or not name
    assert filled.stats().documents == 4


def test_a_name_that_is_used_outside_too_is_not_ambiguous(filled: Engine, inner: Engine) -> None:
    assert refused(lambda: filled.document("same.md")).code == "ambiguous_name"
    assert inner.document("same.md").id == IN2
    assert [each.id for each in inner.delete_called("same.md")] == [IN2]
    assert filled.document("outer/same.md").id == OUT2


def test_who_calls_from_elsewhere_is_not_told_where_files_lie(filled: Engine, bind: Callable[..., Engine]) -> None:
    more = document("in3", "amber", name="deep/inner/a.md", source="/srv/deep/inner/a.md", owner="ann")
    filled.store.apply(Batch(documents=[more]))
    error = refused(lambda: bind(owners=["ann"]).document("a.md"))
    assert isinstance(error, ConflictError)
    assert IN1 in str(error) and "in3" in str(error)
    assert "/srv" not in str(error)
    assert "/srv/inner/a.md" in str(refused(lambda: filled.document("a.md")))


def test_counts_are_of_what_is_inside(inner: Engine) -> None:
    stats = inner.stats()
    assert (stats.documents, stats.chunks, stats.pending, stats.bytes) == (2, 2, 2, 3)
    assert stats.by_type == {"markdown": 2}


@pytest.mark.parametrize("how", ["emptied", "deleted"])
def test_who_is_bound_to_nothing_sees_and_writes_nothing(filled: Engine, inner: Engine, how: str) -> None:
    said = inner.chat("What about the amber pump?").chat_id
    bound = inner.principal.filter_id or ""
    if how == "deleted":
        filled.delete_filter(bound)
    else:
        filled.update_filter(bound, query_data={"filters": {"data_sources": []}})
    assert inner.search("*").hits == inner.search("amber").hits == inner.documents().documents == ()
    assert inner.stats().documents == 0
    assert inner.chats().chats == ()
    assert refused(lambda: inner.get_chat(said)).code == "chat_not_found"
    assert "No document fits" in inner.chat("What about the amber pump?").text
    assert refused(lambda: write_as(inner, "inner/new.md")).code == "outside_filter"
    assert refused(lambda: inner.submit([ADDRESS])).code == "outside_filter"


def test_only_its_own_filter_is_there(filled: Engine, inner: Engine) -> None:
    own = filled.filter(inner.principal.filter_id or "")
    other = filled.create_filter("part of others", "", {})
    value = filled.store.record("filter", other.id)
    assert value
    filled.store.apply(Batch(records=[Record("filter", f"z{n:04}", value.value) for n in range(1001)]))
    assert inner.filters() == inner.filters("part") == [own]
    assert inner.filters("others") == []
    assert str(refused(lambda: inner.filter(other.id))) == str(refused(lambda: inner.filter("no such thing")))


# Writing


def test_names_are_refused_alike_whether_they_are_taken_or_not(filled: Engine, inner: Engine) -> None:
    taken = refused(lambda: write_as(inner, "outer/same.md"))
    free = refused(lambda: write_as(inner, "outer/nobody-has-this.md"))
    assert isinstance(taken, ForbiddenError)
    assert (taken.code, str(taken)) == (free.code, str(free))
    assert filled.tasks() == []


def test_what_is_written_inside_is_seen(filled: Engine, inner: Engine) -> None:
    for name in ("inner/new.md", "inner/same.md"):
        inner.run(write_as(inner, name).id)
        assert [chunk.text for chunk in inner.passages(inner.document(name))] == ["New\n\ncopper"]
    assert refused(lambda: inner.submit_contents([("inner/new.md", b"x")], replacing=False)).code == "document_exists"


def test_what_turns_out_to_be_outside_is_not_kept(filled: Engine, bind: Callable[..., Engine]) -> None:
    """A type is known only when the file was read."""
    key = bind(document_types=["pdf"])
    before = {document.name for document in filled.documents().documents}
    task = key.run(write_as(key, "report.pdf").id)
    [file] = key.task_files(task.id)
    assert (task.status, file.error and file.error["code"]) == ("failed", "outside_filter")
    assert {document.name for document in filled.documents().documents} == before


def test_what_turns_out_to_be_outside_costs_nothing_that_was_there(filled: Engine, bind: Callable[..., Engine]) -> None:
    key = bind(document_types=["markdown"])
    filled.ingest(text="# Notes\n\nzinc", filename="notes.md")
    page = b"<!DOCTYPE html><html><head><title>x</title></head><body><p>copper</p></body></html>"
    task = key.run(key.submit_contents([("notes.md", page)]).id)
    assert [file.error and file.error["code"] for file in key.task_files(task.id)] == ["outside_filter"]
    assert [chunk.text for chunk in key.passages(key.document("notes.md"))] == ["Notes\n\nzinc"]


@pytest.mark.parametrize("content", ["# New\n\ncopper", "# Budget\n\nzinc"], ids=["same", "other"])
def test_what_others_brought_in_meanwhile_is_not_replaced(
    filled: Engine, bind: Callable[..., Engine], content: str
) -> None:
    bob = bind(name="bob", owners=["bob"])
    task = write_as(bob, "budget.md")
    filled.ingest(text=content, filename="budget.md")
    assert bob.run(task.id).status == "failed"
    assert [file.error and file.error["code"] for file in bob.task_files(task.id)] == ["outside_filter"]
    assert filled.document("budget.md").owner == "local"
    assert [chunk.text for chunk in filled.passages(filled.document("budget.md"))] == [content[2:]]


def test_one_name_outside_is_enough_to_refuse_all(filled: Engine, inner: Engine) -> None:
    both = [("inner/new.md", b"x"), ("outer/same.md", b"x")]
    assert refused(lambda: inner.submit_contents(both)).code == "outside_filter"
    assert not filled.store.scan_records("upload")


def test_owners_are_not_chosen_at_will(filled: Engine, bind: Callable[..., Engine]) -> None:
    ann, key = bind(name="ann", owners=["ann"]), bind(owners=["ann"])
    assert refused(lambda: write_as(key, "new.md")).code == "outside_filter"
    assert refused(lambda: write_as(ann, "new.md", owner="bob")).code == "outside_filter"
    assert refused(lambda: write_as(ann, "outer/same.md")).code == "outside_filter"
    ann.run(write_as(ann, "new.md").id)
    assert ann.document("new.md").owner == "ann"


@pytest.mark.parametrize("bound", [True, False])
def test_paths_of_this_machine_are_for_who_rules_the_house(
    filled: Engine, inner: Engine, docs: Path, bound: bool
) -> None:
    write: frozenset[Scope] = frozenset({"read", "write"})
    caller = inner if bound else filled.acting_for(Principal("k", "key", write))
    there, missing = refused(lambda: caller.submit([docs])), refused(lambda: caller.submit([docs / "missing"]))
    assert isinstance(there, ForbiddenError)
    assert str(there) == str(missing)
    assert refused(lambda: caller.submit([ADDRESS, docs])).code == there.code
    assert isinstance(refused(lambda: caller.submit(["file:///etc/hostname"])), InputError)
    assert filled.tasks() == []


def test_addresses_are_judged_like_names(filled: Engine, bind: Callable[..., Engine]) -> None:
    caller = bind(data_sources=["https://example.com/inner/*", "handbook*"])
    for address in (ADDRESS, "https://other.example.com/handbook.md?v=2"):
        assert caller.submit([address]).sources == (address,)
    address = "https://example.com/outer/guide.md"
    assert refused(lambda: caller.submit([address])).code == "outside_filter"
    assert refused(lambda: caller.chat(f"Please ingest {address}")).code == "outside_filter"


def test_what_was_taken_meanwhile_is_not_brought_in_again(filled: Engine, bind: Callable[..., Engine]) -> None:
    caller = bind(name="ann", owners=["ann"])
    task = caller.cancel(caller.submit([ADDRESS]).id)
    filled.store.apply(Batch(documents=[document(document_id(ADDRESS), "secret", source=ADDRESS, owner="bob")]))
    assert refused(lambda: caller.retry(task.id)).code == "outside_filter"
    assert filled.retry(task.id).sources == (ADDRESS,)


@pytest.mark.parametrize("pattern", ["*", "**", "?*", "???*"])
def test_a_filter_that_names_all_deletes_nothing(filled: Engine, pattern: str) -> None:
    saved = filled.create_filter("all", "", {"filters": {"data_sources": ["x", pattern]}})
    assert refused(lambda: filled.delete_matching(saved.id)).code == "filter_too_wide"
    assert filled.stats().documents == 4


def test_deleting_by_filter_stays_inside(filled: Engine, inner: Engine) -> None:
    wide = filled.create_filter("wide", "", {"filters": {"data_sources": ["*e*"]}})
    assert refused(lambda: inner.delete_matching(wide.id)).code == "filter_not_found"
    assert {each.id for each in inner.delete_matching(inner.principal.filter_id or "")} == {IN1, IN2}
    assert {each.id for each in filled.documents().documents} == {OUT1, OUT2}


# What belongs to others


@pytest.mark.parametrize("scopes", ["read write", "admin"])
def test_tasks_of_others_are_not_there(filled: Engine, bind: Callable[..., Engine], scopes: str) -> None:
    caller = bind(scopes)
    done, waiting = filled.cancel(filled.submit([ADDRESS]).id), filled.submit([ADDRESS])
    assert caller.tasks() == caller.interrupted() == []
    for task in (done, waiting):
        for call in (caller.task, caller.task_files, caller.cancel, caller.retry, caller.forget, caller.run):
            error = refused(lambda call=call, task=task: call(task.id))
            assert str(error) == str(refused(lambda call=call: call("0" * 20))).replace("0" * 20, task.id)
        assert refused(lambda task=task: caller.wait(task.id, 0)).code == "task_not_found"
    assert [task.status for task in filled.tasks()] == ["pending", "cancelled"]


def test_conversations_of_others_are_not_there(filled: Engine, bind: Callable[..., Engine]) -> None:
    mine, other = bind(name="one", data_sources=["inner/*"]), bind(name="two", data_sources=["inner/*"])
    for said in (filled.chat("amber crane?").chat_id, other.chat("amber pump?").chat_id):
        for call in (mine.get_chat, mine.delete_chat, lambda it: mine.chat("and what about it?", chat_id=it)):
            assert refused(lambda call=call, said=said: call(said)).code == "chat_not_found"
    assert mine.chats().chats == ()
    assert len(filled.chats().chats) == len(other.chats().chats) == 1


def test_a_filter_that_is_changed_while_an_answer_is_made_does_not_mix_conversations(
    filled: Engine, inner: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound, stream = inner.principal.filter_id or "", filled.rooms.answering.stream

    def changed_meanwhile(*asked: object) -> object:
        filled.update_filter(bound, query_data={"filters": {"data_sources": ["outer/*"]}})
        return stream(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(filled.rooms.answering, "stream", changed_meanwhile)
    answer = inner.chat("What about the amber crane?")
    assert {hit.document.id for hit in answer.sources} <= {IN1, IN2}
    assert inner.chats().chats == ()
    filled.update_filter(bound, query_data={"filters": {"data_sources": ["inner/*"]}})
    assert [chat.id for chat in inner.chats().chats] == [answer.chat_id]


def test_a_key_called_local_is_not_the_local_user(filled: Engine) -> None:
    filled.submit([ADDRESS])
    filled.chat("amber?")
    caller = filled.acting_for(Principal("k", LOCAL.name, frozenset({"read", "write"})))
    assert caller.tasks() == []
    assert caller.chats().chats == ()


# What a filter will let through


_NAMES = st.sampled_from(["inner/a.md", "a[1].md", "a?b", "outer/[x]", "é\n*", ""])
_PATTERNS = st.sampled_from(["inner/*", "*.md", "a[1].md", "*[1]*", "a?b", "?[[]*", "text:*", "[a-z]*", "*\n*", ""])
_some = st.none() | st.lists(_PATTERNS, max_size=2).map(tuple)
_one = st.builds(
    Filter,
    ids=st.none() | st.sampled_from([(), (document_id("text:inner/a.md"),)]),
    names=_some,
    owners=st.none() | st.sampled_from([(), ("ann",), ("bob", "ann")]),
    types=st.none() | st.sampled_from([(), ("markdown",), ("pdf",)]),
)


@given(where=_one, also=_one, name=_NAMES, owner=st.sampled_from(["ann", "bob", ""]))
def test_what_a_filter_shows_is_what_it_admits(where: Filter, also: Filter, name: str, owner: str) -> None:
    source = f"text:{name}"
    written = document(document_id(source), "x", name=name, source=source, owner=owner).document
    both = where.within(also)
    if matches(both, written):
        assert may_admit(both, name, source, owner)
    if may_admit(both, name, source, owner) and where.types is None and also.types is None:
        assert matches(both, written)


_time = st.none() | st.sampled_from([0.0, 1.0, 2.0])
_whole = st.builds(
    Filter,
    ids=st.none() | st.sampled_from([(), (document_id("text:inner/a.md"),)]),
    names=_some,
    types=st.none() | st.sampled_from([(), ("markdown",), ("pdf",), ("text/markdown", "pdf")]),
    owners=st.none() | st.sampled_from([(), ("ann",)]),
    modified_from=_time,
    modified_until=_time,
    fields=st.sampled_from([{}, {"team": ("anchor", "sail")}, {"year": (2024.0,)}, {"team": (), "year": (2024,)}]),
)


@given(where=_whole, also=st.none() | _whole, name=_NAMES, year=st.sampled_from([2024, "2024"]))
def test_what_is_admitted_is_what_the_stores_show(where: Filter, also: Filter | None, name: str, year: int) -> None:
    source, fields = f"text:{name}", {"team": "anchor", "year": year}
    id = document_id(source)
    written = document(id, "x", name=name, source=source, owner="ann", modified_at=1.0, fields=fields).document
    both = where.within(also) if also else where
    assert admits(both, written) == matches(both, written)
