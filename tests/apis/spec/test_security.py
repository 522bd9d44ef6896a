from __future__ import annotations

from typing import Any

from knowgate.apis.operation import SecurityScheme


def test_schemes_of_3(load_spec: Any) -> None:
    flows = {
        "implicit": {"authorizationUrl": "https://a/i", "scopes": {"z": ""}},
        "authorizationCode": {
            "authorizationUrl": "https://a/a",
            "tokenUrl": "https://a/t",
            "scopes": {"r": "", "w": ""},
        },
    }
    told = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "token": {"type": "http", "scheme": "Bearer"},
        "login": {"type": "oauth2", "flows": flows},
        "strange": {"type": "magic"},
        "lost": {"$ref": "#/nowhere"},
    }
    api = load_spec({}, components={"securitySchemes": told})
    assert api.schemes == {
        "key": SecurityScheme("key", "apiKey", place="header", key_name="X-Key"),
        "token": SecurityScheme("token", "http", http_scheme="bearer"),
        "login": SecurityScheme(
            "login", "oauth2", token_url="https://a/t", authorization_url="https://a/a", scopes=("r", "w", "z")
        ),
    }
    assert len(api.warnings) == 2


def test_schemes_of_2(load_spec: Any) -> None:
    told = {
        "basic": {"type": "basic"},
        "login": {"type": "oauth2", "flow": "application", "tokenUrl": "https://a/t", "scopes": {"r": "read"}},
    }
    api = load_spec({}, version="2.0", securityDefinitions=told)
    assert api.schemes == {
        "basic": SecurityScheme("basic", "http", http_scheme="basic"),
        "login": SecurityScheme("login", "oauth2", token_url="https://a/t", scopes=("r",)),
    }


def test_an_operations_own_word_counts(load_spec: Any) -> None:
    item = {"get": {}, "put": {"security": []}, "post": {"security": [{}, {"a": ["r"], "b": []}]}}
    api = load_spec({"/x": item}, security=[{"a": []}])
    assert [each.security for each in api.operations] == [
        ((("a", ()),),),
        (),
        ((), (("a", ("r",)), ("b", ()))),
    ]
