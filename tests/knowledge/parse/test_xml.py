import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.xml import attribute, child, descend, inner_text, local, number, parse_xml

BOMB = b"""<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>"""
OUTSIDE = b"""<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>"""


@pytest.mark.parametrize("data", [BOMB, OUTSIDE, BOMB.decode().encode("utf-16")])
def test_entities_are_refused(data: bytes):
    with pytest.raises(DocumentError) as caught:
        parse_xml(data, "Word")
    assert caught.value.code == "corrupt_document"


def test_a_document_type_from_elsewhere_is_not_fetched():
    root = parse_xml(b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/none.dtd"><a>text</a>', "Word")
    assert inner_text(root) == "text"


@pytest.mark.parametrize("data", [b"", b"no xml", b"\x00\x01\x02"])
def test_what_is_no_xml(data: bytes):
    with pytest.raises(DocumentError):
        parse_xml(data, "Word")


def test_a_broken_end_is_read_as_far_as_it_goes():
    root = parse_xml(b"<a><b>one</b><b>tw", "Word")
    assert inner_text(child(root, "b")) == "one"


def test_names_do_not_depend_on_namespaces():
    root = parse_xml(b'<x:a xmlns:x="urn:x" xmlns:y="urn:y"><x:b y:id="7" val="v"/></x:a>', "Word")
    found = descend(root, "b")
    assert local(root) == "a"
    assert found is not None
    assert attribute(found, "id") == "7"
    assert attribute(found, "val") == "v"
    assert attribute(found, "none") == ""
    assert child(root, "c") is None
    assert descend(root, "c", "d") is None


def test_of_endless_attributes_only_plain_names_are_found():
    crowd = " ".join(f'y:a{number}="x"' for number in range(5_000))
    root = parse_xml(f'<a xmlns:y="urn:y" plain="1" y:id="7" {crowd}/>'.encode(), "Word")
    assert attribute(root, "plain") == "1"
    assert attribute(root, "id") == ""


def test_numbers():
    assert number("12") == 12
    assert number("1e9", 3) == 3
    assert number("") == 0
