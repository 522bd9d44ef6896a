"""Each rule finds what it was made for, through its anchor, and knows a placeholder."""

import re

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from knowgate.guard.redact import Redactor
from knowgate.guard.redact.patterns import compiled
from knowgate.guard.redact.rules import FORMS, PERSONAL, Rule
from knowgate.guard.redact.tokens import TOKENS

REDACTOR = Redactor()
# Put together here, so that no scanner takes this file for a leak.
SAMPLES = {
    "AWS_KEY": "AKIA" + "Q3EGRJ5TZ7WXM2NB",
    "GCP_KEY": "AIza" + "SyB7dKq0xV3mTn5RfYpL2wZc9HsJ8gUe4Qa",
    "AZURE_SECRET": "kT7" + "8Q~" + "mZx3Vb9Kq.Lw2Rt_Yp5Nc7Hd4Gf6Js8Da1",
    "GITHUB_TOKEN": "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3iO6",
    "GITLAB_TOKEN": "glpat-" + "xK7mQ2vR9tY4bN6wZ3cJ",
    "SLACK_TOKEN": "xoxb-" + "274839102934-594837261029-" + "kT8mZx3Vb9KqLw2RtYp5Nc7H",
    "STRIPE_KEY": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "OPENAI_KEY": "sk-" + "proj-kT8mZx3Vb9KqLw2RtYp5" + "T3BlbkFJ" + "Nc7Hd4Gf6Js8Da1Xe3Vu",
    "ANTHROPIC_KEY": "sk-ant-" + "api03-" + "kT8mZx3Vb9KqLw2RtYp5Nc7Hd4Gf6Js8Da1Xe3Vu" * 2 + "Qz5Bn7Mw9Rk2T" + "AA",
    "NPM_TOKEN": "npm_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3iO6",
    "PYPI_TOKEN": "pypi-" + "AgEIcHlwaS5vcmcCJDkzMWQ0ZTQ4LTg5YzYtNDUyYi1iN2VjLWE5Y2RmMGU0YjJhMQ",
    "SENDGRID_KEY": "SG." + "kT8mZx3Vb9KqLw2RtYp5Nc." + "7Hd4Gf6Js8Da1Xe3VuQz5Bn7Mw9Rk2TyUi4Op6As8Df",
    "TWILIO_KEY": "SK" + "5f3a9c1e7b2d8f4a6c0e9b3d7f1a5c8e",
    "JWT": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiI0MiJ9." + "c2lnbmF0dXJlLWJ5dGVz",
    "HUGGINGFACE_TOKEN": "hf_" + "kTmZxVbKqLwRtYpNcHdGfJsDaXeVuQzBnM",
    "IBAN": "DE89 3704 0044 0532 0130 00",
    "SSN": "219-09-9999",
    "CARD": "4539 5787 6362 1486",
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_token_in_a_sentence_becomes_its_tag(kind: str) -> None:
    clean = REDACTOR.text(f"Use {SAMPLES[kind]} from now on.")
    assert re.fullmatch(rf"Use \[REDACTED:{kind}(#1)?\] from now on\.", clean.value)
    assert clean.counts == {kind: 1}


def test_a_private_key_goes_with_its_frame() -> None:
    body = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDAC4AWkdwKYSd8"] * 3)
    frame = "-----{} RSA PRIVATE " + "KEY-----"
    whole = f"{frame.format('BEGIN')}\n{body}\n{frame.format('END')}"
    assert REDACTOR.text(f"a {whole} b").value == "a [REDACTED:PRIVATE_KEY] b"
    assert REDACTOR.text(f"cut {whole[:150]}").value == "cut [REDACTED:PRIVATE_KEY]"


@pytest.mark.parametrize(
    "text",
    [
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "https://localhost:8000/@scope/package",
        "git push -u origin main",
        "order 4111111111111112",
        "https://${USER}:${PASSWORD}@db.example.org",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert REDACTOR.text(text).value == text


@pytest.mark.parametrize("rule", [*TOKENS, *FORMS, *PERSONAL], ids=lambda rule: f"{rule.kind}-{rule.anchor}")
@settings(max_examples=4, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_every_match_holds_the_rules_anchor(rule: Rule, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(re.compile(rule.pattern.encode(), re.ASCII)))
    if compiled(rule.pattern).search(text):
        assert compiled(rule.anchor).search(text)


def test_a_sample_that_its_vendor_publishes_is_no_secret() -> None:
    sample = "AIzaSyAnLA7NfeLquW1tJFpx_eQCxoX-oo6YyIs"
    assert Redactor().text(sample).value == sample
    assert Redactor().text(sample.replace("xoX", "xoY")).value == "[REDACTED:GCP_KEY]"


@pytest.mark.parametrize("body", ["MHcCAQEEIBLk", "MIIB\nabc1", "\\nMIIEvQ\\n", "b3BlbnNzaC1rZXktdjEA"])
def test_a_short_private_key_as_in_tests(body: str) -> None:
    frame = "-----{} EC PRIVATE " + "KEY-----"
    whole = f"{frame.format('BEGIN')}\n{body}\n{frame.format('END')}"
    assert REDACTOR.text(whole).value == "[REDACTED:PRIVATE_KEY]"


@pytest.mark.parametrize("body", ["anything", "your key here", "...", ""])
def test_a_private_key_that_is_left_out_stays(body: str) -> None:
    frame = "-----{} EC PRIVATE " + "KEY-----"
    whole = f"{frame.format('BEGIN')}\n{body}\n{frame.format('END')}"
    assert REDACTOR.text(whole).value == whole
