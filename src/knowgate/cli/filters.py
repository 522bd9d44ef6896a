"""A filter from what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from knowgate.errors import InputError
from knowgate.model import FieldValue, Filter

_DATE_LENGTH = len("2026-03-10")


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
        types=tuple(types) or None,
        owners=tuple(owners) or None,
        modified_from=_moment(since).timestamp() if since else None,
        modified_until=_end(until).timestamp() if until else None,
        fields=_fields(fields),
    )


def _names(file: str) -> tuple[str, ...]:
    """A bare name means the file of that name in any folder."""
    return (file,) if "/" in file or "\\" in file else (file, f"*/{file}")


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(
            "bad_date", f"{text!r} is not a date.", "Write it as 2026-03-10 or 2026-03-10T14:30."
        ) from error


def _end(text: str) -> datetime:
    """A day is meant to its end."""
    moment = _moment(text)
    return moment + timedelta(days=1) if len(text) <= _DATE_LENGTH else moment


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
    readings: list[FieldValue] = [text]
    for kind in (int, float):
        try:
            readings.append(kind(text))
        except ValueError:
            continue
        break
    if text.lower() in ("true", "false"):
        readings.append(text.lower() == "true")
    return tuple(readings)
