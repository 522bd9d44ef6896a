from knowgate.knowledge.parse.code import read
from knowgate.knowledge.parse.reader import ParseOptions


def blocks(source: str, name: str) -> list[str]:
    parsed = read(source.encode(), name, ParseOptions())
    assert parsed.text == source
    assert {each.kind for each in parsed.blocks} <= {"code"}
    return [parsed.text[each.start : each.end] for each in parsed.blocks]


def test_python_is_split_at_functions_and_classes():
    source = '"""Doc."""\nimport os\n\n# about f\n@wrap\ndef f():\n\n    return 1\nX = 1\n\nclass A:\n    pass\n'
    assert blocks(source, "a.py") == [
        '"""Doc."""\nimport os',
        "# about f\n@wrap\ndef f():\n\n    return 1",
        "X = 1",
        "class A:\n    pass",
    ]


def test_a_long_class_is_split_at_its_methods():
    methods = "".join(f"    def m{number}(self):\n" + "        x = 1\n" * 10 for number in range(8))
    assert len(blocks(f"class A:\n    y = 1\n\n{methods}", "a.py")) == 9


def test_python_that_does_not_compile_is_split_like_any_other():
    assert blocks("print 'old'\n\ndef f():\n\n    x\n\ny = (", "a.py") == ["print 'old'", "def f():\n\n    x", "y = ("]


def test_braces_stay_with_their_block():
    source = "package main\n\n// Runs.\nfunc main() {\n\n\tgo()\n\n}\n\ntype T int\n"
    assert blocks(source, "a.go") == ["package main", "// Runs.\nfunc main() {\n\n\tgo()\n\n}", "type T int"]


def test_the_language_comes_from_the_name_or_the_first_line():
    assert read(b"x", "a.rs", ParseOptions()).fields == {"language": "rust"}
    assert read(b"#!/usr/bin/env bash\nx", "run", ParseOptions()).fields == {"language": "shell"}
    assert read(b"#!/usr/bin/python3\nx", "run", ParseOptions()).mime == "text/x-python"


def test_slips_in_the_source_raise_no_warnings():
    assert blocks("x = '\\d'\n", "a.py") == ["x = '\\d'"]
