"""Threat 12: a secret of every kind goes through everything that can fail, and is found nowhere."""

from __future__ import annotations

import base64
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.apis.service import CLIENT_SECRET, KEY, PASSWORD, TOKEN, USER
from tests.threats.conftest import WRITES

from knowgate import Engine
from knowgate.errors import KnowgateError

PROFILES = ("token", "basic", "header", "query", "cookie", "oauth")
DOORS = {
    "token": "bearerOnly",
    "basic": "basicOnly",
    "header": "keyInHeader",
    "query": "keyInQuery",
    "cookie": "keyInCookie",
    "oauth": "oauthOnly",
}
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
    *(("answerStatus", {"status": status}, None) for status in (400, 401, 403, 404, 409, 418, 429, 500, 502, 503)),
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


def test_there_are_enough_ways_to_fail() -> None:
    assert len(FAILURES) >= 40


@pytest.mark.parametrize("profile", PROFILES)
def test_threat_12_no_secret_is_said_anywhere(
    house: Callable[..., Engine],
    profile: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="knowgate")
    rules = f"{WRITES}rules:\n  - {{name: all, pattern: '*', audit: {{include_body: true, include_response: true}}}}\n"
    quick = {"timeout_seconds": 1, "max_mb": 1}
    engine = house(rules, auth=(profile,), fetch=quick, limits={"repeats": "off", "api_rate": "off"})
    said: list[str] = []
    for operation, parameters, body in FAILURES:
        for dry_run in (False, True):
            try:
                said.append(repr(engine.run_operation(operation, parameters, body, dry_run=dry_run, max_pages=3)))
            except KnowgateError as error:
                said += [str(error), repr(error.as_dict()), "".join(traceback.format_exception(error))]
    assert engine.run_operation(DOORS[profile]).status in (200, 401)
    said += [repr(engine.settings), repr(engine.apis()), *engine.export_audit("jsonl"), *engine.export_audit("csv")]
    printed = capfd.readouterr()
    said += [printed.out, printed.err, caplog.text]
    said += [path.read_text("utf-8", "replace") for path in (tmp_path / "data" / "audit").iterdir()]
    everything = "\n".join(said)
    basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    for secret in (TOKEN, KEY, PASSWORD, CLIENT_SECRET):
        for form in _forms(secret):
            assert form not in everything, (profile, form)
    assert basic not in everything
