"""What a caller gave, grouped by place or flat, sorted to where it belongs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from uuid import uuid4

from knowgate.apis.headers import is_ours
from knowgate.apis.operation import Json, Operation, Parameter, SecurityScheme
from knowgate.apis.schemas import fields_of
from knowgate.apis.values import is_object
from knowgate.errors import InputError

BODY = "body"
IDEMPOTENCY_KEY = "idempotency-key"
_PLACES = {"path": "path", "query": "query", "header": "header", "headers": "header", "cookie": "cookie"}
_PLACES["cookies"] = "cookie"
_NEGOTIATED = ("accept", "content-type")
Schemes = Collection[SecurityScheme]


@dataclass(frozen=True, slots=True)
class Given:
    values: dict[str, Json] = field(default_factory=dict[str, Json])
    """By argument name; `body` is the body."""
    accept: str = ""
    content_type: str = ""
    """Chosen by the caller among what the operation takes."""


def slots(operation: Operation, schemes: Schemes = ()) -> dict[str, Parameter]:
    """The parameters that are the caller's, by argument name.

    That is the parameter's own name, or PLACE.NAME when two places (or the body) share it. What carries
    credentials, frames the message or is negotiated is no argument, even where the description says it is.
    """
    ours = {(scheme.place, scheme.key_name.lower()) for scheme in schemes if scheme.key_name}
    open_ = [parameter for parameter in operation.parameters if not _is_reserved(parameter, ours)]
    names = [parameter.name for parameter in open_]
    shared = {name for name in names if names.count(name) > 1} | ({BODY} if operation.bodies else set[str]())
    return {
        f"{parameter.place}.{parameter.name}" if parameter.name in shared else parameter.name: parameter
        for parameter in open_
    }


def fresh_keys(open_: Mapping[str, Parameter]) -> dict[str, str]:
    """Values for arguments that are never to be the same twice: one that is copied from an example would be."""
    return {
        name: str(uuid4())
        for name, parameter in open_.items()
        if parameter.place == "header" and parameter.name.lower() == IDEMPOTENCY_KEY
    }


def arrange(operation: Operation, arguments: Mapping[str, Json], open_: Mapping[str, Parameter]) -> Given:
    """Arguments by argument name. Those that nothing declares are refused, with what was probably meant."""
    fields = {name for body in operation.bodies for name in fields_of(body.schema, operation.defs)}
    values: dict[str, Json] = {}
    negotiated: dict[str, str] = {}
    loose: dict[str, Json] = {}
    for place, name, value in _entries(operation, arguments, fields):
        if slot := _slot_of(place, name, open_):
            _put(values, slot, value)
        elif place in ("", "header") and name.lower() in _NEGOTIATED and isinstance(value, str):
            negotiated[name.lower()] = value
        elif place == "" and name == BODY and operation.bodies:
            _put(values, BODY, value)
        elif place == "" and name in fields:
            _put(loose, name, value)
        else:
            raise _unknown(operation, place, name, [*open_, *fields, *([BODY] if operation.bodies else [])])
    if loose:
        if BODY in values:
            raise InputError("bad_arguments", f"/{next(iter(loose))} belongs into /body, which is given, too.", "")
        values[BODY] = loose
    # No style can write null, and assistants send it for "not given".
    values = {name: value for name, value in values.items() if value is not None or name == BODY}
    return Given(values, negotiated.get("accept", ""), negotiated.get("content-type", ""))


def _entries(
    operation: Operation, arguments: Mapping[str, Json], fields: Collection[str]
) -> Iterator[tuple[str, str, Json]]:
    own = {parameter.name for parameter in operation.parameters}
    for name, value in arguments.items():
        if not is_object(value) or name in own or (name not in _PLACES and name != "parameters"):
            yield "", name, value
        elif name == "parameters" and name not in fields:
            yield from (("", inner, one) for inner, one in value.items())
        elif name in _PLACES and (name not in fields or _is_group(operation, _PLACES[name], value)):
            yield from ((_PLACES[name], inner, one) for inner, one in value.items())
        else:
            yield "", name, value


def _is_group(operation: Operation, place: str, value: Mapping[str, Json]) -> bool:
    """`query` may be a group or a field of the body: a group, if all that it holds belongs there."""
    return value.keys() <= {parameter.name for parameter in operation.parameters if parameter.place == place}


def _slot_of(place: str, name: str, open_: Mapping[str, Parameter]) -> str:
    if not place and name in open_:
        return name
    for slot, parameter in open_.items():
        same = parameter.name == name or (parameter.place == "header" and parameter.name.lower() == name.lower())
        if same and (place == parameter.place or (not place and slot == parameter.name)):
            return slot
    return ""


def _put(values: dict[str, Json], name: str, value: Json) -> None:
    if name in values:
        raise InputError("bad_arguments", f"/{name} is given twice.", "Give it once, grouped or flat.")
    values[name] = value


def _is_reserved(parameter: Parameter, ours: Collection[tuple[str, str]]) -> bool:
    if (parameter.place, parameter.name.lower()) in ours:
        return True
    return parameter.place == "header" and (is_ours(parameter.name) or parameter.name.lower() in _NEGOTIATED)


def _unknown(operation: Operation, place: str, name: str, known: list[str]) -> InputError:
    shown = f"/{place}/{name}" if place else f"/{name}"
    declared = any(parameter.name.lower() == name.lower() for parameter in operation.parameters)
    shared = [slot for slot in known if slot.partition(".")[2] == name]
    if shared:
        return InputError("bad_arguments", f"{shown} could mean several.", f"Say which: {' or '.join(shared)}.")
    if declared or (is_ours(name) and place in ("", "header")):
        return InputError(
            "unsafe_value",
            f"{shown} is no argument: it carries credentials or frames the request.",
            "Leave it out; credentials are added from the API's profile.",
        )
    near = get_close_matches(name, known, n=1) or [one for one in known if one.lower() == name.lower()]
    if near:
        fix = f"Did you mean {near[0]}?"
    elif known:
        fix = f"It takes {', '.join(known[:12])}{' …' if len(known) > 12 else ''}."
    else:
        fix = "It takes no arguments."
    return InputError("unknown_argument", f"{operation.id} has no argument {shown}.", fix)
