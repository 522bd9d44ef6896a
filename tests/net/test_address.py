"""Hosts are read as a resolver would read them, and every address that is not public is known for what it is."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowgate.net.address import METADATA, is_local_name, is_loopback, kind, read_host

ipv4 = st.integers(0, 2**32 - 1).map(IPv4Address)
ipv6 = st.one_of(
    st.integers(0, 2**128 - 1),
    # Half of the space is dull: these are the corners where special networks lie.
    st.builds(
        lambda top, low: (top << 112) + low,
        st.sampled_from([0x2001, 0x2002, 0xFC00, 0xFE80]),
        st.integers(0, 2**112 - 1),
    ),
    st.integers(0, 2**48 - 1),
).map(IPv6Address)


def spell(number: int, base: str) -> str:
    return {"decimal": f"{number}", "octal": f"0{number:o}", "hex": f"0x{number:x}", "HEX": f"0X{number:X}"}[base]


@given(
    ipv4, st.integers(1, 4), st.lists(st.sampled_from(["decimal", "octal", "hex", "HEX"]), min_size=4), st.booleans()
)
def test_every_spelling_of_an_ipv4_address_is_that_address(
    address: IPv4Address, parts: int, bases: list[str], dot: bool
) -> None:
    octets = address.packed
    numbers = [*octets[: parts - 1], int.from_bytes(octets[parts - 1 :])]
    spelled = ".".join(spell(number, base) for number, base in zip(numbers, bases, strict=False))
    assert read_host(spelled + "." * dot) == address


@given(ipv6)
def test_every_spelling_of_an_ipv6_address_is_that_address(address: IPv6Address) -> None:
    spellings = {address.compressed, address.exploded, f"[{address}]", str(address).upper()}
    assert {read_host(spelled) for spelled in spellings} == {address}


@given(st.one_of(ipv4, ipv6))
@example(IPv4Address("100.64.0.1"))
@example(IPv4Address("255.255.255.255"))
@example(IPv6Address("::"))
def test_whatever_python_does_not_call_global_is_not_public(address: IPv4Address | IPv6Address) -> None:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    judged = mapped or address
    if not judged.is_global or judged.is_multicast:
        assert kind(address) is not None


@given(ipv4)
def test_an_ipv4_address_inside_an_ipv6_address_is_judged_as_itself(address: IPv4Address) -> None:
    mapped = IPv6Address(0xFFFF << 32 | int(address))
    nat64 = IPv6Address(0x64FF9B << 96 | int(address))
    assert kind(mapped) == kind(nat64) == kind(address)


@given(ipv4, st.integers(0, 2**80 - 1))
def test_retired_tunnels_are_never_public(address: IPv4Address, rest: int) -> None:
    six_to_four = IPv6Address(0x2002 << 112 | int(address) << 80 | rest)
    teredo = IPv6Address(0x20010000 << 96 | (rest & (2**64 - 1)) << 32 | (int(address) ^ 0xFFFFFFFF))
    assert six_to_four.sixtofour == address
    assert teredo.teredo is not None
    assert teredo.teredo[1] == address
    assert kind(six_to_four) == kind(teredo) == "reserved"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.215.14", None),
        ("2606:4700::6810:84e5", None),
        ("64:ff9b::8.8.8.8", None),
        ("127.8.9.10", "loopback"),
        ("::1", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("10.1.2.3", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1.1", "private"),
        ("fd12:3456::1", "private"),
        ("169.254.1.1", "link-local"),
        ("fe80::1", "link-local"),
        ("100.127.255.255", "carrier-grade NAT"),
        ("239.1.1.1", "multicast"),
        ("ff02::1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("::7f00:1", "reserved"),
        ("64:ff9b:1::1", "reserved"),
        ("169.254.169.254", METADATA),
        ("::ffff:169.254.169.254", METADATA),
        ("64:ff9b::a9fe:a9fe", METADATA),
        ("fd00:ec2::254", METADATA),
    ],
)
def test_kinds(address: str, expected: str | None) -> None:
    host = read_host(address)
    assert not isinstance(host, str)
    assert kind(host) == expected


@pytest.mark.parametrize(
    "host",
    [
        *(
            "",
            ".",
            "a..b",
            "example.com..",
            "-a.com",
            "a-.com",
            "a b",
            "%6cocalhost",
            "ex%41mple.com",
            "a" * 64 + ".com",
        ),
        *("1.2.3.4.5", "256.0.0.1", "0x100000000", "09", "a.b.999", "fe80::1%eth0", "[::1", "::1]x", "a\\b"),
    ],
)
def test_what_is_no_host(host: str) -> None:
    with pytest.raises(ValueError):
        read_host(host)


@given(st.text(max_size=30))
def test_reading_a_host_gives_a_host_or_a_value_error(text: str) -> None:
    try:
        host = read_host(text)
    except ValueError:
        return
    assert read_host(str(host)) == host


@pytest.mark.parametrize("name", ["localhost", "api.localhost", "localhost.localdomain", "ip6-localhost"])
def test_names_of_this_machine(name: str) -> None:
    assert is_local_name(name)


@pytest.mark.parametrize("name", ["localhost.example.com", "mylocalhost", "example.com"])
def test_names_of_other_machines(name: str) -> None:
    assert not is_local_name(name)


@pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1", "127.8.8.8", "::1", "::1%lo"])
def test_this_machine_by_its_plain_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "localhost.example.com", "127.0.0.1.nip.io", "0.0.0.0", "::", "10.0.0.1"])
def test_other_machines_are_not_taken_for_this_one(host: str) -> None:
    assert not is_loopback(host)
