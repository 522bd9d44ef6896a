"""A filter from what was typed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from knowgate.errors import InputError
from knowgate.knowledge.parse.kinds import known_types, read_type
from knowgate.model import FieldValue, Filter

_DATE_LENGTH = len("2026-03-10")
_DAY = 86_400.0
_INTEGERS = range(-(2**63), 2**63)
"""What a store can hold; documents keep other numbers as text, too."""


def make_filter(
    files: Sequence[str] = (),
    types: Sequence[str] = (),
    owners: Sequence[str] = (),
    since: str = "",
    until: str = "",
    fields: Sequence[str] = (),
) -> Filter:
    """What was not asked for is no constraint."""
    return Filter(
        names=tuple(name for file in files for name in _names(file)) if files else None,
        types=tuple(map(_type, types)) or None,
        owners=tuple(owners) or None,
        modified_from=_moment(since) if since else None,
        modified_until=_end(until) if until else None,
        fields=_fields(fields),
    )


def _names(file: str) -> tuple[str, ...]:
    """A bare name means the file of that name in any folder."""
    return (file,) if "/" in file or "\\" in file else (file, f"*/{file}")


def _type(text: str) -> str:
    """A type's name, a file's ending or a media type."""
    found = read_type(text)
    if found is None:
        known = ", ".join(known_types())
        raise InputError("unknown_type", f"There is no type {text!r}.", f"Use one of {known}; or --file '*.{text}'.")
    return found


def _moment(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            "bad_date", f"{text!r} is not a date.", "Write it as 2026-03-10 or 2026-03-10T14:30."
        ) from error
    try:
        return moment.astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        # At the ends of the calendar there is no local time to speak of.
        return moment.replace(tzinfo=UTC).timestamp()


def _end(text: str) -> float:
    """A day is meant to its end."""
    return _moment(text) + (_DAY if len(text) <= _DATE_LENGTH else 0)


def _fields(pairs: Sequence[str]) -> dict[str, tuple[FieldValue, ...]]:
    """A field given twice may have either value."""
    found: dict[str, tuple[FieldValue, ...]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InputError("bad_field", f"{pair!r} is not KEY=VALUE.", "Write it as --field author=Ada.")
        found[key] = (*found.get(key, ()), *_readings(value))
    return found


def _readings(text: str) -> tuple[FieldValue, ...]:
    """What is typed may stand in the document as a text, a number or a switch."""
    if text.lower() in ("true", "false"):
        return text, text.lower() == "true"
    number = _number(text)
    return (text,) if number is None else (text, number)


def _number(text: str) -> int | float | None:
    try:
        whole = int(text)
        return whole if whole in _INTEGERS else None
    except ValueError:
        pass
    try:
        broken = float(text)
        return broken if math.isfinite(broken) else None
    except ValueError:
        return None
