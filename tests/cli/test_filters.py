from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.cli.filters import make_filter
from knowgate.errors import InputError
from knowgate.model import Filter


def test_nothing_asked_is_no_constraint():
    assert make_filter() == Filter()


def test_a_bare_name_is_found_in_every_folder():
    assert make_filter(files=["a.md", "x/b.md"]).names == ("a.md", "*/a.md", "x/b.md")


def test_a_day_is_whole():
    found = make_filter(since="2026-03-10", until="2026-03-10")
    assert found.modified_from == datetime(2026, 3, 10).astimezone().timestamp()
    assert found.modified_until == datetime(2026, 3, 11).astimezone().timestamp()


def test_a_moment_is_exact():
    assert make_filter(until="2026-03-10T14:30+00:00").modified_until == 1773153000


def test_a_value_may_be_text_or_number_and_a_field_may_have_several():
    found = make_filter(fields=["year=2026", "draft=true", "author=Ada", "author=Bo", "ratio=1.5", "formula=a=b"])
    assert found.fields == {
        "year": ("2026", 2026),
        "draft": ("true", True),
        "author": ("Ada", "Bo"),
        "ratio": ("1.5", 1.5),
        "formula": ("a=b",),
    }


def test_the_last_day_of_the_calendar_is_whole():
    last = datetime.fromisoformat("9999-12-31T00:00+00:00").timestamp()
    assert make_filter(until="9999-12-31").modified_until == pytest.approx(last + 86_400, abs=86_400)


@pytest.mark.parametrize(
    ("value", "readings"),
    [
        (str(2**63 - 1), (str(2**63 - 1), 2**63 - 1)),
        (str(2**63), (str(2**63),)),
        (str(-(2**63) - 1), (str(-(2**63) - 1),)),
        ("9" * 5000, ("9" * 5000,)),
        ("1e999", ("1e999",)),
        ("nan", ("nan",)),
        ("1e30", ("1e30", 1e30)),
    ],
)
def test_numbers_that_nothing_holds_are_text(value, readings):
    assert make_filter(fields=[f"n={value}"]).fields == {"n": readings}


@given(st.text())
def test_any_date_is_read_or_refused(text: str):
    try:
        make_filter(since=text or "x", until=text or "x")
    except InputError as error:
        assert error.code == "bad_date"


@given(st.text())
def test_any_field_is_read_or_refused(text: str):
    try:
        assert len(make_filter(fields=[text]).fields) == 1
    except InputError as error:
        assert error.code == "bad_field"


@pytest.mark.parametrize("field", ["", "author", "=Ada"])
def test_bad_fields(field):
    with pytest.raises(InputError, match="KEY=VALUE"):
        make_filter(fields=[field])


def test_types_by_name_ending_and_media_type():
    typed = ["md", ".MD", "*.htm", "markdown", "pdf", "txt", "text/markdown", "image/png"]
    found = ("markdown", "markdown", "html", "markdown", "pdf", "text", "text/markdown", "image/png")
    assert make_filter(types=typed).types == found


@pytest.mark.parametrize("type", ["psychic", "", "text/psychic"])
def test_unknown_types_are_told_the_known_ones(type):
    with pytest.raises(InputError) as caught:
        make_filter(types=[type])
    assert caught.value.code == "unknown_type"
    assert "markdown" in caught.value.fix
