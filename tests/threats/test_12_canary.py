"""Threat 12: a secret of every kind goes through everything that can fail, and is found nowhere."""

from __future__ import annotations

import base64
import logging
import os
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from tests.apis.service import CLIENT_ID, CLIENT_SECRET, KEY, PASSWORD, TOKEN, USER, service
from tests.threats.conftest import WRITES

from knowgate import Engine
from knowgate.apis.credentials.wallet import Wallet
from knowgate.doors.serve import listen
from knowgate.errors import KnowgateError
from knowgate.net import NetRules

PROFILES = ("token", "basic", "header", "query", "cookie", "oauth", "person", "certificate")
PASSPHRASE = "canary-passphrase-5e0c"
CERTIFICATE = Path(__file__).parents[1] / "net" / "shop.test.pem"
DOORS = {
    "token": "bearerOnly",
    "basic": "basicOnly",
    "header": "keyInHeader",
    "query": "keyInQuery",
    "cookie": "keyInCookie",
    "oauth": "oauthOnly",
    "person": "oauthOnly",
    "certificate": "answerText",
}
STATUSES = (400, 401, 403, 404, 405, 406, 409, 410, 415, 418, 422, 429, 451, 500, 501, 502, 503, 504)
FAILURES: tuple[tuple[str, dict[str, Any] | None, Any], ...] = (
    ("echoSecrets", None, None),
    ("slow", None, None),
    ("drip", None, None),
    ("endless", None, None),
    ("bomb", None, None),
    ("stackedEncodings", None, None),
    ("deep", None, None),
    ("cut", None, None),
    ("lost", {"times": 9}, None),
    ("lostAfterPost", None, None),
    ("cutAfterPost", None, None),
    ("busy", {"times": 9}, None),
    ("redirectAway", None, None),
    ("redirectNowhere", None, None),
    ("redirectChain", {"left": 9}, None),
    ("redirectPost", None, None),
    ("answerBrokenJson", None, None),
    ("answerEmpty", None, None),
    *(("answerStatus", {"status": status}, None) for status in STATUSES),
    ("echoParameters", {"name": ".."}, None),
    ("echoParameters", {"name": "x", "unknown": 1}, None),
    ("createPet", None, {"name": 1}),
    ("createPet", None, {"name": TOKEN}),
    ("createPet", None, {"name": base64.b64encode(KEY.encode()).decode()}),
    ("createPet", None, {"name": quote(PASSWORD)}),
    ("listElsewhere", None, None),
    ("listFailing", None, None),
    ("nothingOfTheKind", None, None),
    ("bearerOnly", None, None),
    ("basicOnly", None, None),
    ("keyInHeader", None, None),
    ("keyInQuery", None, None),
    ("keyInCookie", None, None),
    ("oauthOnly", None, None),
)


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret, safe="")
    yield base64.b64encode(secret.encode()).decode().rstrip("=")
    yield secret.encode().hex()


@pytest.fixture
def running(
    house: Callable[..., Engine], api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], tuple[Engine, list[str]]]]:
    """An engine whose API is called with this profile, and the secrets that only this profile has."""
    rules = f"{WRITES}rules:\n  - {{name: all, pattern: '*', audit: {{include_body: true, include_response: true}}}}\n"
    quick = {"timeout_seconds": 1, "max_mb": 1}
    more: dict[str, Any] = {"fetch": quick, "limits": {"repeats": "off", "api_rate": "off"}}

    with ExitStack() as stack:

        def start(profile: str) -> tuple[Engine, list[str]]:
            if profile == "certificate":
                certificate, secrets = _certificate(tmp_path)
                url = stack.enter_context(service(CERTIFICATE)).replace("127.0.0.1", "shop.test")
                _call_it_here("shop.test", monkeypatch)
                monkeypatch.setenv("SERVICE_X", PASSPHRASE)
                shop = {"spec": f"{api}/openapi.json", "base_url": url, "allow_private": True, "auth": (profile,)}
                return house(rules, profiles={profile: certificate}, apis={"shop": shop}, **more), secrets
            if profile == "person":
                signing_in = {
                    "type": "oauth2_authorization_code",
                    "client_id": CLIENT_ID,
                    "secret_env": "SERVICE_C",
                    "token_url": f"{api}/oauth/token",
                    "authorization_url": f"{api}/oauth/authorize",
                }
                engine = house(rules, auth=(profile,), profiles={profile: signing_in}, **more)
                return engine, _signed_in(engine, profile)
            return house(rules, auth=(profile,), **more), []

        yield start


