"""Arguments against the operation's schemas; a refusal names the place, the rule and what would be right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any

from knowgate.apis.arguments import BODY, fresh_keys
from knowgate.apis.operation import Body, Json, Operation, Parameter, Schema
from knowgate.apis.sample import sample
from knowgate.apis.schemas import Defs, flatten, reachable
from knowgate.apis.sides import for_request
from knowgate.apis.values import is_list, is_object, pointer
from knowgate.errors import InputError

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

_BROKEN_KEYWORDS = 64
_SHOWN = 3


class BadArguments(InputError):
    """With arguments that would be right, for who says it in another form."""

    def __init__(self, code: str, message: str, example: Mapping[str, Json]) -> None:
        super().__init__(code, message, f"For example: {_cut(json.dumps(example, ensure_ascii=False), 600)}")
        self.example = example


class Rules:
    """An operation's schemas, compiled once; keep it as long as the operation is called."""

    def __init__(self, operation: Operation, open_: Mapping[str, Parameter]) -> None:
        self._operation = operation
        self._open = open_
        self._compiled: dict[str, tuple[dict[str, Json], Draft202012Validator]] = {}

    def check(self, values: Mapping[str, Json], body: Body | None) -> None:
        """`body` says which of the operation's schemas the value at `body` has to fit; None: any will do."""
        schema, validator = self._for(body)
        errors = list(islice(faults(validator, dict(values)), _SHOWN))
        if errors:
            inner = [_innermost(error) for error in errors]
            example = _corrected(inner, dict(values), schema, validator)
            for name, key in fresh_keys(self._open).items():
                ours = name in example and example[name] != values.get(name)
                if ours and next(faults(validator, {**example, name: key}), None) is None:
                    example[name] = key
            raise _refusal(inner, example)

    def _for(self, body: Body | None) -> tuple[dict[str, Json], Draft202012Validator]:
        key = body.content_type if body else ""
        if key not in self._compiled:
            schema = _schema_of(self._operation, self._open, body)
            self._compiled[key] = (schema, compiled(schema))
        return self._compiled[key]


def compiled(schema: dict[str, Json], *, formats: bool = False) -> Draft202012Validator:
    """A validator for it. Keywords that are no JSON Schema (a broken pattern) are dropped from it: the API checks, too.

    Formats are hints in JSON Schema 2020-12, and descriptions are wrong about them too often to insist on them.
    """
    from jsonschema_rs import Draft202012Validator, FancyRegexOptions, ValidationError

    for _ in range(_BROKEN_KEYWORDS):
        try:
            return Draft202012Validator(
                schema,
                validate_formats=formats,
                offline=True,
                pattern_options=FancyRegexOptions(backtrack_limit=100_000),
            )
        except ValidationError as error:
            if not _drop(schema, error.instance_path):
                raise InputError("bad_operation", f"A schema cannot be used: {error.message}.", "") from error
    raise InputError("bad_operation", "The operation's schemas are not JSON Schema.", "Correct the description.")


def faults(validator: Draft202012Validator, value: Json) -> Iterator[ValidationError]:
    """What is wrong. Descriptions say `oneOf` where `anyOf` is meant: that several fit is no fault of the caller's."""
    from jsonschema_rs import ValidationErrorKind

    for error in validator.iter_errors(value):
        if not isinstance(error.kind, ValidationErrorKind.OneOfMultipleValid):
            yield error


def _schema_of(operation: Operation, open_: Mapping[str, Parameter], body: Body | None) -> dict[str, Json]:
    properties: dict[str, Schema] = {name: parameter.schema for name, parameter in open_.items()}
    required = [name for name, parameter in open_.items() if parameter.required]
    properties[BODY] = body.schema if body else True
    if operation.body_required and operation.bodies:
        required.append(BODY)
    whole = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return for_request({**whole, "$defs": reachable(properties.values(), operation.defs)}, operation.defs)


def _drop(schema: dict[str, Json], path: list[str | int]) -> bool:
    """Whether the keyword at the end of the path could be taken out."""
    if not path:
        return False
    *above, last = path
    holder = _at(schema, above)
    if is_object(holder) and last in holder:
        del holder[last]
        return True
    return is_list(holder) and _drop(schema, above)


def _at(value: Json, path: Iterable[str | int]) -> Json:
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _innermost(error: ValidationError) -> ValidationError:
    """Of alternatives that all failed, the fault in the one that came nearest."""
    while error.kind.name in ("anyOf", "oneOf"):
        branches: list[list[ValidationError]] = [branch for branch in getattr(error.kind, "context", []) if branch]
        nearest = max(branches, key=_nearness) if branches else []
        if not nearest or (nearest[0].kind.name == "type" and nearest[0].instance_path == error.instance_path):
            return error
        error = nearest[0]
    return error


def _nearness(branch: list[ValidationError]) -> tuple[bool, int, int]:
    first = branch[0]
    return first.kind.name != "type", len(first.instance_path), -len(branch)


def _refusal(errors: list[ValidationError], example: Mapping[str, Json]) -> BadArguments:
    lines = [f"{pointer(_place(error)) or '/'} ({error.kind.name}): {_cut(error.message)}" for error in errors]
    missing = errors[0].kind.name == "required"
    return BadArguments("missing_argument" if missing else "bad_arguments", "; ".join(lines) + ".", example)


def _place(error: ValidationError) -> list[str | int]:
    """Where something is missing is where it should be."""
    absent = [str(error.kind.value)] if error.kind.name == "required" else []
    return [*error.instance_path, *absent]


def _corrected(
    errors: list[ValidationError], values: dict[str, Json], schema: dict[str, Json], validator: Draft202012Validator
) -> dict[str, Json]:
    """The caller's arguments with what is wrong replaced; if that is not enough, arguments of our own."""
    fixed: dict[str, Json] = deepcopy(values)
    defs: Defs = schema["$defs"]
    for error in errors:
        rule: Any = _at(schema, error.schema_path[:-1])
        place = _at(fixed, error.instance_path)
        if error.kind.name == "required" and is_object(place):
            name = str(error.kind.value)
            place[name] = sample(flatten(rule, defs).get("properties", {}).get(name, True), defs)
        elif error.kind.name in ("additionalProperties", "unevaluatedProperties") and is_object(place):
            for name in error.kind.value:
                place.pop(name, None)
        elif error.instance_path:
            holder = _at(fixed, error.instance_path[:-1])
            holder[error.instance_path[-1]] = sample(rule, defs)
    if next(faults(validator, fixed), None) is None:
        return fixed
    wanted: list[str] = schema["required"]
    return {name: sample(schema["properties"][name], defs) for name in {**dict.fromkeys(wanted), **values}}


def _cut(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
