"""A value that does not show itself."""

from __future__ import annotations

from typing import NoReturn

from knowgate.errors import ForbiddenError


class Secret:
    """Printing, formatting and logging it give stars, pickling it fails; `reveal` is the one way to the value."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down")


def sendable(value: str, what: str) -> Secret:
    """A secret that fits into one line of a request; the HTTP library would show it when it complains."""
    if not value.isascii() or not value.isprintable():
        raise ForbiddenError(
            "credential_refused",
            f"{what} holds characters that cannot be sent.",
            "Store it as one line of plain ASCII, without quotes or line breaks around it.",
        )
    return Secret(value)
