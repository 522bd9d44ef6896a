from __future__ import annotations

from typing import Any

import pytest

from knowgate.apis.operation import Parameter, Part, Server


def one(load_spec: Any, operation: dict[str, Any], path: str = "/x", **more: Any) -> Any:
    api = load_spec({path: {"post": operation}}, **more)
    assert not api.quarantined, api.quarantined
    return api.operations[0]


@pytest.mark.parametrize(
    ("told", "style", "explode"),
    [
        ({"in": "query"}, "form", True),
        ({"in": "query", "style": "pipeDelimited"}, "pipeDelimited", False),
        ({"in": "query", "style": "deepObject", "explode": True}, "deepObject", True),
        ({"in": "query", "explode": False}, "form", False),
        ({"in": "query", "style": "matrix"}, "form", True),
        ({"in": "path"}, "simple", False),
        ({"in": "path", "style": "label", "explode": True}, "label", True),
        ({"in": "header"}, "simple", False),
        ({"in": "cookie"}, "form", True),
        ({"in": "cookie", "style": "cookie"}, "form", True),
    ],
)
def test_styles_have_their_defaults(load_spec: Any, told: dict[str, Any], style: str, explode: bool) -> None:
    path = "/x/{p}" if told["in"] == "path" else "/x"
    [parameter] = one(load_spec, {"parameters": [{"name": "p", **told}]}, path).parameters
    assert (parameter.style, parameter.explode) == (style, explode)
    assert parameter.required is (told["in"] == "path")


def test_a_content_parameter_names_its_media_type(load_spec: Any) -> None:
    told = {
        "name": "q",
        "in": "query",
        "content": {"application/json": {"schema": {"type": "object"}, "example": {"a": 1}}},
    }
    [parameter] = one(load_spec, {"parameters": [told]}).parameters
    assert (parameter.content_type, parameter.schema, parameter.example) == (
        "application/json",
        {"type": "object"},
        {"a": 1},
    )


def test_the_operations_parameters_replace_the_paths(load_spec: Any) -> None:
    def named(name: str, kind: str, place: str = "query") -> dict[str, Any]:
        return {"name": name, "in": place, "schema": {"type": kind}}

    item = {
        "parameters": [named("a", "string"), named("b", "string"), {"$ref": "#/components/parameters/C"}],
        "get": {"parameters": [named("b", "integer"), named("b", "boolean", "header")]},
    }
    api = load_spec({"/x": item}, components={"parameters": {"C": named("c", "string")}})
    found = [(each.name, each.place, each.schema["type"]) for each in api.operations[0].parameters]
    assert found == [
        ("a", "query", "string"),
        ("b", "query", "integer"),
        ("c", "query", "string"),
        ("b", "header", "boolean"),
    ]


def test_path_parameters_are_those_of_the_template(load_spec: Any) -> None:
    told = [{"name": "gone", "in": "path", "required": True}]
    operation = one(load_spec, {"parameters": told}, "/a/{id}/{id}:{verb}")
    assert [each.name for each in operation.parameters] == ["id", "verb"]
    assert operation.parameters[0] == Parameter("id", "path", True, {"type": "string"}, "simple", False)


def test_what_follows_the_path_is_no_path(load_spec: Any) -> None:
    api = load_spec({"/a#X=1": {"get": {}}, "/a#X=2": {"get": {}}, "/b?kind=small": {"get": {}}})
    assert [each.path for each in api.operations] == ["/a", "/a", "/b"]
    assert len({each.id for each in api.operations}) == 3
    [fixed] = api.operations[2].parameters
    assert (fixed.name, fixed.required, fixed.schema["const"]) == ("kind", True, "small")


def test_bodies_keep_their_order_and_encodings(load_spec: Any) -> None:
    content = {
        "multipart/form-data": {
            "schema": {"type": "object"},
            "encoding": {"file": {"contentType": "image/png"}, "ids": {"style": "pipeDelimited"}},
        },
        "application/json": {"examples": {"a": {"$ref": "#/components/examples/E"}}},
    }
    operation = one(
        load_spec,
        {"requestBody": {"$ref": "#/components/requestBodies/B"}},
        components={"requestBodies": {"B": {"content": content, "required": True}}, "examples": {"E": {"value": [1]}}},
    )
    form, json = operation.bodies
    assert operation.body_required
    assert form.parts == {"file": Part("image/png"), "ids": Part(style="pipeDelimited", explode=False)}
    assert (json.content_type, json.schema, json.example) == ("application/json", True, [1])


def test_the_nearest_servers_count(load_spec: Any) -> None:
    own, path, root = ([{"url": f"https://{each}.example"}] for each in ("own", "path", "root"))
    item = {"servers": path, "get": {"servers": own}, "put": {}}
    api = load_spec({"/x": item, "/y": {"get": {"servers": []}}}, servers=root)
    assert [each.servers[0].url for each in api.operations] == [
        "https://own.example",
        "https://path.example",
        "https://root.example",
    ]
    assert load_spec({"/x": {"get": {}}}).operations[0].servers == (Server("/"),)


def test_server_variables_have_defaults_and_choices(load_spec: Any) -> None:
    server = {
        "url": "https://{region}.example:{port}",
        "variables": {"region": {"default": "eu", "enum": ["eu", "us"]}, "port": {"default": 443}},
    }
    [found] = one(load_spec, {}, servers=[server]).servers
    assert found.variables == {"region": ("eu", ("eu", "us")), "port": ("443", ())}


def test_a_broken_answer_does_not_stop_the_operation(load_spec: Any) -> None:
    broken = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Broken"}}}}
    operation = one(
        load_spec,
        {"responses": {"200": broken, "404": {"$ref": "#/nowhere"}, "x-y": 1, "500": {"description": "Oh"}}},
        components={"schemas": {"Broken": {"properties": {"a": {"$ref": "#/nowhere"}}}}},
    )
    assert [each.status for each in operation.answers] == ["200", "404", "500"]
    assert operation.answers[0].content == {"application/json": True}
    assert operation.defs == {}


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        ({"in": "query"}, "no usable name"),
        ({"name": "q", "in": "querystring"}, "not supported"),
        ({"name": "q"}, "not supported"),
        ("text", "no usable name"),
    ],
)
def test_a_bad_parameter_quarantines(load_spec: Any, parameter: object, reason: str) -> None:
    api = load_spec({"/x": {"get": {"parameters": [parameter]}, "put": {}}})
    assert [(each.method, each.place) for each in api.quarantined] == [("GET", "/paths/~1x/get/parameters/0")]
    assert reason in api.quarantined[0].reason
    assert [each.method for each in api.operations] == ["PUT"]


def test_methods_of_3_2_are_known(load_spec: Any) -> None:
    api = load_spec({"/x": {"query": {}, "additionalOperations": {"COPY": {}}}}, version="3.2.0")
    assert [each.method for each in api.operations] == ["QUERY", "COPY"]
