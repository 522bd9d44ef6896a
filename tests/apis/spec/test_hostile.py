"""Bombs load or fail with a typed error. That they do so soon is measured by `python -m bench.specs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from knowgate.apis.spec.load import load
from knowgate.apis.spec.parse import Limits
from knowgate.errors import DocumentError

PATIENT = Limits(seconds=600)
"""A slow machine does not decide which of the limits is met."""


def described(schemas: dict[str, Any]) -> bytes:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    paths = {"/x": {"post": {"requestBody": body}}}
    return orjson.dumps({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}})


def link(number: int) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/S{number}"}


def aliases() -> bytes:
    lines = [f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join(["openapi: 3.1.0", "k0: &k0 [a]", *lines]).encode()


BOMBS: dict[str, Callable[[], bytes]] = {
    "aliases": aliases,
    "long aliases": lambda: f"openapi: 3.1.0\na: &a {'x' * 99_999}\nb: [{', '.join(['*a'] * 9_999)}]".encode(),
    "deep json": lambda: b'{"openapi": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep flow yaml": lambda: b"openapi: 3.1.0\nx: " + b"{a: " * 100_000,
    "deep block yaml": lambda: b"openapi: 3.1.0\nx:\n  " + b"- " * 100_000,
    "many objects": lambda: b'{"openapi": "3.1.0", "x": [' + b"{}," * 5_000_000 + b"{}]}",
    "many operations": lambda: orjson.dumps(
        {"openapi": "3.1.0", "paths": {f"/{n}": {"get": {}} for n in range(30_000)}}
    ),
}
SAFE: dict[str, Callable[[], bytes]] = {
    "a long chain": lambda: described({f"S{n}": {"items": link(n + 1)} for n in range(5_000)} | {"S5000": {}}),
    "all of all": lambda: described({f"S{n}": {"allOf": [link(n + 1)] * 20} for n in range(100)} | {"S100": {}}),
    "all in all": lambda: described({f"S{n}": {"anyOf": [link(m) for m in range(60)]} for n in range(60)}),
    "patterns": lambda: described(
        {"S0": {"properties": {f"p{n}": {"pattern": f"(a{{999}}){{{n}}}"} for n in range(999)}}}
    ),
    "the whole": lambda: described({"S0": {"$ref": "#"}}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_a_typed_error(name: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load(BOMBS[name](), name="x", source="x", limits=PATIENT)
    assert caught.value.code in ("spec_too_large", "spec_too_deep", "spec_unreadable")


@pytest.mark.parametrize("name", SAFE)
def test_what_would_explode_if_it_were_copied_loads(name: str) -> None:
    api = load(SAFE[name](), name="x", source="x", limits=PATIENT)
    assert len(api.operations) == 1
