"""Bodies of every wrong kind are refused in words, and none of them is an accident."""

from __future__ import annotations

import pytest

JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=b"}
INGEST = "/api/v1/documents/ingest"


def _refused(answer) -> str:
    body = answer.json()
    assert answer.status_code == 400
    assert {"error", "code", "request_id"} <= set(body)
    assert body["error"].endswith(".")
    assert not body["error"].endswith("..")
    return body["code"]


@pytest.mark.parametrize("path", ["search", "chat", "knowledge-filters", "keys", "settings", "documents/ingest"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b'{"query": NaN}',
        b'{"query": 1e999}',
        b'{"query": ' + b"9" * 5000 + b"}",
        b'{"query": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"query": ' + b"[" * 100_000,
        b'{"query": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        '{"query": "x"}'.encode("utf-16"),
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_is_no_json(http, path, body):
    if path == "settings" and body == b"":
        return
    assert _refused(http.post(f"/api/v1/{path}", content=body, headers=JSON)) == "bad_request"


@pytest.mark.parametrize(
    "type", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "é", "", "json"]
)
@pytest.mark.parametrize("path", ["search", "documents/ingest"])
def test_what_is_not_said_to_be_json(http, path, type):
    headers = {"content-type": type.encode("latin-1")}
    assert _refused(http.post(f"/api/v1/{path}", content=b"query=x", headers=headers)) == "bad_request"


@pytest.mark.parametrize(
    "type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=abc",
        "multipart/form-data; boundary=" + "a" * 300,
        "multipart/form-data; boundary=b; boundary=c",
        "multipart/mixed; boundary=b",
    ],
)
def test_what_is_no_form(http, type):
    headers = {"content-type": type}
    assert _refused(http.post(INGEST, content=b"--b\r\nnonsense\r\n\r\n--b--", headers=headers)) == "bad_request"


@pytest.mark.parametrize(
    ("disposition", "code"),
    [
        (b'form-data; name="file"', "nothing_to_ingest"),
        (b'form-data; name="file"; filename=""', "bad_text"),
        (b'form-data; name="file"; filename=".."', "bad_text"),
        (b'form-data; name="file"; filename="  "', "bad_text"),
        (b'form-data; name="file"; filename="a\x00b"', "bad_name"),
        (b'form-data; name="\xff"; filename="x"', "bad_request"),
        (b"form-data", "bad_request"),
        (b'form-data; name="create_filter"; filename="x"', "nothing_to_ingest"),
    ],
)
def test_parts_that_are_no_files(http, disposition, code):
    body = b"--b\r\nContent-Disposition: " + disposition + b"\r\n\r\nx\r\n--b--\r\n"
    assert _refused(http.post(INGEST, content=body, headers=FORM)) == code


def test_too_many_parts(http):
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.md"\r\n\r\nx\r\n'
    assert _refused(http.post(INGEST, content=part * 1001 + b"--b--\r\n", headers=FORM)) == "bad_request"


@pytest.mark.parametrize(
    "path",
    [
        "documents?cursor=%00",
        "documents?limit=1e3",
        "documents?limit=99999999999999999999",
        "search?query=%20",
        "search?query=x&cursor=%ff",
        "search?query=x&limit=10&limit=x",
        "search?query=x&%ff=1",
        "chat?cursor=W10",
        "chat?cursor=%5B1%5D",
        "tasks?limit=-1",
    ],
)
def test_odd_parameters(http, path):
    assert http.get(f"/api/v1/{path}").status_code in (200, 400)


@pytest.mark.parametrize(
    "name", ["%00", "%ff", "%", "%zz", "a%2Fb", "..%2F..%2Fetc", "a" * 4000, "%0d%0ax", "*", "[a", ""]
)
def test_odd_names(http, name):
    for path in ("documents", "tasks", "chat", "knowledge-filters"):
        missing = http.get(f"/api/v1/{path}/{name}")
        assert missing.status_code == 404
        assert {"error", "code", "request_id"} <= set(missing.json())
