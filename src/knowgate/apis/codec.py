"""Operations and what belongs to them, from the plain JSON that their dataclasses are written as."""

from __future__ import annotations

from typing import Any

from knowgate.apis.operation import (
    Answer,
    Api,
    Body,
    Operation,
    Parameter,
    Part,
    Quarantined,
    SecurityScheme,
    Server,
)

Plain = dict[str, Any]


def api_from(data: Plain) -> Api:
    """Without its operations."""
    changes: Plain = {
        "operations": (),
        "quarantined": tuple(Quarantined(**each) for each in data["quarantined"]),
        "schemes": {name: _scheme(each) for name, each in data["schemes"].items()},
        "warnings": tuple(data["warnings"]),
        "servers": tuple(_server(each) for each in data["servers"]),
    }
    return Api(**(data | changes))


def operation_from(data: Plain) -> Operation:
    changes: Plain = {
        "tags": tuple(data["tags"]),
        "parameters": tuple(Parameter(**each) for each in data["parameters"]),
        "bodies": tuple(_body(each) for each in data["bodies"]),
        "answers": tuple(Answer(**each) for each in data["answers"]),
        "servers": tuple(_server(each) for each in data["servers"]),
        "security": tuple(tuple((name, tuple(scopes)) for name, scopes in each) for each in data["security"]),
    }
    return Operation(**(data | changes))


def _scheme(data: Plain) -> SecurityScheme:
    changes: Plain = {"scopes": tuple(data["scopes"])}
    return SecurityScheme(**(data | changes))


def _body(data: Plain) -> Body:
    changes: Plain = {"parts": {name: Part(**each) for name, each in data["parts"].items()}}
    return Body(**(data | changes))


def _server(data: Plain) -> Server:
    variables = {name: (default, tuple(allowed)) for name, (default, allowed) in data["variables"].items()}
    changes: Plain = {"variables": variables}
    return Server(**(data | changes))
