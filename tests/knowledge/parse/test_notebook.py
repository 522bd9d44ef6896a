import json

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.notebook import read
from knowgate.knowledge.parse.reader import ParseOptions


def test_prose_code_and_outputs():
    notebook = {
        "nbformat": 4,
        "metadata": {"kernelspec": {"language": "python"}},
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "\n", "Words."]},
            {
                "cell_type": "code",
                "source": "1 + 1",
                "outputs": [
                    {"output_type": "stream", "text": ["\x1b[31mprinted\x1b[0m\n"]},
                    {"output_type": "execute_result", "data": {"text/html": "<b>2</b>", "text/plain": "2"}},
                    {"output_type": "display_data", "data": {"image/png": "aGk="}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "no"},
                ],
            },
            {"cell_type": "raw", "source": "raw"},
        ],
    }
    parsed = read(json.dumps(notebook).encode(), "a.ipynb", ParseOptions())
    assert [(each.kind, parsed.text[each.start : each.end]) for each in parsed.blocks] == [
        ("heading", "Title"),
        ("text", "Words."),
        ("code", "1 + 1"),
        ("text", "printed"),
        ("text", "2"),
        ("text", "ValueError: no"),
        ("text", "raw"),
    ]
    assert parsed.title == "Title"
    assert parsed.fields == {"language": "python"}


def test_the_older_format():
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "x"}]
    parsed = read(json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode(), "a.ipynb", ParseOptions())
    assert [(each.kind, each.level) for each in parsed.blocks] == [("heading", 2), ("code", 0)]


def test_long_outputs_are_cut_with_a_warning():
    cell = {"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": "y" * 9_000}]}
    parsed = read(json.dumps({"cells": [cell]}).encode(), "a.ipynb", ParseOptions())
    assert len(parsed.text) < 5_000
    assert parsed.warnings


def test_a_broken_notebook_says_so():
    with pytest.raises(DocumentError) as caught:
        read(b'{"nbformat": 4, "cells": [', "a.ipynb", ParseOptions())
    assert caught.value.code == "corrupt_document"
