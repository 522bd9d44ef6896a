import importlib.util
import io

import pytest
from PIL import Image, ImageDraw, ImageFont

from knowgate.errors import DocumentError
from knowgate.knowledge.parse import ocr, pdf
from knowgate.knowledge.parse.reader import ParseOptions

INSTALLED = importlib.util.find_spec("rapidocr") is not None
LINES = ("Refunds are paid within 14 days.", "Write to help@example.org")


def picture(form: str) -> bytes:
    image = Image.new("RGB", (900, 240), "white")
    for number, line in enumerate(LINES):
        ImageDraw.Draw(image).text((40, 40 + 60 * number), line, fill="black", font=ImageFont.load_default(28))
    out = io.BytesIO()
    image.save(out, form)
    return out.getvalue()


def test_pictures_are_only_read_when_asked():
    with pytest.raises(DocumentError) as caught:
        ocr.read(picture("PNG"), "a.png", ParseOptions())
    assert caught.value.code == "picture"
    assert 'pip install "knowgate[ocr]"' in caught.value.fix
    assert "ocr = true" in caught.value.fix


@pytest.mark.skipif(INSTALLED, reason="the extra ocr is installed")
@pytest.mark.parametrize(("read", "form"), [(ocr.read, "PNG"), (pdf.read, "PDF")])
def test_without_the_extra_the_command_is_told(read, form: str):
    with pytest.raises(DocumentError) as caught:
        read(picture(form), "a", ParseOptions(ocr=True))
    assert caught.value.code == "ocr_missing"
    assert 'pip install "knowgate[ocr]"' in caught.value.fix


@pytest.mark.skipif(not INSTALLED, reason="needs the extra ocr")
@pytest.mark.parametrize(("read", "form"), [(ocr.read, "PNG"), (pdf.read, "PDF")])
def test_words_on_a_picture(read, form: str):
    result = read(picture(form), "a", ParseOptions(ocr=True))
    assert " ".join(result.text.split()) == " ".join(LINES)
    assert result.blocks[0].page == 1
