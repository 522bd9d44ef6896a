"""Source code: the text is the file, with a block for each function or class at the top level."""

from __future__ import annotations

import ast
import warnings
from itertools import accumulate, pairwise

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.kinds import MIME, named_language
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sniff import script_language
from knowgate.model import Block, Parsed

_LONG = 60
"""A class of more lines than this is split at its methods."""
_GOES_ON = (" ", "\t", ")", "]", "}", "end", "else", "catch", "finally")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    text = decode(data)
    language = named_language(name) or script_language(text)
    lines = text.split("\n")
    starts = _python_starts(text, lines) if language == "python" else None
    blocks = _blocks(text, lines, starts or _paragraph_starts(lines))
    fields = {"language": language} if language else {}
    return Parsed(text, tuple(blocks), "code", f"text/x-{language}" if language else MIME["code"], fields=fields)


def _blocks(text: str, lines: list[str], starts: list[int]) -> list[Block]:
    """The stretches between the lines where something starts, without the blank lines around them."""
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=0))
    edges = sorted({0, *(offsets[line] for line in starts), len(text)})
    blocks: list[Block] = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if piece.strip():
            # Leading spaces are part of the code, leading lines are not.
            first = start + piece.rfind("\n", 0, len(piece) - len(piece.lstrip())) + 1
            blocks.append(Block("code", first, start + len(piece.rstrip())))
    return blocks


def _python_starts(text: str, lines: list[str]) -> list[int] | None:
    try:
        with warnings.catch_warnings():
            # Slips in the file, such as an odd escape in a string, are not ours to report.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    starts: list[int] = []
    after_definition = False
    for node in tree.body:
        if isinstance(node, _Definition):
            starts.append(_first_line(node, lines))
            if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno > _LONG:
                starts += [_first_line(each, lines) for each in node.body if isinstance(each, _Definition)]
        elif after_definition:
            starts.append(_first_line(node, lines))
        after_definition = isinstance(node, _Definition)
    return starts


def _first_line(node: ast.stmt, lines: list[str]) -> int:
    """Counted from 0, with the decorators and the comment right above."""
    decorators = node.decorator_list if isinstance(node, _Definition) else []
    line = min(node.lineno, *(each.lineno for each in decorators)) if decorators else node.lineno
    line -= 1
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _paragraph_starts(lines: list[str]) -> list[int]:
    """Where something begins at the left margin after a blank line."""
    return [
        index
        for index, line in enumerate(lines)
        if line and not line.startswith(_GOES_ON) and index and not lines[index - 1].strip()
    ]
