"""Tools that ask the client something: in the old era while they work, in the new one by asking to be called again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

from knowgate.doors.mcp.host import Context

_NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_STATUS = ["active", "inactive", "pending"]
_DEFAULTS: dict[str, Any] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": _STATUS, "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_OPTIONS = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{number}", "title": f"Number {number}"} for number in (1, 2, 3)]
_ENUMS: dict[str, Any] = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


def _said(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)])


def _sampling(prompt: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=prompt))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=100))


def _elicitation() -> ElicitRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message="What is your name?", requested_schema=_NAME))


def name_asked(key: str, state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests={key: _elicitation()}, request_state=state)


def answered(asked: Any, key: str) -> Any:
    """What the client answered to this, if it did."""
    return (asked.input_responses or {}).get(key)


# While they work.


async def _log(context: Context, _: CallToolRequestParams) -> CallToolResult:
    for step in ("started", "at it", "done"):
        await context.session.send_log_message("info", step, related_request_id=context.request_id)
    return _said("It was told.")


async def _sample(context: Context, asked: CallToolRequestParams) -> CallToolResult:
    prompt = SamplingMessage(role="user", content=TextContent(text=(asked.arguments or {})["prompt"]))
    answer = await context.session.create_message([prompt], max_tokens=100, related_request_id=context.request_id)
    return _said(f"The model says: {answer.content}")


async def _elicit(context: Context, schema: Mapping[str, Any], message: str) -> CallToolResult:
    answer = await context.session.elicit_form(message, dict(schema), related_request_id=context.request_id)
    return _said(f"The user says: {answer.action} {answer.content}")


async def _elicit_name(context: Context, asked: CallToolRequestParams) -> CallToolResult:
    return await _elicit(context, _NAME, (asked.arguments or {})["message"])


async def _elicit_defaults(context: Context, _: CallToolRequestParams) -> CallToolResult:
    return await _elicit(context, {"type": "object", "properties": _DEFAULTS}, "Is this right?")


async def _elicit_enums(context: Context, _: CallToolRequestParams) -> CallToolResult:
    return await _elicit(context, {"type": "object", "properties": _ENUMS}, "Which ones?")


# By asking to be called again.


async def _ask_name(_: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    answer = answered(asked, "user_name")
    return _said(f"Hello, {answer.content}!") if isinstance(answer, ElicitResult) else name_asked("user_name")


async def _ask_model(_: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    if answer := answered(asked, "capital"):
        return _said(str(answer))
    return InputRequiredResult(input_requests={"capital": _sampling("What is the capital of France?")})


async def _ask_roots(_: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    if answer := answered(asked, "roots"):
        return _said(str(answer))
    return InputRequiredResult(input_requests={"roots": ListRootsRequest()})


async def _ask_with_state(_: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    return _said("state-ok") if asked.request_state == "asked" else name_asked("confirm", "asked")


async def _ask_all(_: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    requests = {"name": _elicitation(), "greeting": _sampling("Greet somebody."), "roots": ListRootsRequest()}
    if all(answered(asked, key) for key in requests):
        return _said("All was answered.")
    return InputRequiredResult(input_requests=requests, request_state="asked")


async def _ask_twice(_: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    match asked.request_state:
        case None:
            return name_asked("first", "once")
        case "once":
            return name_asked("second", "twice")
        case _:
            return _said("Both were answered.")


async def _ask_what_is_possible(context: Context, _: CallToolRequestParams) -> InputRequiredResult:
    declared = context.session.client_capabilities
    possible: dict[str, Any] = {}
    if declared and declared.elicitation:
        possible["name"] = _elicitation()
    if declared and declared.sampling:
        possible["greeting"] = _sampling("Greet somebody.")
    return InputRequiredResult(input_requests=possible)


async def _need_sampling(context: Context, _: CallToolRequestParams) -> CallToolResult:
    declared = context.session.client_capabilities
    if not declared or not declared.sampling:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs sampling.", needed)
    return _said("It is there.")


ASKS = {
    "test_tool_with_logging": _log,
    "test_logging_tool": _log,
    "test_sampling": _sample,
    "test_elicitation": _elicit_name,
    "test_elicitation_sep1034_defaults": _elicit_defaults,
    "test_elicitation_sep1330_enums": _elicit_enums,
    "test_input_required_result_elicitation": _ask_name,
    "test_streaming_elicitation": _ask_name,
    "test_input_required_result_sampling": _ask_model,
    "test_input_required_result_list_roots": _ask_roots,
    "test_input_required_result_request_state": _ask_with_state,
    "test_input_required_result_tampered_state": _ask_with_state,
    "test_input_required_result_multiple_inputs": _ask_all,
    "test_input_required_result_multi_round": _ask_twice,
    "test_input_required_result_capabilities": _ask_what_is_possible,
    "test_missing_capability": _need_sampling,
}
