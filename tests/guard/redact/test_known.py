"""Our own secrets do not get out in any form."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.guard.redact import Redactor


def _units(secret: str) -> list[int]:
    data = secret.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda secret: json.dumps(secret)[1:-1],
    "json as it is": lambda secret: json.dumps(secret, ensure_ascii=False)[1:-1],
    "json, escaped": lambda secret: "".join(f"\\u{unit:04x}" for unit in _units(secret)),
    "json, ESCAPED twice": lambda secret: "".join(f"\\\\u{unit:04X}" for unit in _units(secret)),
    "address, escaped": lambda secret: "".join(f"%{byte:02X}" for byte in secret.encode()),
    "address": lambda secret: quote(secret, safe=""),
    "form": quote_plus,
    "page": html.escape,
    "hex": lambda secret: secret.encode().hex(),
    "HEX": lambda secret: secret.encode().hex().upper(),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 url": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
}
secrets = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=6, max_size=40)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(secret=secrets, before=st.sampled_from(["", "x", "key ", "é"]))
def test_no_form_of_a_secret_survives(form: str, secret: str, before: str) -> None:
    redactor = Redactor(secrets=[secret])
    echoed = f"{before}{FORMS[form](secret)} and more"
    clean = redactor.text(echoed)
    assert FORMS[form](secret) not in clean.value
    assert clean.counts["CREDENTIAL"] >= 1
    for data in (orjson.dumps({"echo": echoed}), json.dumps([echoed]).encode()):
        assert FORMS[form](secret) not in str(orjson.loads(redactor.json_bytes(data).value))


@settings(max_examples=60, deadline=None)
@given(
    secret=st.text(st.characters(codec="ascii", min_codepoint=33), min_size=8, max_size=30),
    user=st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=7),
    after=st.binary(max_size=5),
)
def test_base64_of_more_than_the_secret_is_recognised_wherever_it_begins(secret: str, user: str, after: bytes) -> None:
    blob = base64.b64encode(f"{user}:{secret}".encode() + after).decode()
    clean = Redactor(secrets=[secret]).text(f"X-Echo {blob}")
    assert clean.counts["CREDENTIAL"] == 1
    left = clean.value.removeprefix("X-Echo ").split("[REDACTED")[0]
    assert secret.encode()[:3] not in base64.b64decode(left + "=" * (-len(left) % 4))


def test_a_secret_spelled_with_escapes_is_found() -> None:
    data = b'{"a":"' + "".join(f"\\u{ord(letter):04x}" for letter in "s3cr3t-value").encode() + b'"}'
    assert Redactor(secrets=["s3cr3t-value"]).json_bytes(data).value == b'{"a":"[REDACTED:CREDENTIAL]"}'


def test_a_secret_of_three_letters_would_take_ordinary_words_with_it() -> None:
    assert Redactor(secrets=["the"]).text("the theory").value == "the theory"
