"""Credentials are put in and taken out, the rest stays as it was."""

from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.wires import bare_query, same_target, with_cookies, with_query

queries = st.text("ab=&%2F+k", max_size=20)
values = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=10)


@given(queries, values)
def test_a_parameter_is_there_once_and_the_others_as_before(query: str, value: str) -> None:
    url = f"https://api.test/x?{query}"
    added = with_query(url, [("k", value)])
    pairs = parse_qsl(urlsplit(added).query, keep_blank_values=True)
    assert [pair for pair in pairs if pair[0] == "k"] == [("k", value)]
    others = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] != "k"]
    assert [pair for pair in pairs if pair[0] != "k"] == others
    assert parse_qsl(urlsplit(bare_query(added, ["k"])).query, keep_blank_values=True) == others


def test_nothing_to_do_changes_nothing() -> None:
    for url in ("https://api.test", "https://api.test/?", "https://api.test/?a&&b=", "https://api.test/x?k2=1"):
        assert with_query(url, []) == url
        assert bare_query(url, []) == url
        assert bare_query("https://api.test/x?k2=1", ["k"]) == "https://api.test/x?k2=1"


def test_one_cookie_header() -> None:
    headers = (("cookie", "a=1"), ("X", "2"))
    assert with_cookies(headers, [("s", "3")]) == (("X", "2"), ("Cookie", "a=1; s=3"))
    assert with_cookies(headers, []) == headers


def test_letter_by_letter() -> None:
    assert same_target("https://api.test", "/")
    assert same_target("https://api.test?a=1", "/?a=1")
    assert same_target("https://api.test/a%2Fb?c#d", "/a%2Fb?c")
    assert not same_target("https://api.test/a/../b", "/b")
    assert not same_target("https://api.test/a%2fb", "/a/b")
