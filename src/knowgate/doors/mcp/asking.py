"""A call that waits for a person's yes: he is asked in the app's own dialogue.

Only by an app that he started himself. Over the network a program might answer, so there somebody else has to.
In the old era the question goes to the app while the call waits. In the new one the call is answered with the question,
and made again with the person's answer.
"""

from __future__ import annotations

import time
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    InputResponses,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from knowgate.doors.mcp.host import Context
from knowgate.guard.approvals import Approval

_NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}
"""Accepting or declining says it all."""


def can_ask(context: Context) -> bool:
    able = context.session.client_capabilities
    # Who names no kind of dialogue means forms.
    return able is not None and able.elicitation is not None and bool(able.elicitation.form or not able.elicitation.url)


async def ask(
    context: Context, approval: Approval, answered: InputResponses | None
) -> bool | InputRequiredResult | None:
    """Yes, no, no answer, or what the app is told so that it asks."""
    form = ElicitRequestFormParams(message=_question(approval), requested_schema=_NO_FIELDS)
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        if not answered or approval.id not in answered:
            return InputRequiredResult(input_requests={approval.id: ElicitRequest(params=form)})
        return _meaning(answered[approval.id])
    with anyio.move_on_after(max(0.0, approval.expires_at - time.time())):
        try:
            return _meaning(
                await context.session.elicit_form(form.message, _NO_FIELDS, related_request_id=context.request_id)
            )
        except MCPError:
            pass  # it said that it could, and cannot
    return None


def _meaning(said: object) -> bool | None:
    action = said.action if isinstance(said, ElicitResult) else "cancel"
    return {"accept": True, "decline": False}.get(action)


def _question(approval: Approval) -> str:
    # What the model wrote is part of it, and must not look like more than one line of ours.
    shown = "".join(each if each.isprintable() else " " for each in approval.summary)
    return f"May this be done, once? {shown}"
