"""The path of a request: values go into its template and cannot change its shape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from unicodedata import normalize
from urllib.parse import quote, unquote

from knowgate.apis.values import has_controls
from knowgate.errors import InputError

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_DECODINGS = 8


def variables_of(template: str) -> tuple[str, ...]:
    return tuple(_VARIABLE.findall(template))


def fill(template: str, expanded: Mapping[str, str]) -> str:
    """The path with each {variable} replaced by its encoded value, refused unless every segment kept its place."""
    pieces = _VARIABLE.split(template)
    path = "".join(expanded[piece] if index % 2 else _literal(piece) for index, piece in enumerate(pieces))
    wanted, found = template.split("/"), path.split("/")
    if len(wanted) != len(found):
        raise _reshaped(template)
    for expected, segment in zip(wanted, found, strict=True):
        if not re.fullmatch(_segment_pattern(expected), segment):
            raise _reshaped(expected)
        _check_segment(expected, segment)
    return path


def _check_segment(expected: str, segment: str) -> None:
    """Servers decode more than once, fold backslashes and full-width dots, and cut at semicolons: so do we, first."""
    text = segment
    for _ in range(_DECODINGS):
        decoded = unquote(normalize("NFKC", text))
        if decoded == text:
            break
        text = decoded
    else:
        raise _reshaped(expected)
    if has_controls(text):
        raise _reshaped(expected)
    for piece in re.split(r"[/\\]", text):
        name = piece.split(";")[0]
        if "." in name and not name.strip(". "):
            raise _reshaped(expected)


def _segment_pattern(expected: str) -> str:
    pieces = _VARIABLE.split(expected)
    if len(pieces) == 1:
        return re.escape(_literal(expected))
    # A variable alone in its segment cannot be empty: two slashes in a row are another path.
    some = "[^/?#]+" if pieces[0] == pieces[-1] == "" and len(pieces) == 3 else "[^/?#]*"
    return "".join(some if index % 2 else re.escape(_literal(piece)) for index, piece in enumerate(pieces))


def _literal(text: str) -> str:
    return quote(text, safe="/:@!$&'()*+,;=%")


def _reshaped(expected: str) -> InputError:
    names = " and ".join(f"/{name}" for name in variables_of(expected)) or expected
    return InputError(
        "unsafe_value",
        f"{names} would change the path: empty, dot segments (also encoded) and control characters are refused.",
        "Send the plain identifier, such as 42 or my-name.",
    )
