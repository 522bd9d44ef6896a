"""From arguments to the exact request: what is built here is what the gate decides on and what is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from knowgate.apis.arguments import BODY, Given, Schemes, arrange, slots
from knowgate.apis.bodies import chosen_body, is_opaque, kind_of, without_files, write_body
from knowgate.apis.coerce import coerce
from knowgate.apis.files import MEDIA_TYPE
from knowgate.apis.headers import cookie_name, cookie_text, header, plain_member
from knowgate.apis.operation import Body, Json, Operation, Parameter
from knowgate.apis.paths import fill
from knowgate.apis.servers import checked
from knowgate.apis.styles import Pairs, escape, escape_unreserved, in_pairs, in_segment
from knowgate.apis.validate import Rules
from knowgate.apis.values import check_sendable, is_object, json_text, text_of
from knowgate.errors import InputError


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that is sent, except for credentials."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    """With cookies, without Content-Type."""
    body: bytes | None = None
    content_type: str = ""
    operation: str = ""

    def digest(self) -> str:
        """The same for the same request only: each part goes in with its length."""
        digest = hashlib.sha256()
        texts = [
            self.operation,
            self.method,
            self.url,
            self.content_type,
            *(text for pair in self.headers for text in pair),
        ]
        for part in (*(text.encode() for text in texts), b"" if self.body is None else b"=" + self.body):
            digest.update(b"%d:" % len(part) + part)
        return digest.hexdigest()


class Builder:
    """One operation, ready to build requests: its schemas are compiled once."""

    def __init__(self, operation: Operation, schemes: Schemes = ()) -> None:
        self._operation = operation
        self._open = slots(operation, schemes)
        self._keys = {scheme.key_name for scheme in schemes if scheme.key_name}
        self._rules = Rules(operation, self._open)

    def build(self, arguments: Mapping[str, Json], *, base_url: str) -> Request:
        operation = self._operation
        check_sendable(dict(arguments))
        given = arrange(operation, arguments, self._open)
        values = {name: self._coerced(name, value) for name, value in given.values.items()}
        body = chosen_body(operation, values[BODY], given.content_type) if BODY in values else None
        if body:
            values[BODY] = coerce(values[BODY], body.schema, operation.defs, "/body")
        self._check(values, body)
        path = fill(operation.path, self._expanded(values))
        query = "&".join(f"{name}={text}" for name, text in self._pairs("query", values))
        content_type, data = write_body(body, values[BODY], operation.defs) if body else ("", None)
        return Request(
            method=operation.method,
            url=checked(base_url) + path + (f"?{query}" if query else ""),
            headers=self._headers(values, given),
            body=data,
            content_type=header("Content-Type", content_type)[1],
            operation=operation.id,
        )

    def _coerced(self, name: str, value: Json) -> Json:
        parameter = self._open.get(name)
        return coerce(value, parameter.schema, self._operation.defs, f"/{name}") if parameter else value

    def _check(self, values: Mapping[str, Json], body: Body | None) -> None:
        if body is None:
            bodies = self._operation.bodies
            self._rules.check(values, chosen_body(self._operation, None, "") if bodies else None)
        elif is_opaque(body, values[BODY], self._operation.defs):
            self._rules.check({**values, BODY: ""}, None)
        else:
            self._rules.check({**values, BODY: without_files(values[BODY], body)}, body)

    def _of(self, place: str, values: Mapping[str, Json]) -> list[tuple[Parameter, Json]]:
        found = [(parameter, name) for name, parameter in self._open.items() if parameter.place == place]
        return [(parameter, values[name]) for parameter, name in found if name in values]

    def _expanded(self, values: Mapping[str, Json]) -> dict[str, str]:
        return {
            parameter.name: escape(_content(parameter, value))
            if parameter.content_type
            else in_segment(parameter.name, value, parameter.style, parameter.explode)
            for parameter, value in self._of("path", values)
        }

    def _pairs(self, place: str, values: Mapping[str, Json]) -> Pairs:
        """Query parameters or cookies. The keys of an exploded object are the caller's: they may not pose as others."""
        pairs: Pairs = []
        others = {parameter.name for parameter in self._open.values() if parameter.place == place} | self._keys
        for parameter, value in self._of(place, values):
            encode = cookie_text if place == "cookie" else escape_unreserved if parameter.allow_reserved else escape
            if parameter.content_type:
                pairs.append((escape(parameter.name), encode(_content(parameter, value))))
                continue
            exploded = is_object(value) and parameter.explode and parameter.style == "form"
            posing = sorted(others & value.keys()) if exploded else []
            if posing:
                raise InputError(
                    "unsafe_value",
                    f"/{parameter.name}/{posing[0]} would be read as another parameter.",
                    f"Leave it out of {parameter.name}.",
                )
            pairs += in_pairs(parameter.name, value, parameter.style, parameter.explode, encode)
        return pairs

    def _headers(self, values: Mapping[str, Json], given: Given) -> tuple[tuple[str, str], ...]:
        headers = [header("Accept", given.accept or _acceptable(self._operation))]
        for parameter, value in self._of("header", values):
            encode = plain_member if isinstance(value, (dict, list)) else str
            text = _content(parameter, value) if parameter.content_type else ""
            headers.append(
                header(parameter.name, text or in_segment(parameter.name, value, "simple", parameter.explode, encode))
            )
        if cookies := self._pairs("cookie", values):
            headers.append(header("Cookie", "; ".join(f"{cookie_name(name)}={text}" for name, text in cookies)))
        return tuple(headers)


def build(operation: Operation, arguments: Mapping[str, Json], *, base_url: str, schemes: Schemes = ()) -> Request:
    """One request of an operation. `schemes` are the API's security schemes, whose names are not for arguments."""
    return Builder(operation, schemes).build(arguments, base_url=base_url)


def _content(parameter: Parameter, value: Json) -> str:
    return json_text(value) if kind_of(parameter.content_type) == "json" else text_of(value)


def _acceptable(operation: Operation) -> str:
    """What the description promises for success, JSON first."""
    kinds = [kind for answer in operation.answers if answer.status[:1] == "2" for kind in answer.content]
    usable = [kind for kind in dict.fromkeys(kinds) if MEDIA_TYPE.fullmatch(kind)]
    return ", ".join(sorted(usable, key=lambda kind: kind_of(kind) != "json")) or "*/*"
