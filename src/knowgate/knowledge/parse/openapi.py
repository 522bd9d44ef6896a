"""OpenAPI and Swagger descriptions as text: a heading for every operation and every schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from knowgate.knowledge.parse.reader import TextBuilder

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
Mapping = dict[str, object]


def is_openapi(value: object) -> bool:
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value) and "paths" in value


def add_openapi(builder: TextBuilder, api: Mapping) -> str:
    """Adds the description to the builder; returns the API's title."""
    info = _mapping(api.get("info"))
    title = _string(info.get("title"))
    builder.add("heading", f"{title} {_string(info.get('version'))}", level=1)
    builder.add("text", _string(info.get("description")))
    servers = [_string(_mapping(each).get("url")) for each in _sequence(api.get("servers"))]
    builder.add("text", "\n".join(f"Server: {url}" for url in [*servers, _string(api.get("host"))] if url))
    for path, item in _mapping(api.get("paths")).items():
        for method in _METHODS:
            operation = _mapping(_mapping(item).get(method))
            if operation:
                shared = _sequence(_mapping(item).get("parameters"))
                _add_operation(builder, f"{method.upper()} {path}", operation, shared)
    schemas = _mapping(_mapping(api.get("components")).get("schemas")) or _mapping(api.get("definitions"))
    for name, schema in schemas.items():
        builder.add("heading", f"Schema {name}", level=2)
        builder.add("text", "\n".join(_schema_lines(_mapping(schema))))
    return title


def _add_operation(builder: TextBuilder, name: str, operation: Mapping, shared: list[object]) -> None:
    builder.add("heading", name, level=2)
    lines = [_string(operation.get("summary")), _string(operation.get("description"))]
    if operation.get("operationId"):
        lines.append(f"Operation: {_string(operation.get('operationId'))}")
    if tags := _sequence(operation.get("tags")):
        lines.append(f"Tags: {', '.join(map(_string, tags))}")
    if operation.get("deprecated") is True:
        lines.append("Deprecated.")
    lines += [_parameter_line(_mapping(each)) for each in (*shared, *_sequence(operation.get("parameters")))]
    for mime, media in _mapping(_mapping(operation.get("requestBody")).get("content")).items():
        lines.append(f"Request body ({mime}): {_type_of(_mapping(_mapping(media).get('schema')))}")
    for status, response in _mapping(operation.get("responses")).items():
        answer = _mapping(response)
        said = f"Response {status}: {_string(answer.get('description')) or _reference(answer)}"
        lines.append(f"{said} ({shape})" if (shape := _answer_type(answer)) else said)
    builder.add("text", "\n".join(line for line in lines if line.strip()))


def _answer_type(answer: Mapping) -> str:
    """The schema of what is answered, in version 3 or version 2 of the description."""
    media = [_mapping(each) for each in _mapping(answer.get("content")).values()]
    schema = next((found for each in (*media, answer) if (found := _mapping(each.get("schema")))), None)
    return _type_of(schema) if schema else ""


def _parameter_line(parameter: Mapping) -> str:
    if "$ref" in parameter:
        return f"Parameter {_reference(parameter)}"
    kind = _type_of(_mapping(parameter.get("schema")) or parameter)
    required = ", required" if parameter.get("required") is True else ""
    described = _string(parameter.get("description"))
    line = f"Parameter {_string(parameter.get('name'))} ({_string(parameter.get('in'))}, {kind}{required})"
    return f"{line}: {described}" if described else line


def _schema_lines(schema: Mapping) -> Iterator[str]:
    yield _string(schema.get("title"))
    yield _string(schema.get("description"))
    required = _sequence(schema.get("required"))
    for name, each in _mapping(schema.get("properties")).items():
        below = _mapping(each)
        described = _string(below.get("description"))
        must = ", required" if name in required else ""
        yield f"{name} ({_type_of(below)}{must})" + (f": {described}" if described else "")
    if not schema.get("properties"):
        yield _type_of(schema)


def _type_of(schema: Mapping) -> str:
    if "$ref" in schema:
        return _reference(schema)
    if schema.get("type") == "array":
        items = _mapping(schema.get("items"))
        return f"list of {_reference(items) or _string(items.get('type')) or 'values'}"
    for word in ("oneOf", "anyOf", "allOf"):
        if parts := [_mapping(each) for each in _sequence(schema.get(word))]:
            return f"{word} {', '.join(_reference(each) or _string(each.get('type')) for each in parts)}"
    kind = schema.get("type")
    named = " or ".join(map(_string, _sequence(kind))) or _string(kind) or "object"
    values = _sequence(schema.get("enum"))
    return f"{named}: {', '.join(map(_string, values[:30]))}" if values else named


def _reference(value: Mapping) -> str:
    return _string(value.get("$ref")).rpartition("/")[2]


def _mapping(value: object) -> Mapping:
    return cast("Mapping", value) if isinstance(value, dict) else {}


def _sequence(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _string(value: object) -> str:
    return str(value).strip() if isinstance(value, str | int | float) else ""
