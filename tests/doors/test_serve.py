from __future__ import annotations

import httpx2
import pytest

from knowgate.doors.serve import KEEP_ALIVE_SECONDS, address, is_loopback, listen
from knowgate.errors import InputError


def test_any_free_port():
    with listen("localhost", 0) as one, listen("127.0.0.1", 0) as other:
        assert address(one) != address(other)
        assert address(other).startswith("http://127.0.0.1:")


def test_a_taken_port():
    with listen("127.0.0.1", 0) as taken, pytest.raises(InputError) as refused:
        listen("127.0.0.1", taken.getsockname()[1])
    assert refused.value.code == "port_taken"


@pytest.mark.parametrize(("host", "code"), [("0.0.0.0", "public_without_keys"), ("nowhere.invalid", "bad_host")])
def test_hosts_that_are_refused(host, code):
    with pytest.raises(InputError) as refused:
        listen(host, 0)
    assert refused.value.code == code


def test_a_public_address_with_keys():
    with listen("0.0.0.0", 0, has_keys=True) as public:
        assert not is_loopback(public.getsockname()[0])


def test_no_client_keeps_a_connection_longer_than_we_do():
    kept = httpx2.Limits().keepalive_expiry
    assert kept
    assert kept < KEEP_ALIVE_SECONDS
