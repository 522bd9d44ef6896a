from __future__ import annotations

from dataclasses import replace

from tests.apis.samples import operation

from knowgate.apis.credentials.choose import choose
from knowgate.apis.credentials.profile import Profile
from knowgate.apis.operation import SecurityScheme

TOKEN = Profile("token", "bearer", ("https://a.example",))
BASIC = Profile("basic", "basic", ("https://a.example",))
KEY = Profile("key", "api_key", ("https://a.example",), place="header", key_name="X-Key")
OAUTH = Profile("oauth", "oauth2_client_credentials", ("https://a.example",))
SCHEMES = {
    "token": SecurityScheme("token", "http", http_scheme="bearer"),
    "basic": SecurityScheme("basic", "http", http_scheme="Basic"),
    "key": SecurityScheme("key", "apiKey", place="header", key_name="x-key"),
    "other": SecurityScheme("other", "apiKey", place="query", key_name="x-key"),
    "oauth": SecurityScheme("oauth", "oauth2"),
}


def chosen(*alternatives: tuple[str, ...], among: tuple[Profile, ...]) -> list[str]:
    security = tuple(tuple((name, ()) for name in each) for each in alternatives)
    return [profile.name for profile in choose(replace(operation(), security=security), SCHEMES, among)]


def test_the_one_that_is_asked_for():
    assert chosen(("key",), among=(TOKEN, BASIC, KEY)) == ["key"]
    assert chosen(("basic",), among=(TOKEN, BASIC, KEY)) == ["basic"]


def test_the_first_alternative_that_can_be_met_with_all_it_needs():
    assert chosen(("other",), ("key", "token"), among=(TOKEN, KEY)) == ["key", "token"]


def test_a_token_is_a_token_but_its_own_kind_comes_first():
    assert chosen(("oauth",), among=(TOKEN,)) == ["token"]
    assert chosen(("oauth",), among=(TOKEN, OAUTH)) == ["oauth"]
    assert chosen(("token",), among=(OAUTH, TOKEN)) == ["token"]


def test_what_the_description_does_not_say_or_nobody_has_is_met_with_the_first():
    assert chosen(among=(BASIC, TOKEN)) == ["basic"]
    assert chosen(("unknown",), among=(BASIC,)) == ["basic"]
    assert chosen(("key",), among=()) == []
