import io
import zipfile

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.archive import MAX_ENTRIES, Archive


def zipped(**entries: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def test_reads_entries_and_forgives_slashes():
    archive = Archive(zipped(word__a=b"one"), "Word", 100)
    assert "word/a" in archive
    assert archive.read("/word/a") == archive.read("word\\a") == b"one"
    assert archive.get("word/b") is None


def test_a_missing_entry_is_a_damaged_document():
    with pytest.raises(DocumentError) as caught:
        Archive(zipped(a=b"one"), "Word", 100).read("b")
    assert caught.value.code == "corrupt_document"


def test_what_unpacks_beyond_the_limit_is_too_large():
    bomb = zipped(a=bytes(3_000_000))
    assert len(bomb) < 10_000
    for use in (lambda archive: archive.read("a"), lambda archive: archive.check()):
        with pytest.raises(DocumentError) as caught:
            use(Archive(bomb, "Word", 2_000_000))
        assert caught.value.code == "too_large"


def test_the_limit_is_for_all_entries_together():
    archive = Archive(zipped(a=bytes(600), b=bytes(600)), "Word", 1000)
    archive.read("a")
    with pytest.raises(DocumentError) as caught:
        archive.read("b")
    assert caught.value.code == "too_large"


def test_a_header_that_lies_about_the_size_does_not_help():
    data = bytearray(zipped(a=bytes(3_000_000)))
    central = data.rindex(b"PK\x01\x02")
    data[central + 24 : central + 28] = (10).to_bytes(4, "little")
    with pytest.raises(DocumentError):
        Archive(bytes(data), "Word", 2_000_000).read("a")


def test_too_many_entries():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(MAX_ENTRIES + 1):
            archive.writestr(str(number), b"")
    with pytest.raises(DocumentError) as caught:
        Archive(out.getvalue(), "Word", 100)
    assert caught.value.code == "too_large"


def test_an_encrypted_entry():
    data = bytearray(zipped(a=b"one"))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    with pytest.raises(DocumentError) as caught:
        Archive(bytes(data), "Word", 100).read("a")
    assert caught.value.code == "encrypted_document"


def test_no_zip_at_all():
    with pytest.raises(DocumentError) as caught:
        Archive(b"PK\x03\x04 nothing", "Word", 100)
    assert caught.value.code == "corrupt_document"
    assert "Word" in caught.value.message
