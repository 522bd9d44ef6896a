"""Whether requests built from examples are understood by a parser that nobody here wrote (openapi-core on Werkzeug)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from knowgate.apis.examples import sample_arguments
from knowgate.apis.operation import Operation
from knowgate.apis.request import Request, build
from knowgate.apis.sample import sample
from knowgate.apis.spec.load import load
from knowgate.apis.spec.parse import Limits, parse
from knowgate.errors import KnowgateError

BASE = "https://api.example.com"
_AMBIGUOUS = "('deepObject',"
"""OpenAPI defines it for plain objects only; what it means for lists is every API's own choice."""


@dataclass(frozen=True, slots=True)
class Tried:
    file: str
    operation: str
    result: str
    """`accepted`, `not built`, `refused`, or `undefined` where OpenAPI does not say how to write it."""
    why: str = ""


def try_operations(path: Path, each: int) -> Iterator[Tried]:
    """Every n-th operation of a description, built and parsed back."""
    data = path.read_bytes()
    try:
        api = load(data, name="x", source=str(path))
    except KnowgateError:
        return
    description: dict[str, Any] = parse(data, Limits())
    schemes = list(api.schemes.values())
    for operation in api.operations[::each]:
        try:
            request = build(operation, sample_arguments(operation, schemes), base_url=BASE, schemes=schemes)
        except KnowgateError as error:
            yield Tried(path.name, operation.id, "not built", str(error))
            continue
        why = refusal(_description_of(operation, description), request, operation)
        result = "accepted" if not why else "undefined" if _AMBIGUOUS in why else "refused"
        yield Tried(path.name, operation.id, result, why)


def refusal(description: dict[str, Any], request: Request, operation: Operation) -> str:
    """Why openapi-core does not take the request; empty when it does."""
    from openapi_core import Config, OpenAPI  # pyright: ignore
    from openapi_core.contrib.werkzeug import WerkzeugOpenAPIRequest  # pyright: ignore
    from werkzeug.test import EnvironBuilder
    from werkzeug.wrappers import Request as Received

    parts = urlsplit(request.url)
    # Credentials are added after building, and OpenAPI says to ignore Content-Type, Accept and Authorization among
    # parameters. The other parser wants them where they are listed, so they are not what is measured.
    given = {name.lower() for name, _ in request.headers}
    keys = [
        (each.name, str(sample(each.schema, operation.defs)))
        for each in operation.parameters
        if each.place == "header" and each.required and each.name.lower() not in given
    ]
    builder = EnvironBuilder(
        method=request.method,
        path=parts.path,
        base_url=BASE,
        query_string=parts.query,
        headers=[*request.headers, *keys],
        data=request.body,
        content_type=request.content_type or None,
    )
    whole: Any = OpenAPI.from_dict(description, config=Config(spec_validator_cls=None))  # pyright: ignore
    try:
        whole.validate_request(WerkzeugOpenAPIRequest(Received(builder.get_environ())))
    except Exception as error:  # noqa: BLE001 - whatever the other parser says is what is measured
        return f"{type(error).__name__}: {error} {error.__cause__ or ''}"[:400]
    return ""


def _description_of(operation: Operation, whole: dict[str, Any]) -> dict[str, Any]:
    """The description with this operation alone: as it was written, or as we understood it where openapi-core cannot
    read the original (2.0) or its path is none."""
    item = whole["paths"].get(operation.path)
    if "openapi" not in whole or item is None or operation.method.lower() not in item:
        return _written(operation)
    kept = {key: value for key, value in item[operation.method.lower()].items() if key not in ("security", "servers")}
    # References may lead to other operations, which then have to stay.
    stays = _refers_to_paths(whole)
    beside = {key: value for key, value in item.items() if key == "parameters" or (stays and key != "servers")}
    others = {name: each for name, each in whole["paths"].items() if stays and name != operation.path}
    return {
        **{key: value for key, value in whole.items() if key != "security"},
        "servers": [{"url": BASE}],
        "paths": {operation.path: beside | {operation.method.lower(): kept}} | others,
    }


def _refers_to_paths(whole: dict[str, Any]) -> bool:
    waiting: list[Any] = [whole]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if str(value.get("$ref", "")).startswith("#/paths/"):  # pyright: ignore
                return True
            waiting += value.values()  # pyright: ignore
        elif isinstance(value, list):
            waiting += value  # pyright: ignore
    return False


def _written(operation: Operation) -> dict[str, Any]:
    parameters = [
        {"name": each.name, "in": each.place, "required": each.required}
        | (
            {"content": {each.content_type: {"schema": each.schema}}}
            if each.content_type
            else {"schema": each.schema, "style": each.style, "explode": each.explode}
        )
        for each in operation.parameters
    ]
    written: dict[str, Any] = {"parameters": parameters, "responses": {}}
    if operation.bodies:
        content = {
            body.content_type: {
                "schema": body.schema,
                "encoding": {
                    name: {"contentType": part.content_type}
                    if part.content_type
                    else {"style": part.style, "explode": part.explode}
                    for name, part in body.parts.items()
                },
            }
            for body in operation.bodies
        }
        written["requestBody"] = {"required": operation.body_required, "content": content}
    return {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "servers": [{"url": BASE}],
        "paths": {operation.path: {operation.method.lower(): written}},
        "$defs": dict(operation.defs),
    }
