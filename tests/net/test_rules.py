"""The rules decide about a host and the addresses behind it."""

from ipaddress import ip_address

import pytest

from knowgate.errors import ForbiddenError, InputError
from knowgate.net import NetRules
from knowgate.net.address import read_host
from knowgate.net.rules import check_addresses, check_host


def refused(host: str, addresses: list[str], rules: NetRules, port: int = 80) -> bool:
    target = read_host(host)
    try:
        check_host(target, port, rules)
        check_addresses(target, port, map(ip_address, addresses), rules)
    except ForbiddenError as error:
        assert error.code == "private_address"
        assert error.fix
        return True
    return False


def test_a_public_host_passes() -> None:
    assert not refused("example.com", ["93.184.215.14", "2606:4700::1"], NetRules())


def test_one_private_address_among_public_ones_refuses_the_host() -> None:
    assert refused("example.com", ["93.184.215.14", "10.0.0.1"], NetRules())


def test_a_local_name_is_refused_whatever_it_resolves_to() -> None:
    assert refused("app.localhost", ["93.184.215.14"], NetRules())
    assert not refused("app.localhost", ["127.0.0.1"], NetRules(allow_private=True))


def test_allow_private_does_not_open_the_metadata_service() -> None:
    rules = NetRules(allow_private=True)
    assert not refused("wiki", ["10.0.0.1"], rules)
    assert refused("metadata.google.internal", ["169.254.169.254"], rules)
    assert refused("wiki", ["64:ff9b::169.254.169.254"], rules)


@pytest.mark.parametrize("entry", ["wiki", "WIKI.", "wiki:8080", "  wiki  "])
def test_a_listed_host_may_be_anywhere(entry: str) -> None:
    assert not refused("wiki", ["10.0.0.1"], NetRules(allow_hosts=(entry,)), port=8080)


@pytest.mark.parametrize("entry", ["wiki:8081", "other", "10.0.0.1", "sub.wiki"])
def test_what_is_listed_is_that_name_and_port_only(entry: str) -> None:
    assert refused("wiki", ["10.0.0.1"], NetRules(allow_hosts=(entry,)), port=8080)


@pytest.mark.parametrize(
    ("entry", "host"),
    [("127.0.0.1", "0x7f.1"), ("127.1:8080", "127.0.0.1"), ("[::1]:8080", "::1"), ("::1", "0:0:0:0:0:0:0:1")],
)
def test_a_listed_address_counts_in_every_spelling(entry: str, host: str) -> None:
    address = str(read_host(host))
    assert not refused(host, [address], NetRules(allow_hosts=(entry,)), port=8080)


@pytest.mark.parametrize("entry", ["", "http://wiki/", "wiki/docs", "*.example.com", "a b", "wiki:port"])
def test_a_listed_host_that_is_none_is_an_error_not_a_silence(entry: str) -> None:
    with pytest.raises(InputError) as caught:
        NetRules(allow_hosts=(entry,))
    assert caught.value.code == "bad_host"


def test_the_fix_can_be_pasted_into_the_rules() -> None:
    with pytest.raises(ForbiddenError) as caught:
        check_host(read_host("::1"), 8080, NetRules())
    assert '"[::1]:8080"' in caught.value.fix
    check_host(read_host("::1"), 8080, NetRules(allow_hosts=("[::1]:8080",)))


@pytest.mark.parametrize(("address", "allowed"), [("10.0.0.1", True), ("169.254.169.254", False)])
def test_the_fix_names_the_settings_but_never_for_the_metadata_service(address: str, allowed: bool) -> None:
    with pytest.raises(ForbiddenError) as caught:
        check_host(read_host(address), 80, NetRules())
    assert (f'"{address}:80" to fetch.allow_hosts' in caught.value.fix) is allowed
    assert ("fetch.allow_private = true" in caught.value.fix) is allowed
