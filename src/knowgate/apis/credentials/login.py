"""Signing in with a browser: authorization code with PKCE and state, coming back to a port on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, HTTPServer
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qs, urlsplit

from knowgate.apis.credentials.oauth import Asker
from knowgate.apis.credentials.tokens import Token
from knowgate.errors import ConflictError, ForbiddenError

_PAGE = b"<!doctype html><meta charset=utf-8><title>Knowgate</title><p>Done. You can close this window."


def sign_in(asker: Asker, show: Callable[[str], None], *, seconds: float, now: Callable[[], float]) -> Token:
    """`show` is given the address to open in a browser; waits until the browser comes back."""
    from authlib.oauth2.client import OAuth2Client

    profile = asker.profile
    state, verifier = token_urlsafe(32), token_urlsafe(48)
    redirect_uri = f"http://127.0.0.1:{profile.redirect_port}/callback"
    client: Any = OAuth2Client(
        None,
        asker.client_id,
        scope=" ".join(profile.scopes) or None,
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
    )
    address, _ = client.create_authorization_url(profile.authorization_url, state=state, code_verifier=verifier)
    with _listen(profile.redirect_port) as callback:
        show(address)
        code = callback.wait(state, time.monotonic() + seconds)
    if not code:
        raise ForbiddenError("credential_missing", "The sign-in did not succeed.", "Try again, and allow the access.")
    return asker.code_token(code, verifier, redirect_uri, now())


def _listen(port: int) -> _Callback:
    try:
        return _Callback(port)
    except OSError as error:
        raise ConflictError(
            "port_taken",
            f"Port {port} is needed for the sign-in, and another program has it.",
            "End that program, or set redirect_port in the auth profile (and at the API's provider).",
        ) from error


class _Callback(HTTPServer):
    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), partial(_Handler, self._came))
        self._answers: list[dict[str, list[str]]] = []

    def _came(self, query: str) -> None:
        self._answers.append(parse_qs(query))

    def wait(self, state: str, deadline: float) -> str:
        """The code that comes with our state; empty when the access was denied or nobody came."""
        while (left := deadline - time.monotonic()) > 0:
            self.timeout = left
            self.handle_request()
            for answer in self._answers:
                # Anybody on this machine may knock; only who started here knows the state.
                if compare_digest("".join(answer.get("state", ())).encode(), state.encode()):
                    return "".join(answer.get("code", ()))
            self._answers.clear()
        return ""


class _Handler(BaseHTTPRequestHandler):
    timeout = 5

    def __init__(self, came: Callable[[str], None], *connection: Any) -> None:
        self._came = came
        super().__init__(*connection)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/callback":
            self._came(parts.query)
        self.send_response(200 if parts.path == "/callback" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(_PAGE)))
        self.end_headers()
        self.wfile.write(_PAGE)

    def log_message(self, format: str, *args: object) -> None:
        # The line would hold the code.
        pass
