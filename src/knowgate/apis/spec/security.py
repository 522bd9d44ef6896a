"""How an API wants to be convinced of who calls, in every version's words."""

from __future__ import annotations

from typing import cast

from knowgate.apis.operation import Json, SecurityScheme
from knowgate.apis.spec.references import Documents, Spot, Unusable
from knowgate.apis.spec.upgrade import Warn

Security = tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
_TYPES = ("apiKey", "http", "oauth2", "openIdConnect", "mutualTLS")
_FLOWS = ("authorizationCode", "clientCredentials", "password", "implicit", "deviceAuthorization")


def read_schemes(root: Spot, documents: Documents, warn: Warn) -> dict[str, SecurityScheme]:
    declared = root.at("components").at("securitySchemes") if root.has("openapi") else root.at("securityDefinitions")
    schemes: dict[str, SecurityScheme] = {}
    for name, spot in declared.items():
        try:
            schemes[name] = _scheme(name, documents.follow(spot))
        except Unusable as error:
            warn(error.place, error.reason)
    return schemes


def read_security(root: Spot, operation: Spot) -> Security:
    """The operation's own word, else the description's."""
    spot = (operation if operation.has("security") else root).at("security")
    return tuple(
        tuple((name, tuple(_texts(scopes.value))) for name, scopes in each.items())
        for each in spot.each()
        if isinstance(each.value, dict)
    )


def _scheme(name: str, spot: Spot) -> SecurityScheme:
    kind = spot.get("type")
    if kind == "basic":  # as 2.0 says it
        return SecurityScheme(name, "http", http_scheme="basic")
    if kind not in _TYPES:
        raise Unusable(spot.place, f"The security scheme {name!r} has no known type.")
    flows = _flows(spot) if kind == "oauth2" else []
    return SecurityScheme(
        name,
        kind,
        place=_text(spot.get("in")) if kind == "apiKey" else "",
        key_name=_text(spot.get("name")) if kind == "apiKey" else "",
        http_scheme=_text(spot.get("scheme")).lower() if kind == "http" else "",
        token_url=next((url for flow in flows if (url := _text(flow.get("tokenUrl")))), ""),
        authorization_url=next((url for flow in flows if (url := _text(flow.get("authorizationUrl")))), ""),
        scopes=tuple(dict.fromkeys(scope for flow in flows for scope, _ in flow.at("scopes").items())),
    )


def _flows(spot: Spot) -> list[Spot]:
    """The best first; 2.0 has one, on the scheme itself."""
    return [spot.at("flows").at(name) for name in _FLOWS if spot.at("flows").has(name)] or [spot]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> list[str]:
    return [each for each in cast("list[Json]", value) if isinstance(each, str)] if isinstance(value, list) else []
