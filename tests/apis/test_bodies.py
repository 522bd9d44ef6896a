"""Bodies in every media type that we write."""

from __future__ import annotations

import base64
import json
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_multipart.multipart import Field, File, FormParser, parse_options_header
from tests.apis.samples import built, operation, refusal, taking

from knowgate.apis.operation import Body, Part
from knowgate.apis.request import Request

UPLOAD = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "format": "binary"},
        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "meta": {"type": "object"},
        "count": {"type": "integer"},
    },
}
PNG = b"\x89PNG\r\n--x\0"
FILE = {"filename": 'a "b".png', "content_type": "image/png", "base64": base64.b64encode(PNG).decode()}
CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\%')
NAMES = st.text(CHARACTERS, min_size=1, max_size=12).filter(lambda name: name != "__proto__")


def parts_of(request: Request) -> list[EmailMessage]:
    raw = b"Content-Type: " + request.content_type.encode() + b"\r\n\r\n" + (request.body or b"")
    return list(message_from_bytes(raw, policy=policy.HTTP).iter_parts())  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/merge-patch+json", "application/vnd.api+json; version=1"]
)
@pytest.mark.parametrize("value", [{"a": None, "b": "é"}, [1, 2.5], "text", None, False, 10**30])
def test_json(content_type: str, value: Any) -> None:
    request = built(taking(content_type), {"body": value})
    assert request.content_type == content_type
    assert json.loads(request.body or b"") == value


def test_any_type_is_json_for_what_is_not_text_or_a_file() -> None:
    assert built(taking("*/*"), {"body": {"a": 1}}).content_type == "application/json"
    binary = taking("*/*", {"type": "string", "format": "binary"})
    assert built(binary, {"body": "raw"}).body == b"raw"
    assert built(binary, {"body": FILE}).content_type == "image/png"


def test_form_fields_and_nested_objects() -> None:
    value = {"name": "a b&c", "tags": ["x", "y"], "meta": {"k": [1]}, "on": True, "none": None}
    request = built(taking("application/x-www-form-urlencoded"), {"body": value})
    assert parse_qsl((request.body or b"").decode()) == [
        ("name", "a b&c"),
        ("tags", "x"),
        ("tags", "y"),
        ("meta", '{"k":[1]}'),
        ("on", "true"),
    ]


def test_form_fields_by_their_encoding() -> None:
    parts = {
        "meta": Part(style="deepObject"),
        "tags": Part(explode=False),
        "raw": Part(content_type="application/json"),
        "list": Part(style="pipeDelimited", explode=False),
    }
    value = {"meta": {"k": {"l": 1}}, "tags": ["x", "y"], "raw": ["z"], "list": [1, 2]}
    request = built(taking("application/x-www-form-urlencoded", parts=parts), {"body": value})
    assert parse_qsl((request.body or b"").decode()) == [
        ("meta[k][l]", "1"),
        ("tags", "x,y"),
        ("raw", '["z"]'),
        ("list", "1|2"),
    ]


@given(st.dictionaries(NAMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4))
def test_any_form_comes_back(value: dict[str, str]) -> None:
    request = built(taking("application/x-www-form-urlencoded"), {"body": value})
    assert dict(parse_qsl((request.body or b"").decode(), keep_blank_values=True)) == value


def test_multipart_parts_have_names_and_types() -> None:
    parts = {"count": Part(content_type="application/json")}
    value = {"file": FILE, "files": [{"filename": "1.txt", "text": "one"}, "two"], "meta": {"k": 1}, "count": 3}
    request = built(taking("multipart/form-data", UPLOAD, parts=parts), {"body": value})
    found = [
        (part.get_param("name", header="content-disposition"), part.get_filename(), part["content-type"])
        for part in parts_of(request)
    ]
    assert found == [
        ("file", "a %22b%22.png", "image/png"),
        ("files", "1.txt", "application/octet-stream"),
        ("files", "files", "application/octet-stream"),
        ("meta", None, "application/json"),
        ("count", None, "application/json"),
    ]
    contents = [part.get_payload(decode=True) for part in parts_of(request)]
    assert contents == [PNG, b"one", b"two", b'{"k":1}', b"3"]


