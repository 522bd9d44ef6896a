"""Whatever a server sends becomes an answer or a typed error."""

from __future__ import annotations

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate import errors as families
from knowgate import wire
from knowgate.client import routes
from knowgate.client.answers import read_answer, read_error, read_retry_after
from knowgate.client.errors import (
    AuthenticationError,
    ClientError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
    RateLimitError,
    ServerError,
    ValidationError,
)


@pytest.mark.parametrize(
    ("status", "kind", "family"),
    [
        (400, ValidationError, families.InputError),
        (401, AuthenticationError, families.AuthError),
        (403, ForbiddenError, families.AuthError),
        (403, ForbiddenError, families.ForbiddenError),
        (404, NotFoundError, families.NotFoundError),
        (409, ConflictError, families.ConflictError),
        (413, ValidationError, families.InputError),
        (418, ClientError, families.KnowgateError),
        (422, ValidationError, families.InputError),
        (429, RateLimitError, families.LimitError),
        (500, ServerError, families.NetworkError),
        (507, ServerError, families.NetworkError),
    ],
)
def test_a_status_is_an_error_of_its_kind_and_family(
    status: int, kind: type[ClientError], family: type[families.KnowgateError]
) -> None:
    error = read_error(httpx2.Response(status))
    assert type(error) is kind
    assert isinstance(error, family)
    assert (error.exit_code, error.status_code) == (family.exit_code, status)
    assert (error.code, error.message) == (f"http_{status}", f"HTTP {status}")


def test_the_servers_own_words_are_kept() -> None:
    said = {"error": "No such chat.", "code": "chat_not_found", "fix": "List the chats.", "request_id": "r7"}
    error = read_error(httpx2.Response(404, json=said))
    assert (error.message, error.code, error.fix, error.request_id) == tuple(said.values())
    assert str(error) == "No such chat. List the chats."


def test_what_a_person_has_to_approve_is_named() -> None:
    said = {"error": "A person has to approve this.", "code": "approval_needed", "approval_id": "a1"}
    error = read_error(httpx2.Response(403, json=said))
    assert isinstance(error, AuthenticationError)
    assert (type(error), error.approval_id, error.http_status) == (ForbiddenError, "a1", 403)
    assert read_error(httpx2.Response(403)).approval_id == ""


def test_the_request_id_of_the_header_is_the_one_in_the_log() -> None:
    assert read_error(httpx2.Response(500, headers={"x-request-id": "r8"})).request_id == "r8"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": {"error": "Invalid API key", "message": "x"}}', "Invalid API key"),
        (b"<h1>Bad\n gateway</h1>", "<h1>Bad gateway</h1>"),
        (b"x" * 2000, "x" * 500 + "…"),
        (b"[1]", "HTTP 502"),
        (b"[" * 100_000, "[" * 500 + "…"),
    ],
)
def test_other_servers_forms_are_read_too(body: bytes, message: str) -> None:
    assert read_error(httpx2.Response(502, content=body)).message == message


def test_a_redirect_says_where_to_go() -> None:
    error = read_error(httpx2.Response(301, headers={"Location": "https://docs.example/api"}))
    assert "https://docs.example/api" in error.fix


def test_fields_of_a_newer_server_are_left_out() -> None:
    answer = read_answer(
        routes.stats(), httpx2.Response(200, json={"documents": 1, "passages": 2, "pending": 0, "new": 1})
    )
    assert answer == wire.StatsAnswer(1, 2, 0)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"documents": "many", "passages": 1, "pending": 0}'])
def test_an_answer_that_makes_no_sense_is_the_servers_error(body: bytes) -> None:
    with pytest.raises(ServerError) as caught:
        read_answer(routes.stats(), httpx2.Response(200, content=body))
    assert caught.value.code == "bad_answer"


def test_a_refusal_may_carry_the_answer() -> None:
    call = routes.delete_document("a.md")
    missing = httpx2.Response(404, json={"success": False, "deleted_chunks": 0, "error": "No document."})
    assert read_answer(call, missing) == wire.DeleteAnswer(False, 0, error="No document.")
    with pytest.raises(NotFoundError, match="Not Found"):
        read_answer(call, httpx2.Response(404, json={"detail": "Not Found"}))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("Thu, 01 Jan 1970 00:01:40 GMT", 60.0), ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0), ("", None)],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert read_retry_after(value, now=40.0) == seconds


@given(st.text())
def test_any_retry_after_is_read(value: str) -> None:
    seconds = read_retry_after(value, now=0.0)
    assert seconds is None or seconds >= 0


@given(st.integers(300, 599), st.binary() | st.recursive(st.none() | st.text(), st.lists).map(str).map(str.encode))
def test_any_refusal_is_read(status: int, body: bytes) -> None:
    error = read_error(httpx2.Response(status, content=body))
    assert error.message
    assert error.code
