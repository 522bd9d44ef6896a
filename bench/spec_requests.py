"""Whether requests built from examples are what a parser that nobody here wrote makes of the same description.

schemathesis reads the original (2.0 and 3.x alike), judges every value by the description's own schemas, and writes the
parameters once more by itself; what it writes has to be what we send.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson

from knowgate.apis.arguments import BODY, slots
from knowgate.apis.examples import sample_arguments
from knowgate.apis.operation import Operation, SecurityScheme
from knowgate.apis.request import Request, build
from knowgate.apis.spec.load import load
from knowgate.apis.spec.parse import Limits, parse
from knowgate.errors import KnowgateError

BASE = "https://api.example.com"
_PLACES = {"path": "path_parameters", "query": "query", "header": "headers", "cookie": "cookies"}


@dataclass(frozen=True, slots=True)
class Tried:
    file: str
    operation: str
    result: str
    """`accepted`, `not built`, `refused`, or `unread` when schemathesis itself cannot read the operation."""
    why: str = ""


def try_operations(path: Path, each: int) -> Iterator[Tried]:
    """Every n-th operation of a description, built and compared."""
    import schemathesis

    data = path.read_bytes()
    try:
        api = load(data, name="x", source=str(path))
    except KnowgateError:
        return
    description: dict[str, Any] = parse(data, Limits())
    try:
        whole: Any = schemathesis.openapi.from_dict(description)
    except Exception as error:  # noqa: BLE001 - whatever the other parser says is what is measured
        for operation in api.operations[::each]:
            yield Tried(path.name, operation.id, "unread", repr(error)[:200])
        return
    schemes = list(api.schemes.values())
    paths = _paths(description, api.operations)
    for operation in api.operations[::each]:
        try:
            arguments = sample_arguments(operation, schemes)
            request = build(operation, arguments, base_url=BASE, schemes=schemes)
        except KnowgateError as error:
            yield Tried(path.name, operation.id, "not built", str(error))
            continue
        try:
            theirs = whole[paths[operation.id]][operation.method]
        except Exception as error:  # noqa: BLE001 - see above
            yield Tried(path.name, operation.id, "unread", repr(error)[:200])
            continue
        try:
            why = next(_differences(theirs, operation, schemes, arguments, request), "")
        except Exception as error:  # noqa: BLE001 - see above
            yield Tried(path.name, operation.id, "unread", f"{type(error).__name__}: {error}"[:300])
            continue
        yield Tried(path.name, operation.id, "refused" if why else "accepted", why)


def _paths(description: dict[str, Any], operations: Iterable[Operation]) -> dict[str, str]:
    """The description's path of each operation. What tells two of them apart after ? or # is none of ours."""
    items: dict[str, Any] = description.get("paths") or {}
    keys: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path, item in items.items():
        for method in item if isinstance(item, dict) else ():  # pyright: ignore
            keys[re.split(r"[?#]", path)[0], str(method).upper()].append(path)  # pyright: ignore
    return {each.id: (keys[each.path, each.method] or [each.path]).pop(0) for each in operations}


def _differences(
    theirs: Any, operation: Operation, schemes: list[SecurityScheme], arguments: Mapping[str, Any], request: Request
) -> Iterator[str]:
    open_ = slots(operation, schemes)
    by_place: dict[str, dict[str, Any]] = {place: {} for place in _PLACES}
    for name, parameter in open_.items():
        if name in arguments:
            by_place[parameter.place][parameter.name] = arguments[name]
    ours = {(parameter.place, parameter.name) for parameter in open_.values()}
    for place, container in _PLACES.items():
        for parameter in getattr(theirs, container):
            if parameter.name in by_place[place]:
                value = by_place[place][parameter.name]
                if not parameter.is_valid(value):
                    yield f"{place} {parameter.name}: {value!r} is not valid"
            # What carries credentials or is negotiated is added later, or by the HTTP client.
            elif parameter.is_required and (place, parameter.name) in ours:
                yield f"{place} {parameter.name} is missing"
        if by_place[place]:
            write = theirs.get_parameter_serializer(place)
            values = dict(by_place[place])
            yield from _compare(place, write(values) if write else values, operation, request)
    if BODY in arguments:
        yield from _body(theirs, arguments[BODY], request)


def _compare(place: str, written: Mapping[str, Any], operation: Operation, request: Request) -> Iterator[str]:
    parts = urlsplit(request.url)
    if place == "path":
        expected = operation.path
        for name, value in written.items():
            expected = expected.replace(f"{{{name}}}", _text(value))
        if unquote(parts.path) != unquote(expected.partition("?")[0]):
            yield f"path: {parts.path} instead of {expected}"
    elif place == "query":
        sent = Counter(parse_qsl(parts.query, keep_blank_values=True))
        expected = Counter(_pairs(written))
        if expected - sent:
            yield f"query: {parts.query} instead of {dict(expected)}"
    elif place == "header":
        sent = {name.lower(): value for name, value in request.headers}
        for name, value in written.items():
            if sent.get(name.lower(), "") != _text(value):
                yield f"header {name}: {sent.get(name.lower())!r} instead of {value!r}"
    else:
        jar = SimpleCookie(next((value for name, value in request.headers if name == "Cookie"), ""))
        for name, value in _pairs(written):
            if name not in jar or unquote(jar[name].value) != value:
                yield f"cookie {name}: not {value!r}"


def _body(theirs: Any, value: Any, request: Request) -> Iterator[str]:
    mime = request.content_type.partition(";")[0]
    found = [each for each in theirs.body if each.media_type.partition(";")[0].lower() == mime.lower()]
    if not found and "*" not in "".join(each.media_type for each in theirs.body):
        yield f"body: {mime} is not among {[each.media_type for each in theirs.body]}"
    plain = _without_files(value)
    if found and not any(each.is_valid(plain) for each in found):
        yield f"body: {str(plain)[:200]} is not valid"
    body = request.body or b""
    if mime.endswith("json") and orjson.loads(body) != value:
        yield "body: other JSON was sent"
    elif mime == "application/x-www-form-urlencoded" and isinstance(value, dict):
        names = {name.partition("[")[0] for name, _ in parse_qsl(body.decode(), keep_blank_values=True)}
        flat = {name for name, each in value.items() if not isinstance(each, dict | list)}  # pyright: ignore
        if not flat <= names:
            yield f"body: {flat - names} is missing in the form"
    elif mime == "multipart/form-data" and isinstance(value, dict):
        message = BytesParser(policy=HTTP).parsebytes(
            b"Content-Type: " + request.content_type.encode() + b"\r\n\r\n" + body
        )
        names = {part.get_param("name", header="content-disposition") for part in message.iter_parts()}  # pyright: ignore
        missing = {name for name, each in value.items() if each not in ([], None)} - names  # pyright: ignore
        if missing:
            yield f"body: {missing} is missing in the parts"


def _without_files(value: Any) -> Any:
    """What a schema says about a file is that it is a text."""
    if isinstance(value, dict):
        if value.keys() == {"filename", "content_type", "text"}:  # pyright: ignore
            return value["text"]  # pyright: ignore
        return {name: _without_files(each) for name, each in value.items()}  # pyright: ignore
    return [_without_files(each) for each in value] if isinstance(value, list) else value  # pyright: ignore


def _pairs(written: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in written.items():
        for each in value if isinstance(value, list) else [value]:  # pyright: ignore
            yield name, _text(each)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode() if value is not None else ""
