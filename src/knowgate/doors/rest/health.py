"""How the server is: for load balancers and for Prometheus."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.routes import refusals
from knowgate.engine import Engine
from knowgate.errors import KnowgateError
from knowgate.version import __version__
from knowgate.wire import Health, Ready

router = APIRouter(tags=["health"], responses=refusals(400))


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "knowgate_requests", "Requests by route and status.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "knowgate_request_seconds",
            "How long requests took.",
            ["route"],
            registry=self._registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
        )
        self._running = Gauge("knowgate_requests_running", "Requests being answered.", registry=self._registry)
        self._counts = Gauge("knowgate_stored", "What is in the store.", ["what"], registry=self._registry)
        started = Gauge("knowgate_start_time_seconds", "When the server was started.", registry=self._registry)
        started.set(time.time())

    def began(self) -> None:
        self._running.inc()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        self._running.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, engine: Engine) -> bytes:
        counts = engine.stats()
        for what, number in (
            ("documents", counts.documents),
            ("passages", counts.chunks),
            ("documents_waiting_for_vectors", counts.pending),
            ("bytes", counts.bytes),
            ("unfinished_tasks", len(engine.rooms.tasks.unfinished())),
        ):
            self._counts.labels(what).set(number)
        return generate_latest(self._registry)


@router.head("/health", include_in_schema=False)
@router.get("/health")
def health() -> Health:
    """Whether the process answers at all."""
    return Health("ok", __version__)


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses={503: {"model": Ready}})
def ready(request: Request, response: Response) -> Ready:
    """Whether it can do its work: the store can be read and written, and it is not about to stop."""
    engine: Engine = request.app.state.engine
    try:
        engine.store.ready()
    except KnowgateError as error:
        response.status_code = 503
        return Ready(error.code)
    if request.app.state.stopping.is_set():
        response.status_code = 503
        return Ready("stopping")
    return Ready("ready")


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **refusals(401, 403, 429, 500, 503)},
)
def metrics(engine: Caller, request: Request) -> Response:
    """For Prometheus; once there are keys, with one of the scope read."""
    engine.may_see_all()
    return Response(request.app.state.metrics.text(engine), media_type=CONTENT_TYPE_LATEST)
