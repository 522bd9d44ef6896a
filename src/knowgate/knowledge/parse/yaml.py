"""YAML as values; whatever is wrong with it is a ValueError."""

from __future__ import annotations

from typing import cast

import ryaml

from knowgate.yaml_text import expanded_size, too_deep_at

_MOST_FROM_ALIASES = 32 * 2**20


def load_documents(text: str) -> list[object]:
    if too_deep_at(text) is not None:
        raise ValueError("nested too deep")
    if expanded_size(text) - len(text) > _MOST_FROM_ALIASES:
        raise ValueError("too large when its aliases are written out")
    try:
        documents = cast("list[object] | None", ryaml.loads_all(text))  # pyright: ignore[reportPrivateImportUsage]
    except ryaml.InvalidYamlError as error:  # pyright: ignore[reportPrivateImportUsage]
        raise ValueError(str(error)) from error
    return documents or []
