"""A request as a command line."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.curl import as_curl
from knowgate.apis.request import Request


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_a_shell_reads_it_back(text: str) -> None:
    request = Request("POST", "https://a.com/?x=%27", (("X-A", "it's"),), text.encode(), "text/plain")
    assert shlex.split(as_curl(request, (("Authorization", "Bearer $TOKEN"),))) == [
        *("curl", "--globoff", "--request", "POST", "https://a.com/?x=%27", "--header", "X-A: it's"),
        *("--header", "Content-Type: text/plain", "--header", "Authorization: Bearer $TOKEN", "--data-raw", text),
    ]


def test_bytes_heads_and_empty_headers() -> None:
    assert as_curl(Request("PUT", "https://a.com/", body=b"\0\xff")).startswith("printf %s AP8= | base64 -d | curl")
    head = shlex.split(as_curl(Request("HEAD", "https://a.com/", (("X-Empty", ""),))))
    assert head == ["curl", "--globoff", "--head", "https://a.com/", "--header", "X-Empty;"]
