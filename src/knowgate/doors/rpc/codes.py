"""Errors as numbers, as the mrapids agent's clients know them; 1010 and above are ours."""

from __future__ import annotations

from knowgate.errors import AuthError, ForbiddenError, InputError, KnowgateError, LimitError, NetworkError

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL = 5001
HTTP_CLIENT, HTTP_SERVER = 4400, 4500

_BY_CODE = {
    "denied_by_policy": 1001,
    "policy_unreadable": 1003,
    "approval_needed": 1011,
    "approval_refused": 1011,
    "approval_changed": 1011,
    "stopped": 1012,
    "override_not_allowed": 1013,
    "outcome_unknown": 1014,
    "credential_missing": 2001,
    "credential_expired": 2002,
    "credential_refused": 2003,
    "credential_unsafe": 2003,
    "unknown_profile": 2004,
    "profile_not_allowed": 2004,
    "bad_arguments": 3002,
    "operation_not_found": 3004,
    "timeout": 4002,
    "bad_response": 4100,
    "too_large": 4413,
    "no_base_url": 5002,
    "bad_profile": 5002,
    "bad_setting": 5002,
}
_BY_BEGINNING = (("policy_", 1002), ("spec_", 3003), ("config_", 5002))
_BY_FAMILY: tuple[tuple[type[KnowgateError], int], ...] = (
    (LimitError, 1020),
    (AuthError, 2003),
    (ForbiddenError, 1010),
    (InputError, 3001),
    (NetworkError, 4001),
)


def number_of(error: KnowgateError) -> int:
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    for beginning, number in _BY_BEGINNING:
        if error.code.startswith(beginning):
            return number
    return next((number for family, number in _BY_FAMILY if isinstance(error, family)), INTERNAL)
