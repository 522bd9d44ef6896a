"""What all routes share: how a body is read, and which refusals they are described with."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from knowgate.errors import KnowgateError
from knowgate.wire import ErrorAnswer

_REFUSALS = {
    400: "The request is wrong.",
    401: "A key is required, or the key is not valid.",
    403: "The key does not allow this.",
    404: "There is no such thing.",
    409: "The state does not fit the request.",
    413: "The request is too large.",
    429: "Too many requests; `Retry-After` says when to come again.",
    500: "The server failed.",
    502: "Another server, such as a model's, failed.",
    503: "The store is out of reach or busy; `Retry-After` says when to come again.",
}
_EVERYWHERE = (400, 401, 403, 429, 500, 503)
_BODIES = {"POST", "PUT"}


class _Sent(Request):
    async def json(self) -> Any:
        # Stricter than the framework's reader: what is half a character, no number or too deep is no JSON.
        return orjson.loads(await self.body())


class Route(APIRoute):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Bodies can be too large."""
        if _BODIES & set(options.get("methods") or ()):
            options["responses"] = {**refusals(413), **(options.get("responses") or {})}
        super().__init__(*arguments, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            try:
                return await handle(_Sent(request.scope, request.receive))
            except HTTPException as error:
                # The framework takes whatever goes wrong while it reads for a body that cannot be parsed.
                if isinstance(error.__cause__, KnowgateError | ClientDisconnect):
                    raise error.__cause__ from None
                raise

        return read_and_handle


def subject(name: str) -> APIRouter:
    return APIRouter(tags=[name], route_class=Route, responses=refusals(*_EVERYWHERE))


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For the description."""
    return {status: {"model": ErrorAnswer, "description": _REFUSALS[status]} for status in statuses}
