from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.guard.policy.globs import Globs, Texts

LETTERS = "ab/.-*?!]["


@given(st.text("ab/.-*?"), st.text("abAB/.-"))
def test_a_glob_matches_what_fnmatch_matches(pattern: str, text: str) -> None:
    if pattern:
        assert (Globs((pattern,)).match(text) is True) == fnmatchcase(text, pattern)
        assert (Globs((pattern,)).match(text) is not False) == fnmatchcase(text.lower(), pattern)


@given(st.text(LETTERS, min_size=1, max_size=8), st.text("ab/.-![]*?", max_size=8))
def test_character_classes_too(pattern: str, text: str) -> None:
    try:
        globs = Globs((pattern,))
    except re.error:
        return
    assert (globs.match(text) is True) == fnmatchcase(text, pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "sure"),
    [
        ("*.x.com/*", "a.x.com/y", True),
        ("*.x.com/*", "evil/a.x.com/y", None),
        ("https://*.x.com/*", "https://a.x.com/y", True),
        ("https://*.x.com/*", "https://evil/.x.com/y", None),
        ("*/admin/*", "a.x.com/v1/admin/y", True),
        ("a*", "a/b/c", True),
        ("/a/*/c", "/a/b/b/c", True),
    ],
)
def test_the_star_of_a_host_does_not_cross_a_slash(pattern: str, text: str, sure: bool | None) -> None:
    assert Globs((pattern,), urls=True).match(text) is sure


def test_other_spellings_are_not_for_sure() -> None:
    assert Globs(("*/admin",)).match_any(Texts(("x",), ("y/admin",))) is None


def test_every_some_none() -> None:
    globs = Globs(("hr/*",))
    assert globs.every(["hr/a", "hr/b"]) is True
    assert globs.every(["hr/a", "b"]) is None
    assert globs.every(["b"]) is False
    assert globs.every([]) is False


def test_no_text_makes_a_glob_slow() -> None:
    """With backtracking this would take longer than anybody waits."""
    assert Globs(("*a*a*a*a*a*a*a*a*a*a*b",)).match("a" * 20_000) is False
