from collections.abc import Callable

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.ole import CompoundFile, wrap


def test_streams_by_name(compound_file: Callable[[dict[str, bytes]], bytes]):
    file = CompoundFile(compound_file({"One": b"first", "Two": b"second" * 1000}), "Word")
    assert file.names == ["One", "Two"]
    assert file.stream("One").startswith(b"first\0")
    assert file.stream("Two").startswith(b"second" * 1000)
    assert "Three" not in file
    with pytest.raises(DocumentError):
        file.stream("Three")


def test_a_chain_in_a_circle_is_damage(compound_file: Callable[[dict[str, bytes]], bytes]):
    data = bytearray(compound_file({"One": b"first"}))
    data[512 + 4 * 3 : 512 + 4 * 4] = (2).to_bytes(4, "little")
    with pytest.raises(DocumentError) as caught:
        CompoundFile(bytes(data), "Word").stream("One")
    assert caught.value.code == "corrupt_document"


@pytest.mark.parametrize("size", [0, 10, 5000, 5_000_000])
def test_a_wrapped_stream_comes_out_again(size: int):
    stream = b"x" * size
    assert CompoundFile(wrap("Book", stream), "Word").stream("Book").rstrip(b"\0") == stream


def test_an_encrypted_package_is_told(compound_file: Callable[[dict[str, bytes]], bytes]):
    file = CompoundFile(compound_file({"EncryptedPackage": b"x"}), "Word")
    with pytest.raises(DocumentError) as caught:
        file.refuse_encrypted()
    assert caught.value.code == "encrypted_document"


@pytest.mark.parametrize("length", [0, 8, 100, 512, 600, 1024])
def test_cut_files(compound_file: Callable[[dict[str, bytes]], bytes], length: int):
    data = compound_file({"One": b"first"})[:length]
    try:
        file = CompoundFile(data, "Word")
    except DocumentError as error:
        assert error.code == "corrupt_document"
    else:
        assert isinstance(file.names, list)
