"""Small operations to build requests from."""

from __future__ import annotations

from typing import Any

from knowgate.apis.operation import Body, Operation, Parameter, Place, Schema, Style
from knowgate.apis.request import Request, build
from knowgate.errors import InputError

BASE = "https://api.example.com/v1"


def parameter(name: str, place: Place = "query", schema: Schema = True, **changes: Any) -> Parameter:
    style: Style = "form" if place in ("query", "cookie") else "simple"
    told = {"required": place == "path", "style": style, "explode": style == "form", **changes}
    return Parameter(name, place, schema=schema, **told)


def operation(*parameters: Parameter, path: str = "/things", method: str = "GET", **changes: Any) -> Operation:
    return Operation("things", "shop", method, path, parameters=parameters, **changes)


def taking(content_type: str, schema: Schema = True, **changes: Any) -> Operation:
    """An operation with a body."""
    return operation(method="POST", bodies=(Body(content_type, schema, **changes),), body_required=True)


def built(one: Operation, arguments: dict[str, Any], **more: Any) -> Request:
    return build(one, arguments, base_url=BASE, **more)


def refusal(one: Operation, arguments: dict[str, Any], **more: Any) -> InputError:
    try:
        request = built(one, arguments, **more)
    except InputError as error:
        return error
    raise AssertionError(f"built {request}")
