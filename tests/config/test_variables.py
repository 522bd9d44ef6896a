from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.config.variables import BadReference, Variables


def test_the_real_environment_is_stronger_than_dotenv():
    variables = Variables({"A": "real"}, {"A": "file", "B": "file"})
    assert variables.expand("${A} ${B}") == "real file"


def test_references_are_filled_in():
    variables = Variables({"HOST": "h"}, {"PORT": "80"})
    assert variables.expand("http://${HOST}:${PORT}/$x$") == "http://h:80/$x$"


def test_what_a_real_variable_holds_is_taken_as_it_is():
    assert Variables({"KEY": "a${b"}, {}).expand("${KEY}") == "a${b"


def test_dotenv_may_speak_of_other_variables():
    variables = Variables({"HOME": "/home/me"}, {"ROOT": "${HOME}/kb", "DATA": "${ROOT}/data"})
    assert variables.expand("${DATA}") == "/home/me/kb/data"


@pytest.mark.parametrize(("environ", "state"), [({}, "not set"), ({"KEY": ""}, "empty")])
def test_unset_and_empty_variables_are_refused(environ: dict[str, str], state: str):
    with pytest.raises(BadReference, match=state) as caught:
        Variables(environ, {}).expand("${KEY}")
    assert caught.value.code == "unset_variable"
    assert "KEY" in caught.value.fix


def test_a_circle_is_refused():
    with pytest.raises(BadReference, match="itself"):
        Variables({}, {"A": "${B}", "B": "${A}"}).expand("${A}")


@pytest.mark.parametrize("text", ["${", "a${secret", "${}", "${a-b}", "${A:-default}", "${1}"])
def test_broken_references_are_refused_and_not_repeated(text: str):
    with pytest.raises(BadReference) as caught:
        Variables({"A": "x"}, {}).expand(text)
    assert caught.value.code == "bad_setting"
    assert "secret" not in caught.value.text
    assert "default" not in caught.value.text


def test_values_do_not_show():
    assert "sk-1" not in repr(Variables({"KEY": "sk-1"}, {"OTHER": "sk-1"}))


@given(st.text().filter(lambda text: "${" not in text))
def test_text_without_references_stays(text: str):
    assert Variables({}, {}).expand(text) == text
