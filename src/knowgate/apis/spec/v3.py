"""The parts of an operation as OpenAPI 3.0, 3.1 and 3.2 write them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from knowgate.apis.operation import Answer, Body, Json, Parameter, Part, Place, Schema, Server, Style
from knowgate.apis.spec.definitions import Definitions
from knowgate.apis.spec.references import Documents, Spot, Unusable
from knowgate.apis.spec.text import SHORT, clean, clean_value
from knowgate.apis.spec.upgrade import Warn

_STYLES: dict[str, tuple[Style, ...]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
"""Of each place, the default first."""


class V3:
    def __init__(self, root: Spot, documents: Documents, definitions: Definitions, warn: Warn) -> None:
        self._root = root
        self._documents = documents
        self._definitions = definitions
        self._warn = warn

    def parameters(self, spots: Iterable[Spot]) -> list[Parameter]:
        return [self._parameter(spot) for spot in spots]

    def bodies(self, operation: Spot, parameters: Iterable[Spot]) -> tuple[tuple[Body, ...], bool]:
        """What the operation takes, and whether it must be given."""
        del parameters  # of which none is a body, other than in 2.0
        if operation.get("requestBody") is None:
            return (), False
        spot = self._documents.follow(operation.at("requestBody"))
        bodies = tuple(
            self._body(name, self._documents.follow(media)) for name, media in spot.at("content").items() if "/" in name
        )
        if not bodies:
            self._warn(spot.place, "a body without a media type")
        return bodies, bool(bodies) and spot.get("required") is True

    def answers(self, operation: Spot) -> list[Answer]:
        return [self._answer(status, spot) for status, spot in operation.at("responses").items() if status[:2] != "x-"]

    def servers(self, item: Spot, operation: Spot) -> tuple[Server, ...]:
        for owner in (operation, item, self._root):
            servers = [_server(spot) for spot in owner.at("servers").each() if isinstance(spot.get("url"), str)]
            if servers:
                return tuple(servers)
        return (Server("/"),)

    def _parameter(self, spot: Spot) -> Parameter:
        name, place = name_and_place(spot)
        content = next(iter(spot.at("content").items()), None)
        content_type, holder = ("", spot) if content is None else (content[0], self._documents.follow(content[1]))
        style, explode = _style_of(spot, place, self._warn)
        return Parameter(
            name,
            place,
            required=place == "path" or spot.get("required") is True,
            schema=self._schema(holder),
            style=style,
            explode=explode,
            allow_reserved=spot.get("allowReserved") is True,
            content_type=content_type,
            description=clean(spot.get("description")),
            example=self._example(spot) if self._example(spot) is not None else self._example(holder),
        )

    def _body(self, content_type: str, media: Spot) -> Body:
        parts = {name: self._part(spot) for name, spot in media.at("encoding").items() if isinstance(spot.value, dict)}
        return Body(content_type, self._schema(media), parts, self._example(media))

    def _part(self, spot: Spot) -> Part:
        style, explode = _style_of(spot, "query", self._warn)
        return Part(
            content_type=clean(spot.get("contentType"), SHORT),
            style=style,
            explode=explode,
            allow_reserved=spot.get("allowReserved") is True,
        )

    def _answer(self, status: str, spot: Spot) -> Answer:
        """An answer that is described wrongly does not make the operation unusable."""
        try:
            found = self._documents.follow(spot)
            content = {name: self._schema(self._documents.follow(media)) for name, media in found.at("content").items()}
        except Unusable as error:
            self._warn(error.place, error.reason)
            return Answer(status)
        return Answer(status, clean(found.get("description")), content)

    def _schema(self, holder: Spot) -> Schema:
        return self._definitions.read(holder.at("schema")) if holder.get("schema") is not None else True

    def _example(self, spot: Spot) -> Json:
        if spot.has("example"):
            return clean_value(spot.get("example"))
        for each in spot.at("examples").values():
            try:
                found = self._documents.follow(each)
            except Unusable as error:
                self._warn(error.place, error.reason)
                continue
            if found.has("value"):
                return clean_value(found.get("value"))
        return None


def name_and_place(spot: Spot) -> tuple[str, Place]:
    name, place = spot.get("name"), spot.get("in")
    if not isinstance(name, str) or not name or len(name) > SHORT:
        raise Unusable(spot.place, "The parameter has no usable name.")
    if place not in _STYLES:
        raise Unusable(spot.place, f"The parameter {name!r} stands in {clean(place, 40)!r}, which is not supported.")
    return name, cast("Place", place)


def _style_of(spot: Spot, place: Place, warn: Warn) -> tuple[Style, bool]:
    style, explode = spot.get("style"), spot.get("explode")
    allowed = _STYLES[place]
    if style is not None and style not in (*allowed, "cookie"):
        warn(spot.place, f"the style {clean(style, 40)!r} is not one of {place}")
    chosen = style if style in allowed else allowed[0]
    return chosen, explode if isinstance(explode, bool) else chosen == "form"


def _server(spot: Spot) -> Server:
    variables = {
        name: (
            "" if each.get("default") is None else str(each.get("default")),
            tuple(str(one.value) for one in each.at("enum").each()),
        )
        for name, each in spot.at("variables").items()
    }
    return Server(spot.value["url"].strip(), variables, clean(spot.get("description"), SHORT))
