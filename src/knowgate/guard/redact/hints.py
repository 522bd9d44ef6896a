"""Fields that the API's description calls sensitive: `format: password`, `writeOnly`, `x-sensitive`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from knowgate.guard.redact.cleaner import Cleaner

Hint = tuple[str, ...]
"""The way to a field; `*` stands for every item of a list and every field of an object."""

KIND = "SENSITIVE"


def hide(value: Any, hints: Iterable[Hint], cleaner: Cleaner) -> Any:
    for hint in hints:
        value = _hide(value, hint, cleaner)
    return value


def _hide(value: Any, hint: Hint, cleaner: Cleaner) -> Any:
    """A copy of what lies on the way; the rest is shared."""
    step, rest = (hint[0], hint[1:]) if hint else ("*", ())
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value)
        return {key: _hide(item, rest, cleaner) if step in ("*", key) else item for key, item in fields.items()}
    if isinstance(value, list):
        items = cast(list[Any], value)
        return [_hide(item, rest, cleaner) for item in items] if step == "*" else items
    if hint or value is None or (isinstance(value, str) and value.startswith("[REDACTED:")):
        return value
    return cleaner.tag(KIND, str(value).encode())
