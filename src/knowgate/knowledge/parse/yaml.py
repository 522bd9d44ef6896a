"""YAML as values; whatever is wrong with it is a ValueError."""

from __future__ import annotations

import re
from typing import cast

import ryaml

_BRACKET = re.compile(r"[\[\]{}]")
_DEEPEST = 128
"""ryaml reads no deeper, but takes quadratic time to say so when brackets are nested by the thousand."""


def load_documents(text: str) -> list[object]:
    if _nests_too_deep(text):
        raise ValueError("nested too deep")
    try:
        documents = cast("list[object] | None", ryaml.loads_all(text))  # pyright: ignore[reportPrivateImportUsage]
    except ryaml.InvalidYamlError as error:  # pyright: ignore[reportPrivateImportUsage]
        raise ValueError(str(error)) from error
    return documents or []


def _nests_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") < 1000:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > _DEEPEST:
            return True
    return False
