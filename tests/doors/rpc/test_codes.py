"""Our errors, as the agent's numbers."""

from __future__ import annotations

import pytest

from knowgate.doors.rpc.codes import number_of
from knowgate.errors import (
    AuthError,
    DocumentError,
    ForbiddenError,
    InputError,
    KnowgateError,
    LimitError,
    NetworkError,
    NotFoundError,
    StorageError,
)


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (ForbiddenError("denied_by_policy", ""), 1001),
        (InputError("policy_syntax", ""), 1002),
        (InputError("policy_unreadable", ""), 1003),
        (ForbiddenError("secret_in_arguments", ""), 1010),
        (ForbiddenError("private_address", ""), 1010),
        (LimitError("rate_limited", ""), 1020),
        (ForbiddenError("credential_missing", ""), 2001),
        (ForbiddenError("credential_expired", ""), 2002),
        (AuthError("invalid_key", ""), 2003),
        (NotFoundError("unknown_profile", ""), 2004),
        (InputError("unsafe_value", ""), 3001),
        (InputError("bad_arguments", ""), 3002),
        (DocumentError("spec_unreadable", ""), 3003),
        (NotFoundError("operation_not_found", ""), 3004),
        (NetworkError("unreachable", ""), 4001),
        (NetworkError("timeout", ""), 4002),
        (LimitError("too_large", ""), 4413),
        (StorageError("audit_unwritable", ""), 5001),
        (InputError("config_syntax", ""), 5002),
    ],
    ids=lambda value: value.code if isinstance(value, KnowgateError) else str(value),
)
def test_numbers(error: KnowgateError, number: int):
    assert number_of(error) == number
