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
    "HeX": lambda secret: "".join(f"{byte:02X}" if byte % 2 else f"{byte:02x}" for byte in secret.encode()),
    "address, in part": lambda secret: "".join(
        quote(each, safe="") if at % 2 else "".join(f"%{byte:02x}" for byte in each.encode())
        for at, each in enumerate(secret)
    ),
    "address, twice": lambda secret: quote(quote(secret, safe=""), safe=""),
    "base64 in an address": lambda secret: quote(base64.b64encode(secret.encode()).decode(), safe=""),
    "base64 of an address": lambda secret: base64.b64encode(quote(secret, safe="").encode()).decode(),
    "base64 of a form": lambda secret: base64.urlsafe_b64encode(quote_plus(secret).encode()).decode(),
    "base64 twice": lambda secret: base64.b64encode(base64.b64encode(secret.encode())).decode(),
    "base64 in both alphabets": lambda secret: base64.b64encode(secret.encode()).decode().replace("+", "-"),
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


@settings(max_examples=100, deadline=None)
@given(secret=st.text(st.characters(codec="ascii", min_codepoint=33), min_size=6, max_size=60), data=st.data())
def test_any_characters_of_it_may_be_escaped(secret: str, data: st.DataObject) -> None:
    ways = st.sampled_from(["{}", "%{:02x}", "%{:02X}", "%25{:02x}", "\\\\u00{:02x}"])
    written = "".join(
        way.format(each if way == "{}" else ord(each)) for each in secret for way in [data.draw(ways, label=each)]
    )
    redactor = Redactor(secrets=[secret])
    assert redactor.knows(written)
    assert redactor.knows(json.dumps({"note": written}))
    assert redactor.text(f"({written})").value == "([REDACTED:CREDENTIAL])"


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase])
def test_the_case_of_a_long_one_does_not_matter(change: Callable[[str], str]) -> None:
    secret = "Zx9-Qw8_Er7tYu6iOp5"
    redactor = Redactor(secrets=[secret, "Then"])
    for form in (secret, base64.b64encode(secret.encode()).decode(), secret.encode().hex()):
        assert redactor.text(f"a {change(form)}").value == "a [REDACTED:CREDENTIAL]"
    assert redactor.text("then THEN Then").value == "then THEN [REDACTED:CREDENTIAL]"


def test_very_long_ones_are_found_in_every_form_and_do_not_slow_us_down(capfd: pytest.CaptureFixture[str]) -> None:
    long = ["".join(f"{each}{number:x}~" for number in range(700)) for each in "abcdefgh"]
    redactor = Redactor(secrets=long)
    for secret in long:
        for form in FORMS:
            assert FORMS[form](secret)[-9:] not in redactor.text(f"x {FORMS[form](secret)} y").value, form
    assert redactor.json_bytes(b'{"text":"harmless"}').value == b'{"text":"harmless"}'
    # RE2 complains there when it runs out of memory, and goes on a thousand times slower.
    assert capfd.readouterr().err == ""


def test_a_long_one_goes_whole_also_with_spaces_in_it() -> None:
    cookie = "session=" + "a1B2" * 16 + "; csrf=zzTopSecretCsrf99"
    redactor = Redactor(secrets=[cookie])
    assert redactor.json({"echo": f"got {cookie}!"}).value == {"echo": "got [REDACTED:CREDENTIAL]!"}
    assert redactor.text(f"got {quote(cookie, safe='')} ").value == "got [REDACTED:CREDENTIAL] "


@pytest.mark.parametrize("form", ["address, in part", "json, escaped", "HeX", "base64 twice", "base64 of an address"])
def test_of_a_long_one_nothing_is_left(form: str) -> None:
    secret = "Kq7-" * 30 + "end"
    assert Redactor(secrets=[secret]).text(f"x {FORMS[form](secret)} y").value == "x [REDACTED:CREDENTIAL] y"


def test_what_only_begins_like_a_long_one_is_somebody_else_s() -> None:
    header = base64.urlsafe_b64encode(b'{"alg":"RS256","typ":"JWT","kid":"0123456789abcdef0123456789abcdef"}').decode()
    ours, theirs = (f"{header}.{base64.urlsafe_b64encode(each).decode()}" for each in (b"us" * 30, b"customer" * 9))
    redactor = Redactor(secrets=[ours])
    assert redactor.knows(ours)
    assert not redactor.knows(theirs)


def test_a_secret_spelled_with_escapes_is_found() -> None:
    data = b'{"a":"' + "".join(f"\\u{ord(letter):04x}" for letter in "s3cr3t-value").encode() + b'"}'
    assert Redactor(secrets=["s3cr3t-value"]).json_bytes(data).value == b'{"a":"[REDACTED:CREDENTIAL]"}'


def test_a_secret_of_three_letters_would_take_ordinary_words_with_it() -> None:
    assert Redactor(secrets=["the"]).text("the theory").value == "the theory"
