"""What is asked of the server, word for word."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.client import routes
from knowgate.client.call import Call
from knowgate.client.errors import ValidationError


def test_what_is_not_given_is_not_sent() -> None:
    assert routes.search("otters").body == {"query": "otters"}
    assert routes.chat("hello").body == {"message": "hello", "stream": False}
    assert routes.documents().params == {}
    assert routes.chats().params == {}
    assert routes.create_key("ci").body == {"name": "ci"}
    assert routes.update_filter("f", {}, name="New").body == {"name": "New"}
    # A scope that is not told stays as it is, and is not opened to everything.
    assert routes.update_filter("f", {"data_sources": None}, name="New").body == {"name": "New"}


def test_zero_and_empty_lists_are_sent_for_they_mean_something() -> None:
    assert routes.search("otters", score_threshold=0.0, limit=0, owners=[]).body == {
        "query": "otters",
        "score_threshold": 0.0,
        "limit": 0,
        "filters": {"owners": []},
    }


def test_one_name_is_not_taken_for_its_letters() -> None:
    assert routes.search("otters", data_sources="a.md").body == {
        "query": "otters",
        "filters": {"data_sources": ["a.md"]},
    }
    body = routes.chat("hello", filters={"document_types": "pdf"}).body
    assert body is not None
    assert body["filters"] == {"document_types": ["pdf"]}


def test_a_filters_scope_is_sent_in_the_servers_words() -> None:
    call = routes.create_filter("Money", {"data_sources": ["a.md"], "limit": 3, "score_threshold": 0.2, "query": "q"})
    assert call.body == {
        "name": "Money",
        "description": "",
        "queryData": {"query": "q", "filters": {"data_sources": ["a.md"]}, "limit": 3, "scoreThreshold": 0.2},
    }


def test_a_moment_is_sent_in_utc() -> None:
    body = routes.create_key("ci", expires_at=datetime(2030, 1, 2, tzinfo=UTC)).body
    assert body == {"name": "ci", "expires_at": "2030-01-02T00:00:00+00:00"}


def test_an_answer_is_held_back_as_long_as_asked_for() -> None:
    assert routes.one_task("t").params == {"wait_seconds": 0}
    call = routes.one_task("t", wait_seconds=25)
    assert (call.params, call.held) == ({"wait_seconds": 25}, 25)


@pytest.mark.parametrize(
    "call",
    [
        routes.chat("hello"),
        routes.delete_chat("c"),
        routes.ingest_url("https://a.example"),
        routes.ingest_text("a", "a.md"),
        routes.ingest_files([]),
        routes.delete_document("a.md"),
        routes.delete_matching("f"),
        routes.cancel_task("t"),
        routes.retry_task("t"),
        routes.create_filter("f", {}),
        routes.update_filter("f", {}),
        routes.delete_filter("f"),
        routes.update_settings({}),
        routes.create_key("k"),
        routes.revoke_key("k"),
    ],
)
def test_what_changes_something_is_not_safe_to_repeat(call: Call[object]) -> None:
    assert not call.safe


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        (routes.chat("hello"), "POST /chat"),
        (routes.chats(), "GET /chat"),
        (routes.one_chat("c"), "GET /chat/c"),
        (routes.delete_chat("c"), "DELETE /chat/c"),
        (routes.search("q"), "POST /search"),
        (routes.ingest_url("https://a.example"), "POST /documents/ingest"),
        (routes.documents(), "GET /documents"),
        (routes.delete_document("a.md"), "DELETE /documents"),
        (routes.delete_matching("f"), "DELETE /documents"),
        (routes.tasks(), "GET /tasks"),
        (routes.one_task("t"), "GET /tasks/t"),
        (routes.cancel_task("t"), "POST /tasks/t/cancel"),
        (routes.retry_task("t"), "POST /tasks/t/retry"),
        (routes.create_filter("n", {}), "POST /knowledge-filters"),
        (routes.search_filters(), "POST /knowledge-filters/search"),
        (routes.update_filter("f", {}), "PUT /knowledge-filters/f"),
        (routes.delete_filter("f"), "DELETE /knowledge-filters/f"),
        (routes.settings(), "GET /settings"),
        (routes.update_settings({}), "POST /settings"),
        (routes.models("ollama"), "GET /models/ollama"),
        (routes.keys(), "GET /keys"),
        (routes.create_key("k"), "POST /keys"),
        (routes.revoke_key("k"), "DELETE /keys/k"),
        (routes.stats(), "GET /stats"),
    ],
)
def test_every_call_has_its_route(call: Call[object], asked: str) -> None:
    assert f"{call.method} {call.path}" == asked


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_what_would_be_another_path_is_refused(name: str) -> None:
    for route in (routes.delete_chat, routes.one_document, routes.revoke_key, routes.delete_filter):
        with pytest.raises(ValidationError):
            route(name)


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda name: name.strip(".")))
def test_any_name_is_one_part_of_the_path(name: str) -> None:
    prefix, part = routes.one_document(name).path.rsplit("/", 1)
    assert prefix == "/documents"
    assert unquote(part) == name


def test_a_time_without_a_zone_is_one_of_this_machine() -> None:
    here = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as callers write it
    told = here.astimezone(UTC).isoformat()
    assert routes.audit(since=here, until="2027-01-01T00:00:00Z").params == {
        "since": told,
        "until": "2027-01-01T00:00:00Z",
    }
    assert routes.create_key("ci", expires_at=here).body == {"name": "ci", "expires_at": told}
