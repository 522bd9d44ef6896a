from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.doors.requests import is_local


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "127.9.9.9", "[::1]:3000", "[::1]"])
def test_this_machine(host):
    assert is_local(host)


@pytest.mark.parametrize(
    "host", ["", "evil.test", "localhost.evil.test", "127.0.0.1.evil.test:80", "10.0.0.1", "0.0.0.0", "[::]", ":3000"]
)
def test_another_machine(host):
    assert not is_local(host)


@given(st.text())
def test_any_text_is_judged(host: str):
    assert is_local(host) in (True, False)
