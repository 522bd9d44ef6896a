"""Arguments that an operation would accept, to show and to try."""

from __future__ import annotations

from collections.abc import Iterator

from knowgate.apis.arguments import BODY, Schemes, fresh_keys, slots
from knowgate.apis.bodies import chosen_body, kind_of
from knowgate.apis.operation import Body, Json, Operation, Schema
from knowgate.apis.sample import Taste, fits_type, sample
from knowgate.apis.schemas import Defs, fields_of, flatten, is_binary, reachable, types_of
from knowgate.apis.sides import for_request, without_read_only
from knowgate.apis.validate import compiled, faults
from knowgate.apis.values import is_list, is_object

_TASTES = tuple(
    Taste(optional=optional, told=told, branch=branch)
    for branch in range(4)
    for told in (True, False)
    for optional in (2, 0, 3)
)


def sample_arguments(operation: Operation, schemes: Schemes = ()) -> dict[str, Json]:
    """Every required argument and, if it takes one, a body: the description's own examples where they are valid."""
    arguments: dict[str, Json] = {}
    open_ = slots(operation, schemes)
    fresh = fresh_keys(open_)
    for name, parameter in open_.items():
        if parameter.required:
            arguments[name] = _valid(operation, parameter.schema, fresh.get(name, parameter.example))
    if operation.bodies:
        body = chosen_body(operation, None, "")
        fields = kind_of(body.content_type) in ("form", "multipart")
        told = types_of(flatten(body.schema, operation.defs))
        schema = {"allOf": [body.schema], "type": "object"} if fields and not told else body.schema
        value = _valid(operation, schema, body.example)
        arguments[BODY] = _with_files(value, body, operation) if kind_of(body.content_type) == "multipart" else value
    return arguments


def _with_files(value: Json, body: Body, operation: Operation) -> Json:
    fields = fields_of(body.schema, operation.defs)
    file = {"filename": "example.txt", "content_type": "text/plain", "text": "example"}
    if not is_object(value):
        return value
    if not value and not fields:
        return {"file": file}

    def filed(inner: Json, schema: Schema) -> Json:
        flat = flatten(schema, operation.defs)
        if is_list(inner):
            return [filed(one, flat.get("items", True)) for one in inner]
        return file if is_binary(flat) else inner

    return {name: filed(inner, fields.get(name, True)) for name, inner in value.items()}


def _valid(operation: Operation, schema: Schema, example: Json) -> Json:
    """The first that the schema accepts with its formats, else the first that we would send, else just the first."""
    whole = for_request({"allOf": [schema], "$defs": reachable([schema], operation.defs)}, operation.defs)
    strict = compiled(whole, formats=True)
    tried: list[Json] = []
    for value in _tries(whole["allOf"][0], whole["$defs"], example):
        if strict.is_valid(value) and value not in ("", []):
            return value
        tried.append(value)
    lenient = compiled(whole)
    return next((value for value in tried if next(faults(lenient, value), None) is None), tried[0])


def _tries(schema: Schema, defs: Defs, example: Json) -> Iterator[Json]:
    if example is not None and fits_type(example, flatten(schema, defs)):
        yield without_read_only(example, schema, defs)
        yield example
    for taste in _TASTES:
        yield sample(schema, defs, taste)
