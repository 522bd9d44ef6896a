"""The dialect over HTTP. Keys, Host and Origin are looked at as everywhere at this door."""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from knowgate.doors.rest.callers import Caller
from knowgate.doors.rpc.messages import answer
from knowgate.errors import InputError

router = APIRouter(include_in_schema=False)


class NotJson(InputError):
    http_status = 415


@router.post("/")
@router.post("/rpc")
async def rpc(request: Request, engine: Caller) -> Response:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A web page can send other types without asking first.
    if content_type != "application/json":
        raise NotJson("not_json", "This takes JSON-RPC only.", "Send it with Content-Type: application/json.")
    told = await to_thread.run_sync(answer, engine, await request.body(), request.state.count)
    return Response(status_code=204) if told is None else Response(told, media_type="application/json")
