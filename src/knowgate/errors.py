"""Typed errors: a stable code, one sentence, the fix.

A room raises the family that says *whose move it is*; a door turns `exit_code` or `http_status` into its own form once.
"""

from __future__ import annotations

from typing import ClassVar


class KnowgateError(Exception):
    """Something went wrong that the caller can be told about."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()

    def as_dict(self) -> dict[str, str]:
        return {"error": self.message, "code": self.code, "fix": self.fix}


class InputError(KnowgateError):
    """The call itself is wrong: a bad argument, flag or configuration."""

    exit_code = 2
    http_status = 400


class AuthError(KnowgateError):
    """Nobody we know."""

    exit_code = 3
    http_status = 401


class ForbiddenError(KnowgateError):
    """Known, but not allowed."""

    exit_code = 3
    http_status = 403


class NetworkError(KnowgateError):
    """Another machine did not answer, or not as it should."""

    exit_code = 4
    http_status = 502


class LimitError(KnowgateError):
    """Too much, too fast or too large."""

    exit_code = 5
    http_status = 429


class StorageError(KnowgateError):
    """Our own data folder cannot be read or written."""

    exit_code = 6
    http_status = 500


class UnavailableError(StorageError):
    """It may be read and written again in a moment."""

    http_status = 503


class DocumentError(KnowgateError):
    """One document cannot be read: corrupt, encrypted, too large, not a document."""

    exit_code = 7
    http_status = 422


class ConflictError(KnowgateError):
    """The state does not fit the call: another embedder, another version, another owner."""

    exit_code = 8
    http_status = 409


class NotFoundError(KnowgateError):
    """No such thing."""

    exit_code = 9
    http_status = 404
