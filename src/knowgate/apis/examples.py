"""Arguments that an operation would accept, to show and to try."""

from __future__ import annotations

from collections.abc import Iterator

from knowgate.apis.arguments import BODY, Schemes, slots
from knowgate.apis.bodies import chosen_body, kind_of
from knowgate.apis.operation import Body, Json, Operation, Schema
from knowgate.apis.sample import Taste, fits_type, sample
from knowgate.apis.schemas import fields_of, flatten, is_binary, reachable
from knowgate.apis.validate import compiled, faults, for_request
from knowgate.apis.values import is_list

# From the best to look at to the last resort: fields that only answers should have, but requests are said to need.
_TASTES = tuple(
    Taste(side=side, optional=optional, told=told, branch=branch)
    for side in ("request", "both")
    for branch in range(4)
    for told in (True, False)
    for optional in (True, False)
)


def sample_arguments(operation: Operation, schemes: Schemes = ()) -> dict[str, Json]:
    """Every required argument and, if it takes one, a body: the description's own examples where they are valid."""
    arguments: dict[str, Json] = {}
    for name, parameter in slots(operation, schemes).items():
        if parameter.required:
            arguments[name] = _valid(operation, parameter.schema, parameter.example)
    if operation.bodies:
        body = chosen_body(operation, None, "")
        value = _valid(operation, body.schema, body.example)
        arguments[BODY] = _with_files(value, body, operation) if kind_of(body.content_type) == "multipart" else value
    return arguments


def _with_files(value: Json, body: Body, operation: Operation) -> Json:
    fields = fields_of(body.schema, operation.defs)
    file = {"filename": "example.txt", "content_type": "text/plain", "text": "example"}

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
    for value in _tries(operation, schema, example):
        if strict.is_valid(value) and value not in ("", []):
            return value
        tried.append(value)
    lenient = compiled(whole)
    return next((value for value in tried if next(faults(lenient, value), None) is None), tried[0])


def _tries(operation: Operation, schema: Schema, example: Json) -> Iterator[Json]:
    if example is not None and fits_type(example, flatten(schema, operation.defs)):
        yield example
    for taste in _TASTES:
        yield sample(schema, operation.defs, taste)
