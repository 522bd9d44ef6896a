"""What a value's own shape says."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.guard.redact import values


def test_a_card_needs_its_checksum_and_a_known_beginning() -> None:
    assert values.is_card("4111 1111 1111 1234") is False
    assert values.is_card("4539578763621486")
    assert values.is_card("3782-822463-10005")
    assert not values.is_card("9539578763621480")


@given(st.from_regex(r"4[0-9]{14}", fullmatch=True).filter(lambda text: len(set(text)) > 3))
def test_exactly_one_last_digit_makes_a_card(most: str) -> None:
    assert sum(values.is_card(f"{most}{digit}") for digit in range(10)) == 1


def test_an_iban_needs_its_checksum() -> None:
    assert values.is_iban("DE89 3704 0044 0532 0130 00")
    assert not values.is_iban("DE88 3704 0044 0532 0130 00")


def test_a_jwt_has_a_header_that_decodes() -> None:
    header = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
    assert values.is_jwt(f"{header}.e30.")
    assert not values.is_jwt("eyJub3RoaW5n.e30.")


@pytest.mark.parametrize(
    "value",
    [
        "$TOKEN",
        "${API_KEY}",
        "<your key>",
        "{{ token }}",
        "xxxxxxxxxxxxxxxx",
        "****",
        "[REDACTED:KEY]",
        "sk_test_...",
        "",
    ],
)
def test_placeholders_are_no_secrets(value: str) -> None:
    assert values.placeholder(value)


@pytest.mark.parametrize(
    "value",
    [
        *("os.environ", "get_token(user)", "https://example.org/a1b2c3d4e5", "./keys/id_ed25519", "release-2024-01-15"),
        *("2024-01-15T10:00:00Z", "correct horse battery 1", "1234567890123", "aaaaaaaaaaaa1"),
    ],
)
def test_words_code_paths_and_dates_are_not_opaque(value: str) -> None:
    assert not values.opaque(value, 8)


@given(st.binary(min_size=16, max_size=48))
def test_encoded_random_bytes_have_a_possible_length(data: bytes) -> None:
    assert values.encodable(data.hex())
    assert values.encodable(base64.urlsafe_b64encode(data).decode().rstrip("="))


@given(st.text(min_size=1))
def test_every_check_answers_for_any_text(text: str) -> None:
    for check in (values.placeholder, values.wordy, values.is_login, values.is_jwt, values.is_basic, values.is_phone):
        assert check(text) in (True, False)
    assert values.opaque(text, 1) in (True, False)
