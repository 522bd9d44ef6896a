"""Refusals of the REST door: one sentence, a code, the fix if there is one, and the request's id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from knowgate.doors.rest.requests import request_id
from knowgate.errors import AuthError, InputError, KnowgateError, UnavailableError
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.guard.limits import RateLimited

_BAD = "bad_request"
_SOON = "2"
"""Seconds; whoever comes at once is only in the way of a cluster that recovers."""
_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed"}
_UNMATCHED = (404, 405)
_SEND_JSON = "Send a JSON object with Content-Type: application/json."
_MUST_BE = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "a text",
    "list": "a list",
    "bool": "true or false",
    "model": "an object",
}
"""By the first part of the validator's name for what is wrong."""


def refuse_in_words(app: FastAPI) -> None:
    app.exception_handler(KnowgateError)(_known)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(ClientDisconnect)(_gone)
    app.exception_handler(Exception)(_unexpected)


def unknown_name(name: str, known: Iterable[str]) -> InputError:
    known = list(known)
    near = get_close_matches(name, known, n=1)
    fix = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
    return InputError(_BAD, f"{name} is unknown.", fix)


def in_words(wrong: Mapping[str, Any], content_type: str) -> InputError:
    """What a validator found wrong, as a sentence and a fix."""
    kind: str = wrong["type"]
    # The first step of the place is where it was sent, which the caller knows.
    place = ".".join(str(step) for step in wrong["loc"][1:])
    if kind == "json_invalid":
        return InputError(_BAD, "The body is not valid JSON.", _SEND_JSON)
    if kind == "missing":
        return InputError(_BAD, f"{place or 'The body'} is missing.", "" if place else _SEND_JSON)
    if kind == "literal_error":
        return InputError(_BAD, f"{place} must be {wrong['ctx']['expected']}.")
    if not place:
        sent = f" but {content_type}" if content_type and "json" not in content_type else ""
        return InputError(_BAD, f"The body is not a JSON object{sent}.", _SEND_JSON)
    wanted = _MUST_BE.get(kind.partition("_")[0])
    return InputError(_BAD, f"{place} must be {wanted}." if wanted else f"{place}: {wrong['msg']}.")


def _refusal(
    request: Request,
    status: int,
    error: str,
    code: str,
    headers: Mapping[str, str] | None = None,
    **more: str,
) -> JSONResponse:
    id = request_id(request.scope)
    told = {name: value for name, value in more.items() if value}
    body = {"error": error, "code": code, "request_id": id, **told}
    return JSONResponse(body, status, headers={"x-request-id": id, **(headers or {})})


def _known(request: Request, error: KnowgateError) -> JSONResponse:
    headers: dict[str, str] = {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, UnavailableError):
        headers["Retry-After"] = _SOON
    if isinstance(error, AuthError):
        headers["WWW-Authenticate"] = "Bearer"
    approval = error.approval.id if isinstance(error, ApprovalNeeded) else ""
    return _refusal(request, error.http_status, error.message, error.code, headers, fix=error.fix, approval_id=approval)


def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    return _known(request, in_words(error.errors()[0], request.headers.get("content-type", "")))


def _http(request: Request, error: HTTPException) -> JSONResponse:
    fix = "See what there is in /openapi.json." if error.status_code in _UNMATCHED else ""
    sentence = f"{request.method} {request.scope['path']}: {error.detail.rstrip('.')}."
    code = _CODES.get(error.status_code, "http_error")
    return _refusal(request, error.status_code, sentence, code, error.headers, fix=fix)


def _gone(request: Request, _: ClientDisconnect) -> JSONResponse:
    """For the log; nobody reads it."""
    return _refusal(request, 400, "The client went away before it had sent all of the request.", _BAD)


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    sentence = f"Something went wrong here ({type(error).__name__}); the server's own output says more."
    # The server cuts the connection after an accident; a client that knows does not send its next request there.
    return _refusal(request, 500, sentence, "internal_error", headers={"Connection": "close"})
