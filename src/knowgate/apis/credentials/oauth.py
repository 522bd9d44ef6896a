"""Asking an OAuth 2 server for tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowgate.apis.credentials.profile import Profile
from knowgate.apis.credentials.tokens import Token, read_token
from knowgate.errors import ForbiddenError
from knowgate.net import NetRules

Resolve = Callable[[str], Any]
_LARGEST_ANSWER = 64 * 1024
_SECONDS = 30.0
_ERRORS = {
    *("invalid_request", "invalid_client", "invalid_grant"),
    *("unauthorized_client", "unsupported_grant_type", "invalid_scope", "access_denied"),
}
"""Other words of the server are not repeated: it knows our secrets and might say them."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The OAuth client that a profile describes."""

    profile: Profile
    client_id: str
    client_secret: str
    rules: NetRules
    resolve: Resolve

    def client_token(self, now: float) -> Token:
        return self._ask({"grant_type": "client_credentials"}, now)

    def renewed(self, token: Token, now: float) -> Token:
        assert token.refresh
        return self._ask({"grant_type": "refresh_token", "refresh_token": token.refresh.reveal()}, now, token)

    def code_token(self, code: str, verifier: str, redirect_uri: str, now: float) -> Token:
        asked = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        return self._ask({**asked, "redirect_uri": redirect_uri}, now)

    def _ask(self, asked: Mapping[str, str], now: float, before: Token | None = None) -> Token:
        import httpx2
        from authlib.oauth2.client import OAuth2Client
        from authlib.oauth2.rfc6749 import OAuth2Error

        from knowgate.net.client import open_client

        rules = replace(
            self.rules, max_bytes=_LARGEST_ANSWER, timeout_seconds=min(_SECONDS, self.rules.timeout_seconds)
        )
        auth = httpx2.BasicAuth(self.client_id, self.client_secret) if self.client_secret else None
        public = {} if self.client_secret else {"client_id": self.client_id}
        with open_client(rules, resolve=self.resolve) as http:
            client: Any = OAuth2Client(http, self.client_id, scope=" ".join(self.profile.scopes) or None)
            try:
                answer = client.fetch_token(self.profile.token_url, auth=auth or _no_auth, **public, **asked)
            except OAuth2Error as error:
                said = str(error.error or "")
                raise self._refused(said if said in _ERRORS else "") from None
            except (httpx2.HTTPError, ValueError):
                # Not an answer of the protocol; the error would carry the request along.
                raise self._refused("") from None
        return read_token(dict(answer), now, before) or self._fail()

    def _fail(self) -> Token:
        raise self._refused("")

    def _refused(self, said: str) -> ForbiddenError:
        name, server = self.profile.name, self.profile.token_url.partition("?")[0]
        if said in {"invalid_grant", "access_denied"}:
            fix = f"Sign in again with the auth profile {name!r}."
            return ForbiddenError("credential_expired", f"{server} no longer accepts the sign-in ({said}).", fix)
        reason = f" ({said})" if said else ""
        fix = f"Check client_id, client secret, scopes and token_url of the auth profile {name!r}."
        return ForbiddenError("credential_refused", f"{server} gave no token{reason}.", fix)


def _no_auth(request: Any) -> Any:
    return request
