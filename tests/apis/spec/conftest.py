"""Small descriptions, and what is loaded from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
import pytest

from knowgate.apis.operation import Api
from knowgate.apis.spec.load import load

Load = Callable[..., Api]


@pytest.fixture
def load_spec() -> Load:
    """Loads a description from its paths and whatever else is told; files are those beside it."""

    def load_one(
        paths: object, *, version: str = "3.1.0", files: Mapping[str, object] | None = None, **more: Any
    ) -> Api:
        kind = "swagger" if version == "2.0" else "openapi"
        overlays = [orjson.dumps(each) for each in more.pop("overlays", [])]
        limits = more.pop("limits", None)
        source = more.pop("source", "api.json")
        whole = {kind: version, "info": {"title": "Shop", "version": "7"}, "paths": paths, **more}
        known = {name: each if isinstance(each, bytes) else orjson.dumps(each) for name, each in (files or {}).items()}

        def read(path: str) -> bytes:
            if path not in known:
                raise FileNotFoundError(path)
            return known[path]

        return load(
            orjson.dumps(whole),
            name="shop",
            source=source,
            read=None if files is None else read,
            overlays=overlays,
            limits=limits,
        )

    return load_one


@pytest.fixture
def load_schema(load_spec: Load) -> Callable[..., Any]:
    """What becomes of a schema: the upgraded one, with the definitions it needs."""

    def load_one(schema: object, *, version: str = "3.1.0", schemas: object = None, **more: Any) -> tuple[Any, Any]:
        body = {"content": {"application/json": {"schema": schema}}}
        api = load_spec(
            {"/x": {"post": {"requestBody": body}}}, version=version, components={"schemas": schemas or {}}, **more
        )
        assert not api.quarantined, api.quarantined
        return api.operations[0].bodies[0].schema, dict(api.operations[0].defs)

    return load_one
