"""`knowgate apis show`: what an operation takes, as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any

import typer

from knowgate.cli.apis_run import OperationId
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import Screen, clean, one_line

Row = tuple[str, str, str, str]
_COLUMNS = ("name", "type", "", "description")
_BODY = "body"
_DEEPEST = 3
_MOST_ROWS = 100
_MOST_VALUES = 8
_LONGEST_WORDS = 200


def show(
    ctx: typer.Context, operation: OperationId, config: Config = None, data: Data = None, json: Json = False
) -> None:
    """Show what an operation takes, an example call and what it answers."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.describe_operation(operation)
    if call.json:
        call.screen.answer(asdict(found))
        return
    screen, item = call.screen, found.item
    typer.echo(clean(f"{item.operation_id}  {item.method} {found.url}"))
    for text in dict.fromkeys((item.summary, found.description)):
        if text:
            screen.show(clean(text))
    _show_inputs(screen, found.arguments)
    screen.show("\nExample:")
    typer.echo(clean(call.command("apis", "run", item.operation_id, *as_options(found.example))))
    screen.show("\nAnswers:")
    for status, words in found.answers.items():
        screen.show(f"  {status}  {one_line(words)}")
    if found.auth:
        screen.show(f"\nAsks for: {', '.join(found.auth)}")
    screen.show(f"Policy: {found.verdict}")


def as_options(example: Mapping[str, Any]) -> list[str]:
    """The example as it is typed."""
    options: list[str] = []
    for name, value in example.items():
        if name == _BODY:
            options += ["--body", _json(value)]
            continue
        plain = isinstance(value, list) and len(value) > 1 and not any(isinstance(one, list | dict) for one in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        for one in value if plain else [value]:  # pyright: ignore[reportUnknownVariableType]
            options += ["--param", f"{name}={one if isinstance(one, str) else _json(one)}"]
    return options


def field_rows(schema: Any, defs: Mapping[str, Any], depth: int = 0) -> Iterator[Row]:
    """The fields of an object, or of the objects in a list, and theirs below them."""
    from knowgate.apis.schemas import fields_of, flatten

    needed = flatten(schema, defs).get("required", ())
    for name, field in fields_of(schema, defs).items():
        yield _row(name, field, defs, name in needed, depth)
        inner = _element(field, defs)
        if depth + 1 < _DEEPEST:
            yield from field_rows(inner, defs, depth + 1)
        elif fields_of(inner, defs):
            yield "  " * (depth + 1) + "…", "", "", ""


def _show_inputs(screen: Screen, schema: Mapping[str, Any]) -> None:
    defs: Mapping[str, Any] = schema.get("$defs", {})
    properties: Mapping[str, Any] = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    rows = [_row(name, each, defs, name in required, 0) for name, each in properties.items() if name != _BODY]
    if rows:
        screen.show("\nArguments:")
        screen.table(_COLUMNS, rows)
    elif _BODY not in properties:
        screen.show("\nArguments: none")
    if _BODY not in properties:
        return
    body = properties[_BODY]
    _, kind, needed, words = _row(_BODY, body, defs, _BODY in required, 0)
    screen.show("\nBody: " + ", ".join(filter(None, (kind, needed, words))))
    fields = list(islice(field_rows(_element(body, defs), defs), _MOST_ROWS + 1))
    if fields:
        screen.table(_COLUMNS, fields[:_MOST_ROWS])
    if len(fields) > _MOST_ROWS:
        screen.note("There are more fields; --json tells all.")


def _row(name: str, schema: Any, defs: Mapping[str, Any], needed: bool, depth: int) -> Row:
    from knowgate.apis.schemas import flatten

    flat = flatten(schema, defs)
    values: list[Any] = flat.get("enum", [])
    told = one_line(str(flat.get("description", "")))
    words = told if len(told) <= _LONGEST_WORDS else told[:_LONGEST_WORDS].rsplit(maxsplit=1)[0] + " …"
    if values:
        more = ", …" if len(values) > _MOST_VALUES else ""
        words = f"{words} One of {', '.join(map(_json, values[:_MOST_VALUES]))}{more}.".strip()
    return "  " * depth + one_line(name), _kind(flat, defs), "required" if needed else "", words


def _kind(flat: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    from knowgate.apis.schemas import flatten, types_of

    types = types_of(flat)
    if types == ("array",):
        inner = _kind(flatten(flat["items"], defs), {}) if "items" in flat else ""
        return f"array of {inner}" if inner else "array"
    kind = " or ".join(types) or ("several kinds" if "oneOf" in flat or "anyOf" in flat else "")
    return f"{kind} ({flat['format']})".strip() if "format" in flat else kind


def _element(schema: Any, defs: Mapping[str, Any]) -> Any:
    """What a list holds; anything else as it is."""
    from knowgate.apis.schemas import flatten

    for _ in range(_DEEPEST):
        flat = flatten(schema, defs)
        if "items" not in flat:
            break
        schema = flat["items"]
    return schema


def _json(value: Any) -> str:
    import orjson

    return orjson.dumps(value).decode()
