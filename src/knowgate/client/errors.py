"""What can go wrong between a program and its server. Each error is also of the family that says whose move it is."""

from __future__ import annotations

from knowgate import errors as families


class ClientError(families.KnowgateError):
    """A call that was not answered as hoped."""

    def __init__(
        self,
        code: str,
        message: str,
        fix: str = "",
        *,
        status_code: int | None = None,
        request_id: str = "",
        retry_after: float | None = None,
        approval_id: str = "",
    ) -> None:
        super().__init__(code, message, fix)
        self.status_code = status_code
        """None when no server answered."""
        self.request_id = request_id
        """Under which the server's log has it."""
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again, if it says."""
        self.approval_id = approval_id
        """What a person approves, where that is what is missing."""


class ValidationError(ClientError, families.InputError):
    """The call itself is wrong."""


class AuthenticationError(ClientError, families.AuthError):
    """The key is missing or unknown; or it is known, and this is a ForbiddenError."""


class ForbiddenError(AuthenticationError, families.ForbiddenError):
    """The policy or the key's scopes do not allow it, or a person has to approve it first: `approval_id`."""

    http_status = families.ForbiddenError.http_status


class NotFoundError(ClientError, families.NotFoundError):
    """No such thing on the server."""


class ConflictError(ClientError, families.ConflictError):
    """The state of the server does not fit the call."""


class RateLimitError(ClientError, families.LimitError):
    """Too many calls; `retry_after` says how long to wait."""


class ServerError(ClientError, families.NetworkError):
    """The server failed, or its answer makes no sense."""


class ConnectionFailed(ClientError, families.NetworkError):
    """The server cannot be reached, is too slow, or the connection broke."""


def kind_of(status: int) -> type[ClientError]:
    match status:
        case 401:
            return AuthenticationError
        case 403:
            return ForbiddenError
        case 400 | 413 | 422:
            return ValidationError
        case 404:
            return NotFoundError
        case 409:
            return ConflictError
        case 429:
            return RateLimitError
        case _:
            return ServerError if status >= 500 else ClientError
