from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from knowgate.apis.spec.folder import folder_reader
from knowgate.apis.spec.load import load
from knowgate.apis.spec.parse import Limits
from knowgate.errors import DocumentError

EVAL = Path(__file__).parents[4] / "shared" / "eval" / "openapi"


def test_an_api_tells_about_itself(load_spec: Any) -> None:
    info = {"title": "Sh\u202eop", "version": 2, "description": "d" * 5000}
    operation = {
        "summary": "s" * 999,
        "description": "Long",
        "tags": ["a", 3, "b"],
        "deprecated": True,
        "operationId": "go",
    }
    api = load_spec({"/x": {"get": operation}, "x-more": 1}, info=info)
    assert (api.name, api.title, api.version, api.source) == ("shop", "Shop", "2", "api.json")
    assert len(api.description) == 2000
    [found] = api.operations
    assert (found.id, found.api, found.method, found.path, found.tags, found.deprecated) == (
        "go",
        "shop",
        "GET",
        "/x",
        ("a", "b"),
        True,
    )
    assert len(found.summary) == 200


def test_overlays_are_applied_and_count_in_the_hash(load_spec: Any) -> None:
    overlay = {
        "overlay": "1.0.0",
        "actions": [{"target": "$.paths['/x'].put", "remove": True}, {"target": "$.no", "update": 1}],
    }
    paths = {"/x": {"get": {}, "put": {}}}
    plain, overlaid = load_spec(paths), load_spec(paths, overlays=[overlay])
    assert [each.method for each in overlaid.operations] == ["GET"]
    assert overlaid.warnings == ("/actions/1: the overlay's target is not there",)
    assert plain.sha256 != overlaid.sha256


def test_files_count_in_the_hash(load_spec: Any) -> None:
    def hash_with(summary: str) -> str:
        return load_spec({"/x": {"$ref": "x.json"}}, files={"x.json": {"get": {"summary": summary}}}).sha256

    assert hash_with("a") == hash_with("a") != hash_with("b")


@pytest.mark.parametrize("path", ["x", "/a/{", "/a}", "/{}", "/a b", ""])
def test_a_path_that_is_no_template_quarantines(load_spec: Any, path: str) -> None:
    api = load_spec({path: {"get": {}}, "/good": {"get": {}}})
    assert [each.path for each in api.operations] == ["/good"]
    assert [each.path for each in api.quarantined] == [path]


@pytest.mark.parametrize("paths", [None, [], "x", {"/x": None}, {"/x": {"get": None}}, {"/x": {"parameters": 3}}])
def test_odd_shapes_are_not_the_end(load_spec: Any, paths: object) -> None:
    assert load_spec(paths).operations == ()


@pytest.mark.parametrize("data", [b"", b"[]", b"a: 1", b"swagger: 1.2", b"openapi: 4.0.0", b"asyncapi: 3.0.0"])
def test_what_is_no_openapi_says_so(data: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        load(data, name="x", source="x")
    assert caught.value.code == "spec_not_openapi"


def test_yaml_may_give_versions_as_numbers() -> None:
    assert load(b"swagger: 2.0\npaths: {/x: {get: {}}}", name="x", source="x").operations
    assert load(b"openapi: 3.1\npaths: {/x: {get: {}}}", name="x", source="x").operations


def test_operations_and_time_are_bounded(load_spec: Any) -> None:
    paths = {f"/{number}": {"get": {}} for number in range(10)}
    for limits, code in ((Limits(operations=9), "spec_too_large"), (Limits(seconds=-1), "spec_too_slow")):
        with pytest.raises(DocumentError) as caught:
            load_spec(paths, limits=limits)
        assert caught.value.code == code


def test_warnings_are_told_once_and_not_without_end(load_spec: Any) -> None:
    properties = {f"p{number}": {"type": "what"} for number in range(80)}
    schema = {"type": "object", "properties": properties}
    media = {"content": {"application/json": {"schema": schema}}}
    api = load_spec({"/x": {"put": {"requestBody": media}, "post": {"requestBody": media}}})
    assert len(api.warnings) == 51
    assert "more" in api.warnings[-1]


@pytest.mark.skipif(not EVAL.is_dir(), reason="the evaluation data is not here")
@pytest.mark.parametrize("folder", ["yaml_hard", "testsets/oai_examples"])
def test_real_descriptions_load(folder: str) -> None:
    files = [path for path in (EVAL / folder).rglob("*") if path.suffix in (".yaml", ".json")]
    whole = [path for path in files if b"paths" in path.read_bytes() or b"webhooks" in path.read_bytes()]
    for path in whole:
        api = load(path.read_bytes(), name="x", source=str(path), read=folder_reader(path.parent))
        assert api.operations or "webhook" in path.name or "non-oauth" in path.name, path
        assert not api.quarantined, (path, api.quarantined)


def test_operations_that_share_an_id_are_told(load_spec: Any) -> None:
    one = {"operationId": "same", "responses": {"200": {"description": "fine"}}}
    api = load_spec({"/a": {"get": one}, "/b": {"get": one}})
    assert len(api.warnings) == 2
    for operation, warning in zip(api.operations, api.warnings, strict=True):
        assert warning.endswith(f"several operations have the operationId same; this one is called {operation.id} here")
