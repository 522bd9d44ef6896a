"""The profiles in use: what each adds to a request, and which secrets must not be seen in an answer."""

from __future__ import annotations

import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from knowgate.apis.credentials.grant import Grant
from knowgate.apis.credentials.oauth import Asker
from knowgate.apis.credentials.profile import Addressed, Profile, check, covers, origin_of
from knowgate.apis.credentials.secret import Secret, sendable
from knowgate.apis.credentials.sources import find_secret, find_user, read_private
from knowgate.apis.credentials.tokens import Token, TokenFiles
from knowgate.errors import ForbiddenError, NotFoundError
from knowgate.net import NetRules

if TYPE_CHECKING:
    from knowgate.net.connect import Resolve

_REMEMBER_SECONDS = 60.0


class Wallet:
    def __init__(
        self,
        profiles: Iterable[Profile],
        *,
        environ: Mapping[str, str],
        folder: Path,
        rules: NetRules,
        resolve: Resolve | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`folder` keeps tokens; `rules` are for the servers that give them."""
        self._profiles = {profile.name: profile for profile in profiles}
        self._environ = environ
        self._files = TokenFiles(folder)
        self._rules = rules
        self._resolve = resolve
        self._clock = clock
        self._found: dict[str, tuple[str, float]] = {}
        self._tokens: dict[str, Token] = {}
        self._given: dict[str, set[str]] = {}

    def profile(self, name: str) -> Profile:
        if name not in self._profiles:
            known = ", ".join(sorted(self._profiles)) or "none"
            fix = f"Write [auth.{name}] in knowgate.toml, or name one that is there: {known}."
            raise NotFoundError("unknown_profile", f"There is no auth profile {name!r}.", fix)
        return self._profiles[name]

    def profiles_for(self, request: Addressed) -> tuple[Profile, ...]:
        return tuple(profile for profile in self._profiles.values() if covers(profile, request))

    def apply(self, name: str, request: Addressed) -> Grant:
        """What the profile adds to this request; ForbiddenError when it is not for it, or has nothing to add."""
        profile = self.profile(name)
        check(profile, request)
        origin = origin_of(request.url)
        match profile.type:
            case "basic":
                return Grant(origin, headers=(("Authorization", self._basic(profile)),))
            case "api_key":
                return self._key(profile, origin)
            case "mutual_tls":
                return Grant(origin, tls=self._certificate(profile))
            case "bearer":
                token = sendable(self._secret(profile), f"The token of {name!r}")
            case _:
                token = self._token(profile).access
        return Grant(origin, headers=(("Authorization", Secret(f"Bearer {token.reveal()}")),))

    def check_ready(self, name: str, request: Addressed) -> None:
        """Raises what `apply` would, as far as can be told without asking for a token."""
        profile = self.profile(name)
        if not profile.token_url:
            self.apply(name, request)
            return
        check(profile, request)
        self._secret(profile)
        token = self._tokens.get(name) or self._files.load(profile)
        usable = token and (token.fresh(self._clock()) or token.refresh)
        if profile.type != "oauth2_client_credentials" and not usable:
            raise _not_signed_in(profile, token)

    def secrets_of(self, name: str) -> tuple[str, ...]:
        """All values that would give the profile away, as far as they can be had without asking anybody anew."""
        profile = self.profile(name)
        try:
            self._basic(profile) if profile.type == "basic" else self._secret(profile)
            if profile.token_url:
                self._remember(profile, self._tokens.get(name) or self._files.load(profile))
        except ForbiddenError:
            # What cannot be found cannot be seen either; using the profile says what is wrong.
            pass
        return tuple(sorted(self._given.get(name, ())))

    def sign_in(self, name: str, show: Callable[[str], None], *, seconds: float = 300.0) -> None:
        """A person signs in with a browser; `show` is given the address to open."""
        from knowgate.apis.credentials.login import sign_in

        profile = self.profile(name)
        token = sign_in(self._asker(profile), show, seconds=seconds, now=self._clock)
        with self._files.alone(profile):
            self._keep(profile, token)

    def sign_out(self, name: str) -> None:
        profile = self.profile(name)
        self._tokens.pop(name, None)
        self._files.forget(profile)

    def _secret(self, profile: Profile) -> str:
        # Helper commands and key rings are slow; a changed secret is noticed soon all the same.
        value, at = self._found.get(profile.name, ("", float("-inf")))
        if self._clock() - at >= _REMEMBER_SECONDS:
            value = find_secret(profile, self._environ)
            self._found[profile.name] = value, self._clock()
            self._hide(profile, value)
        return value

    def _hide(self, profile: Profile, *values: str) -> None:
        self._given.setdefault(profile.name, set()).update(filter(None, values))

    def _basic(self, profile: Profile) -> Secret:
        pair = f"{find_user(profile, self._environ)}:{self._secret(profile)}"
        encoded = b64encode(pair.encode()).decode()
        self._hide(profile, encoded)
        return Secret(f"Basic {encoded}")

    def _key(self, profile: Profile, origin: str) -> Grant:
        key = sendable(self._secret(profile), f"The key of {profile.name!r}")
        added = ((profile.key_name, key),)
        match profile.place:
            case "header":
                return Grant(origin, headers=added)
            case "query":
                return Grant(origin, query=added)
            case "cookie":
                if set(key.reveal()) & set(' ",;\\'):
                    fix = "Ask for a key without spaces, quotes, commas and semicolons, or send it in a header."
                    message = f"The key of {profile.name!r} does not fit into a cookie."
                    raise ForbiddenError("credential_refused", message, fix)
                return Grant(origin, cookies=added)

    def _certificate(self, profile: Profile) -> ssl.SSLContext:
        from httpcore2 import default_ssl_context

        assert profile.certificate
        key = profile.private_key or profile.certificate
        read_private(key)
        passphrase = self._secret(profile)
        try:
            context = (
                ssl.create_default_context(cafile=profile.authority) if profile.authority else default_ssl_context()
            )
            # Without a passphrase OpenSSL would ask for it on the terminal.
            context.load_cert_chain(profile.certificate, key, password=passphrase)
        except (OSError, ValueError):
            message = f"The certificate of {profile.name!r} and its key cannot be used."
            fix = "Check cert_file, key_file, ca_file and the passphrase."
            raise ForbiddenError("credential_refused", message, fix) from None
        return context

    def _token(self, profile: Profile) -> Token:
        token = self._tokens.get(profile.name)
        if token is None or not token.fresh(self._clock()):
            with self._files.alone(profile):
                # Another thread or process may have been here while we waited.
                token = self._files.load(profile)
                if token is None or not token.fresh(self._clock()):
                    token = self._renewed(profile, token)
                self._keep(profile, token)
        return token

    def _renewed(self, profile: Profile, token: Token | None) -> Token:
        if profile.type == "oauth2_client_credentials":
            return self._asker(profile).client_token(self._clock())
        if token is None or token.refresh is None:
            raise _not_signed_in(profile, token)
        return self._asker(profile).renewed(token, self._clock())

    def _keep(self, profile: Profile, token: Token) -> None:
        self._files.save(profile, token)
        self._remember(profile, token)

    def _remember(self, profile: Profile, token: Token | None) -> None:
        if token:
            self._tokens[profile.name] = token
            self._hide(profile, token.access.reveal(), token.refresh.reveal() if token.refresh else "")

    def _asker(self, profile: Profile) -> Asker:
        from knowgate.net.connect import system_resolve

        user = find_user(profile, self._environ)
        return Asker(profile, user, self._secret(profile), self._rules, self._resolve or system_resolve)


def _not_signed_in(profile: Profile, token: Token | None) -> ForbiddenError:
    code = "credential_missing" if token is None else "credential_expired"
    fix = f"Sign in: `knowgate apis sign-in {profile.name}`."
    return ForbiddenError(code, f"Nobody is signed in with {profile.name!r}.", fix)
