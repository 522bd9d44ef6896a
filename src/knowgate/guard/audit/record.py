"""What is written down of a call: who, what, by which rule, what came of it; its values only where a rule says so."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from knowgate.guard.audit.chain import encode
from knowgate.guard.audit.keys import Keys
from knowgate.model import Principal

Fields = dict[str, Any]
_TYPES: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was decided on. Texts and values come redacted: the trail does not know what a secret looks like."""

    principal: Principal
    tool: str
    request_hash: str
    """Of the exact request, as in the approval."""
    decision: str
    rule: str = ""
    policy_version: str = ""
    agent: str = ""
    """What the caller's program calls itself."""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    changes: bool = False
    """The attempt must have reached the disk itself before such a call is made."""
    raw: bool = False
    """Write the values and the whole address down, too."""
    operation_id: str = ""
    api: str = ""
    method: str = ""
    url: str = ""
    """As it is sent."""
    template: str = ""
    """The same with `{names}` in the place of values."""
    auth_profile: str = ""
    spec_hash: str = ""
    approval_id: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    status: str
    """success, error, outcome_unknown …"""
    status_code: int | None = None
    error: str = ""
    """An error's code."""
    redactions: Mapping[str, int] = field(default_factory=dict[str, int])
    data: object = None
    """The answer itself, where a rule says so."""


def describe_call(keys: Keys, call: Call) -> Fields:
    return _filled(
        agent_id=call.agent or call.principal.name,
        principal={"id": call.principal.id, "name": call.principal.name},
        tool=call.tool,
        operation=_filled(
            operation_id=call.operation_id or call.tool,
            api=call.api,
            method=call.method,
            url=call.url if call.raw else call.template,
            auth_profile=call.auth_profile,
            parameters=dict(call.arguments) if call.raw else _fingerprints(keys, call.arguments),
        ),
        policy=_filled(decision=call.decision, rule=call.rule, version=call.policy_version),
        spec_hash=call.spec_hash,
        request_hash=_keyed(keys, call.request_hash.encode()),
        approval_id=call.approval_id,
        raw=call.raw or None,
    )


def describe_result(result: Result, duration_ms: float) -> Fields:
    return _filled(
        response=_filled(
            status=result.status,
            status_code=result.status_code,
            duration_ms=round(duration_ms, 3),
            error=result.error,
            data=result.data,
        ),
        redactions=dict(result.redactions),
    )


def timestamp(moment: datetime) -> str:
    """In UTC and always equally long, so that texts sort as times do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def _fingerprints(keys: Keys, arguments: Mapping[str, object]) -> Fields:
    return {
        name: {"type": _type(value), "hash": _keyed(keys, encode(value))} if value is not None else {"type": "null"}
        for name, value in arguments.items()
    }


def _keyed(keys: Keys, value: bytes) -> str:
    # With the key: a bare hash of a short number is found by trying them all.
    return hashlib.blake2b(value, key=keys.values, digest_size=16).hexdigest()


def _type(value: object) -> str:
    return _TYPES.get(type(value), "object")


def _filled(**fields: Any) -> Fields:
    return {name: value for name, value in fields.items() if value not in (None, "", {})}