def _certificate(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """A certificate whose key has a passphrase, as settings; and what must not be seen of it."""
    pem = CERTIFICATE.read_bytes()
    key = load_pem_private_key(pem, None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(PASSPHRASE.encode()))
    private = folder / "client.key"
    private.write_bytes(locked)
    private.chmod(0o600)
    table = {
        "type": "mutual_tls",
        "cert_file": CERTIFICATE,
        "key_file": private,
        "ca_file": CERTIFICATE,
        "secret_env": "SERVICE_X",
    }
    lines = [line for line in (*locked.decode().splitlines(), *_bare(pem)) if not line.startswith("-")]
    return table, [PASSPHRASE, *lines]


def _bare(pem: bytes) -> list[str]:
    """The lines of the key without a passphrase; the certificate beside it is no secret."""
    begin = pem.index(b"PRIVATE KEY-----")
    return pem[begin : pem.index(b"-----END", begin)].decode().splitlines()[1:]


def _call_it_here(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    really = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        return really(b"127.0.0.1" if host == name.encode() else host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


def _signed_in(engine: Engine, name: str) -> list[str]:
    """Somebody signs in with a browser; the tokens that we were given for it."""
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    profile = replace(engine.rooms.wallet.profile(name), redirect_port=port)
    folder = engine.settings.data / "apis" / "tokens"
    wallet = Wallet([profile], environ=os.environ, folder=folder, rules=NetRules(allow_private=True))
    browsers: list[Thread] = []

    def browse(address: str) -> None:
        browsers.append(Thread(target=lambda: httpx2.get(address, follow_redirects=True, timeout=60)))
        browsers[-1].start()

    wallet.sign_in(name, browse)
    for each in browsers:
        each.join()
    tokens = [each for each in wallet.secrets_of(name) if each != CLIENT_SECRET]
    assert len(tokens) == 2
    return tokens


@pytest.mark.parametrize("profile", PROFILES)
def test_threat_12_no_secret_is_said_anywhere(
    running: Callable[[str], tuple[Engine, list[str]]],
    profile: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    engine, own = running(profile)
    said: list[str] = []
    failed: set[int] = set()
    for number, (operation, parameters, body) in enumerate(FAILURES):
        for dry_run in (False, True):
            try:
                answer = engine.run_operation(operation, parameters, body, dry_run=dry_run, max_pages=3)
            except KnowgateError as error:
                failed.add(number)
                said += [str(error), repr(error.as_dict()), "".join(traceback.format_exception(error))]
            else:
                failed |= {number} if answer.status >= 400 else set()
                said.append(repr(answer))
    assert len(failed) >= 40
    assert engine.run_operation(DOORS[profile]).status == 200
    said += [repr(engine.settings), repr(engine.apis()), *engine.export_audit("jsonl"), *engine.export_audit("csv")]
    printed = capfd.readouterr()
    said += [printed.out, printed.err, caplog.text]
    said += [path.read_text("utf-8", "replace") for path in (tmp_path / "data" / "audit").iterdir()]
    everything = "\n".join(said)
    assert "answerStatus" in everything
    for secret in (TOKEN, KEY, PASSWORD, CLIENT_SECRET, f"{USER}:{PASSWORD}", *own):
        for form in _forms(secret):
            assert form not in everything, (profile, form)
