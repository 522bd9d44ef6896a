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
        found = [
            next((profile for profile in profiles if name in schemes and _answers(profile, schemes[name])), None)
            for name, _ in alternative
        ]
        fitting = tuple(dict.fromkeys(profile for profile in found if profile))
        if alternative and None not in found:
            return fitting
    return tuple(profiles[:1])


def _answers(profile: Profile, scheme: SecurityScheme) -> bool:
    match scheme.type:
        case "apiKey":
            same_name = profile.key_name.lower() == scheme.key_name.lower()
            return profile.type == "api_key" and profile.place == scheme.place and same_name
        case "http" if scheme.http_scheme.lower() == "basic":
            return profile.type == "basic"
        case "mutualTLS":
            return profile.type == "mutual_tls"
        case _:
            return profile.type == "bearer" or profile.type.startswith("oauth2")