@given(st.dictionaries(NAMES, st.binary(max_size=40), max_size=3), NAMES)
def test_any_files_come_back_from_another_parser(files: dict[str, bytes], filename: str) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string", "format": "binary"}}
    value = {name: {"filename": filename, "base64": base64.b64encode(data).decode()} for name, data in files.items()}
    request = built(taking("multipart/form-data", schema), {"body": value})
    found: dict[str, tuple[str, bytes]] = {}

    def on_file(file: File) -> None:
        file.file_object.seek(0)
        found[(file.field_name or b"").decode()] = ((file.file_name or b"").decode(), file.file_object.read())

    def on_field(field: Field) -> None:
        raise AssertionError(f"{field} is no file")

    boundary = parse_options_header(request.content_type)[1][b"boundary"]
    parser = FormParser("multipart/form-data", on_field, on_file, boundary=boundary)
    parser.write(BytesIO(request.body or b"").read())
    parser.finalize()
    parser.close()
    assert found == {name: (filename, data) for name, data in files.items()}


@pytest.mark.parametrize(
    "file",
    [
        {"filename": "a\r\nX: y", "text": ""},
        {"filename": "a", "content_type": "image/png\r\nX: y", "text": ""},
        {"filename": "a", "content_type": "png", "text": ""},
    ],
)
def test_names_and_types_of_files_cannot_inject(file: dict[str, str]) -> None:
    assert refusal(taking("multipart/form-data", UPLOAD), {"body": {"file": file}}).code == "unsafe_value"


def test_names_of_fields_cannot_inject() -> None:
    free = taking("multipart/form-data", {"type": "object"})
    assert refusal(free, {"body": {'a"\r\nX: y': "1"}}).code == "unsafe_value"


@pytest.mark.parametrize("file", [{"filename": "a", "base64": "%%%"}, {"filename": "a", "text": 1}])
def test_broken_files_are_refused(file: dict[str, Any]) -> None:
    assert refusal(taking("application/octet-stream"), {"body": file}).code == "bad_arguments"


@pytest.mark.parametrize("content_type", ["application/octet-stream", "image/*"])
def test_bytes(content_type: str) -> None:
    request = built(taking(content_type, {"type": "string", "format": "binary"}), {"body": FILE})
    assert (request.content_type, request.body) == ("image/png", PNG)


def test_text_and_formats_that_we_do_not_write() -> None:
    assert built(taking("text/plain", {"type": "string"}), {"body": "hé"}).body == "hé".encode()
    xml = taking("application/xml", {"type": "object", "properties": {"a": True}})
    assert built(xml, {"body": "<a/>"}).body == b"<a/>"
    csv = taking("text/csv", {"type": "object", "properties": {"a": True}})
    assert refusal(csv, {"body": {"a": 1}}).code == "bad_arguments"


@pytest.mark.parametrize("content_type", ["application/octet-stream", "text/plain"])
def test_an_object_that_is_described_as_plain_bytes_is_meant_as_json(content_type: str) -> None:
    described = taking(content_type, {"type": "object", "properties": {"a": True}})
    request = built(described, {"body": {"a": 1}})
    assert (request.content_type, request.body) == (content_type, b'{"a":1}')
    assert refusal(taking(content_type, {"type": "string"}), {"body": {"a": 1}}).code == "bad_arguments"


def test_the_media_type_is_chosen_by_what_can_carry_the_value_or_by_name() -> None:
    bodies = tuple(Body(kind, True) for kind in ("text/plain", "multipart/form-data", "application/json", "image/png"))
    one = operation(method="POST", bodies=bodies)
    assert built(one, {"body": {"a": 1}}).content_type == "application/json"
    assert built(one, {"body": {"a": FILE}}).content_type.startswith("multipart/form-data; boundary=")
    assert built(one, {"body": FILE}).content_type == "image/png"
    assert built(one, {"body": "a", "Content-Type": "text/plain"}).content_type == "text/plain"
    assert "application/json" in refusal(one, {"body": "a", "Content-Type": "text/csv"}).fix
