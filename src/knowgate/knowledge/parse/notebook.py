"""Jupyter notebooks: the prose, the code and what the code printed."""

from __future__ import annotations

import re
from typing import cast

import orjson

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.archive import corrupt
from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.markdown import markdown_blocks
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.model import FieldValue, Parsed

_LONGEST_OUTPUT = 4_000
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_Values = dict[str, object]


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    try:
        notebook = _values(orjson.loads(decode(data)))
    except orjson.JSONDecodeError as error:
        raise corrupt("notebook") from error
    builder = TextBuilder()
    cells = _list(notebook.get("cells"))
    for sheet in _list(notebook.get("worksheets")):
        cells += _list(_values(sheet).get("cells"))
    shortened = False
    for cell in map(_values, cells):
        source = _text(cell.get("source") or cell.get("input"))
        if cell.get("cell_type") == "markdown":
            for block in markdown_blocks(source):
                builder.add(block.kind, source[block.start : block.end], level=block.level)
        elif cell.get("cell_type") == "heading":
            level = cell.get("level")
            builder.add("heading", source, level=level if isinstance(level, int) and 0 < level < 7 else 1)
        elif cell.get("cell_type") == "code":
            builder.add("code", source)
            for output in _list(cell.get("outputs")):
                printed = _printed(_values(output))
                shortened = shortened or len(printed) > _LONGEST_OUTPUT
                builder.add("text", printed[:_LONGEST_OUTPUT])
        else:
            builder.add("text", source)
    said = ("Long outputs were cut off.",) if shortened else ()
    return finished(builder, "notebook", _fields(_values(notebook.get("metadata"))), said)


def _printed(output: _Values) -> str:
    data = _values(output.get("data")) or output
    for key in ("text/markdown", "text/plain", "text"):
        if said := _text(data.get(key)):
            return _COLOURS.sub("", said)
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    return ""


def _fields(metadata: _Values) -> dict[str, FieldValue]:
    language = _values(metadata.get("kernelspec")).get("language") or _values(metadata.get("language_info")).get("name")
    said = {"title": metadata.get("title"), "language": language}
    return {key: value for key, value in said.items() if isinstance(value, str) and value}


def _values(value: object) -> _Values:
    return cast("_Values", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else "".join(each for each in _list(value) if isinstance(each, str))
