from __future__ import annotations

import re
from datetime import datetime

import orjson
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from knowgate.cli import keys, main, saved_filters
from knowgate.cli.keys import read_expiry
from knowgate.engine import Engine
from knowgate.errors import InputError
from knowgate.guard.keys import Keys


@pytest.fixture(autouse=True)
def commands(monkeypatch):
    app = typer.Typer()
    app.callback()(main.knowgate)
    app.add_typer(keys.app, name="keys")
    app.add_typer(saved_filters.app, name="filters")
    monkeypatch.setattr(main, "app", app)


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def store(open_engine):
    engine: Engine = open_engine()
    return engine.store


def test_only_the_key_is_on_stdout(cli, data, store):
    ran = cli("keys", "create", "ci", "--data", data)
    secret = ran.out.rstrip("\n")
    assert re.fullmatch(r"orag_[\w-]{43}", secret)
    principal = Keys(store).authenticate(secret)
    assert (principal.name, principal.scopes, principal.filter_id) == ("ci", {"read", "write"}, None)
    assert "not shown again" in ran.err
    assert "X-API-Key" in ran.err
    assert f"keys revoke {principal.id}" in ran.err
    assert secret not in ran.err


def test_the_key_is_not_shown_again(cli, data):
    made = cli("keys", "create", "ci", "--data", data, "--json").json
    assert made["secret"].startswith(made["key"]["prefix"])
    for arguments in (["list"], ["list", "--json"], ["revoke", "ci"], ["list"]):
        ran = cli("keys", *arguments, "--data", data)
        assert ran.code == 0
        assert made["secret"] not in ran.out + ran.err


def test_what_a_key_may_do(cli, data):
    filter_id = cli("filters", "create", "Guides", "--source", "guides/*", "--data", data).out.strip()
    for named, scopes in (
        (filter_id, ["--scope", "read", "--scope", "apis"]),
        ("Guides", ["--scope", "read, apis"]),
    ):
        arguments = [*scopes, "--filter", named, "--expires", "30d"]
        key = cli("keys", "create", "ann", *arguments, "--data", data, "--json").json["key"]
        assert (key["scopes"], key["filter_id"], key["state"]) == (["apis", "read"], filter_id, "active")
        created, expires = (datetime.fromisoformat(key[name]) for name in ("created_at", "expires_at"))
        assert (expires - created).total_seconds() == pytest.approx(30 * 86_400, abs=60)


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["ann", "--scope", "root"], "bad_scope", 2),
        (["ann", "--scope", ""], "bad_scope", 2),
        (["ann", "--scope", "read,"], "bad_scope", 2),
        (["ann", "--scope", "read,root"], "bad_scope", 2),
        (["ann", "--filter", "nope"], "filter_not_found", 9),
        (["ann", "--filter", ""], "filter_not_found", 9),
        (["ann", "--expires", "soon"], "bad_expiry", 2),
        (["ann", "--expires", ""], "bad_expiry", 2),
        (["ann", "--expires", "0d"], "bad_expiry", 2),
        (["ann", "--expires", "1999-12-31"], "bad_expiry", 2),
        ([" "], "bad_key_name", 2),
    ],
)
def test_what_makes_no_key(cli, data, arguments, code, exit_code):
    ran = cli("keys", "create", *arguments, "--data", data, "--json")
    assert (ran.code, orjson.loads(ran.err)["code"]) == (exit_code, code)
    assert cli("keys", "--data", data, "--json").json == {"keys": []}


def test_list(cli, data):
    ran = cli("keys", "--data", data)
    assert (ran.code, ran.out) == (0, "")
    assert "no keys yet" in ran.err
    cli("keys", "create", "first", "--scope", "admin", "--data", data)
    cli("keys", "create", "second", "--expires", "2999-01-01", "--data", data)
    cli("keys", "revoke", "first", "--data", data)
    ran = cli("keys", "list", "--data", data)
    heading, second, first = ran.out.splitlines()
    assert heading.split() == ["id", "name", "prefix", "scopes", "filter", "created", "expires", "state"]
    assert "second" in second and "read, write" in second and "2999-01-01" in second and "active" in second
    assert "first" in first and "admin" in first and "never" in first and "revoked" in first
    assert cli("keys", "--data", data).out == ran.out


def test_revoke(cli, data, store):
    secret = cli("keys", "create", "ci", "--data", data).out.strip()
    id = Keys(store).authenticate(secret).id
    for _ in range(2):
        ran = cli("keys", "revoke", id, "--data", data)
        assert (ran.code, ran.out) == (0, f"The key ci ({id}) is revoked.\n")
    assert not Keys(store).let_somebody_in()
    ran = cli("keys", "revoke", secret, "--data", data)
    assert ran.code == 9
    assert secret not in ran.err


def test_expiry():
    assert read_expiry("12h", 1000.0) == 1000 + 12 * 3600
    assert read_expiry("30d", 1000.0) == 1000 + 30 * 86_400
    assert read_expiry("2027-01-01", 0.0) == datetime(2027, 1, 1).astimezone().timestamp()
    assert read_expiry("2027-01-01T12:00+00:00", 0.0) == 1798804800


@given(st.text() | st.from_regex(r"\d{1,8}[hdw]", fullmatch=True) | st.dates().map(str) | st.datetimes().map(str))
def test_an_expiry_is_read_or_refused(text):
    try:
        assert isinstance(read_expiry(text, 0.0), float)
    except InputError as error:
        assert error.code == "bad_expiry"
