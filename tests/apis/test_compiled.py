from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from knowgate.apis.compiled import CompiledApi, compile_api
from knowgate.apis.spec.load import load
from knowgate.errors import DocumentError

SPEC: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "7"},
    "servers": [{"url": "https://{r}.example", "variables": {"r": {"default": "eu", "enum": ["eu"]}}}],
    "security": [{"key": []}, {"login": ["read"]}],
    "paths": {
        "/pets/{id}": {
            "get": {
                "operationId": "showPet",
                "tags": ["pets"],
                "summary": "Show",
                "parameters": [
                    {"name": "id", "in": "path", "schema": {"$ref": "#/components/schemas/Id"}, "example": 4}
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
                },
            },
            "put": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {"$ref": "#/components/schemas/Pet"},
                            "encoding": {"name": {"contentType": "text/plain"}},
                        }
                    },
                }
            },
            "post": {"parameters": [{"$ref": "#/nowhere"}]},
        }
    },
    "components": {
        "schemas": {
            "Id": {"type": "integer"},
            "Pet": {
                "properties": {
                    "id": {"$ref": "#/components/schemas/Id"},
                    "mother": {"$ref": "#/components/schemas/Pet"},
                }
            },
            "Unused": {},
        },
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "query", "name": "k"},
            "login": {
                "type": "oauth2",
                "flows": {"clientCredentials": {"tokenUrl": "https://a/t", "scopes": {"read": ""}}},
            },
        },
    },
}
DATA = orjson.dumps(SPEC)


def compiled(folder: Path, data: bytes = DATA, **more: Any) -> CompiledApi:
    return compile_api(data, **{"name": "shop", "source": "api.json", "folder": folder, **more})


def test_what_is_decoded_is_what_was_loaded(tmp_path: Path) -> None:
    api = load(DATA, name="shop", source="api.json")
    for found in (compiled(tmp_path), compiled(tmp_path)):
        assert tuple(found.operation(entry.id) for entry in found.entries) == api.operations
        assert found.info.schemes == api.schemes
        assert found.info.quarantined == api.quarantined
        assert (found.info.title, found.info.version, found.info.sha256) == ("Shop", "7", api.sha256)


def test_a_second_start_reads_the_cache(tmp_path: Path) -> None:
    compiled(tmp_path)
    [file] = tmp_path.iterdir()
    before = file.stat().st_mtime_ns
    compiled(tmp_path)
    assert [each.stat().st_mtime_ns for each in tmp_path.iterdir()] == [before]


def test_another_description_replaces_the_old_file(tmp_path: Path) -> None:
    compiled(tmp_path)
    other = compiled(tmp_path, DATA.replace(b"Shop", b"Shed"))
    assert other.info.title == "Shed"
    assert len(list(tmp_path.iterdir())) == 1


def test_overlays_and_names_make_another_file(tmp_path: Path) -> None:
    overlay = orjson.dumps({"overlay": "1.0.0", "actions": [{"target": "$.info", "update": {"title": "New"}}]})
    compiled(tmp_path)
    assert compiled(tmp_path, overlays=[overlay]).info.title == "New"
    assert compiled(tmp_path, name="other").entries[0].api == "other"
    assert {each.name.partition(".")[0] for each in tmp_path.iterdir()} == {"shop", "other"}


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:40] + b"x" + data[41:]]
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: Any) -> None:
    compiled(tmp_path)
    [file] = tmp_path.iterdir()
    good = file.read_bytes()
    file.write_bytes(damage(good))
    assert len(compiled(tmp_path).entries) == 2
    assert file.read_bytes() == good


def test_a_changed_file_beside_the_description_is_noticed(tmp_path: Path) -> None:
    files = {"x.json": b'{"get": {"summary": "old"}}'}
    data = b'{"openapi": "3.1.0", "paths": {"/x": {"$ref": "x.json"}}}'

    def summary() -> str:
        return compiled(tmp_path, data, read=files.__getitem__).entries[0].summary

    assert summary() == summary() == "old"
    files["x.json"] = b'{"get": {"summary": "new"}}'
    assert summary() == "new"


def test_without_a_place_for_the_cache_it_works_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert len(compiled(tmp_path / "file").entries) == 2


def test_a_description_that_cannot_be_used_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DocumentError):
        compiled(tmp_path, b"a: 1")
    assert list(tmp_path.iterdir()) == []
