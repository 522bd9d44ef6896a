"""Which of an API's profiles a request is sent with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knowgate.apis.credentials.profile import Profile
from knowgate.apis.operation import Operation, SecurityScheme


def choose(
    operation: Operation, schemes: Mapping[str, SecurityScheme], profiles: Sequence[Profile]
) -> tuple[Profile, ...]:
    """Those that answer what the operation asks for, all that one of its alternatives needs; else the first.

    Many descriptions do not say what their operations ask for, or say it wrongly.
    """
    for alternative in operation.security:
        found = [_fitting(profiles, schemes.get(name)) for name, _ in alternative]
        fitting = tuple(dict.fromkeys(profile for profile in found if profile))
        if alternative and None not in found:
            return fitting
    return tuple(profiles[:1])


def _fitting(profiles: Sequence[Profile], scheme: SecurityScheme | None) -> Profile | None:
    if scheme is None:
        return None
    exact = [profile for profile in profiles if _answers(profile, scheme)]
    # To the API a token is a token, wherever we have it from.
    tokens = [profile for profile in profiles if profile.type == "bearer" or profile.type.startswith("oauth2")]
    return next(iter([*exact, *(tokens if _wants_token(scheme) else [])]), None)


def _wants_token(scheme: SecurityScheme) -> bool:
    return scheme.type in ("oauth2", "openIdConnect") or scheme.http_scheme.lower() == "bearer"


def _answers(profile: Profile, scheme: SecurityScheme) -> bool:
    match scheme.type:
        case "apiKey":
            same_name = profile.key_name.lower() == scheme.key_name.lower()
            return profile.type == "api_key" and profile.place == scheme.place and same_name
        case "http":
            return profile.type == scheme.http_scheme.lower()
        case "mutualTLS":
            return profile.type == "mutual_tls"
        case _:
            return profile.type.startswith("oauth2")
