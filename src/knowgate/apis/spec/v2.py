"""The parts of an operation as OpenAPI 2.0 (Swagger) writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast
from urllib.parse import urlsplit

from knowgate.apis.operation import Answer, Body, Json, Parameter, Part, Place, Schema, Server, Style
from knowgate.apis.spec.definitions import Definitions
from knowgate.apis.spec.references import Documents, Spot, Unusable
from knowgate.apis.spec.text import MEDIUM, clean, clean_value
from knowgate.apis.spec.upgrade import Warn
from knowgate.apis.spec.v3 import name_and_place

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_NOT_SCHEMA = frozenset("name in description required collectionFormat allowEmptyValue x-example".split())
_SEPARATED: dict[str, Style] = {"ssv": "spaceDelimited", "pipes": "pipeDelimited"}


class V2:
    def __init__(self, root: Spot, documents: Documents, definitions: Definitions, warn: Warn, source: str) -> None:
        self._root = root
        self._documents = documents
        self._definitions = definitions
        self._warn = warn
        self._servers = _servers(root, source)

    def parameters(self, spots: Iterable[Spot]) -> list[Parameter]:
        return [self._parameter(spot) for spot in spots if spot.get("in") not in ("body", "formData")]

    def bodies(self, operation: Spot, parameters: Iterable[Spot]) -> tuple[tuple[Body, ...], bool]:
        """What the operation takes, and whether it must be given."""
        consumed = _media_types(self._root, operation, "consumes")
        spots = list(parameters)
        for spot in spots:
            if spot.get("in") == "body":
                schema = self._definitions.read(spot.at("schema")) if spot.has("schema") else True
                example = clean_value(spot.get("x-example"))
                bodies = tuple(Body(each, schema, example=example) for each in consumed or (_JSON,))
                return bodies, spot.get("required") is True
        fields = [spot for spot in spots if spot.get("in") == "formData"]
        return self._form(fields, consumed) if fields else ((), False)

    def answers(self, operation: Spot) -> list[Answer]:
        produced = _media_types(self._root, operation, "produces") or (_JSON,)
        return [
            self._answer(status, spot, produced)
            for status, spot in operation.at("responses").items()
            if status[:2] != "x-"
        ]

    def servers(self, item: Spot, operation: Spot) -> tuple[Server, ...]:
        del item
        schemes = [each.value for each in operation.at("schemes").each()]
        chosen = tuple(each for each in self._servers if each.url.partition(":")[0] in schemes)
        return chosen or self._servers

    def _parameter(self, spot: Spot) -> Parameter:
        name, place = name_and_place(spot)
        style, explode = _style(spot, place)
        return Parameter(
            name,
            place,
            required=place == "path" or spot.get("required") is True,
            schema=self._schema(spot),
            style=style,
            explode=explode,
            description=clean(spot.get("description")),
            example=clean_value(spot.get("x-example")),
        )

    def _form(self, fields: list[Spot], consumed: tuple[str, ...]) -> tuple[tuple[Body, ...], bool]:
        properties: dict[str, Schema] = {}
        parts: dict[str, Part] = {}
        for spot in fields:
            name = spot.get("name")
            if not isinstance(name, str) or not name:
                raise Unusable(spot.place, "The form field has no name.")
            schema = self._schema(spot)
            if description := clean(spot.get("description"), MEDIUM):
                schema = {**cast("dict[str, Json]", schema), "description": description}
            properties[name] = schema
            if spot.get("type") == "array":
                style, explode = _style(spot, "query")
                parts[name] = Part(style=style, explode=explode)
        required = [spot.value["name"] for spot in fields if spot.get("required") is True]
        schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
        files = any(spot.get("type") == "file" for spot in fields)
        usual = (_MULTIPART,) if files else (_FORM,)
        types = usual if files else tuple(each for each in consumed if each in (_FORM, _MULTIPART)) or usual
        return tuple(Body(each, schema, parts) for each in types), bool(required)

    def _answer(self, status: str, spot: Spot, produced: tuple[str, ...]) -> Answer:
        """An answer that is described wrongly does not make the operation unusable."""
        try:
            found = self._documents.follow(spot)
            schema = self._definitions.read(found.at("schema")) if found.get("schema") is not None else None
        except Unusable as error:
            self._warn(error.place, error.reason)
            return Answer(status)
        content = {} if schema is None else dict.fromkeys(produced, schema)
        return Answer(status, clean(found.get("description")), content)

    def _schema(self, spot: Spot) -> Schema:
        """A parameter of 2.0 is its own schema; some descriptions give it one as later versions do."""
        if isinstance(spot.get("schema"), dict):
            return self._definitions.read(spot.at("schema"))
        return self._definitions.read(
            spot.with_value({key: each for key, each in spot.value.items() if key not in _NOT_SCHEMA})
        )


def _style(spot: Spot, place: Place) -> tuple[Style, bool]:
    form = spot.get("collectionFormat")
    if form == "tsv" and spot.get("type") == "array":
        raise Unusable(spot.place, "Values that tabs separate cannot be sent.")
    if place in ("path", "header"):
        return "simple", False
    return _SEPARATED.get(str(form), "form"), form == "multi"


def _media_types(root: Spot, operation: Spot, key: str) -> tuple[str, ...]:
    owner = operation if isinstance(operation.get(key), list) else root
    return tuple(each.value for each in owner.at(key).each() if isinstance(each.value, str) and "/" in each.value)


def _servers(root: Spot, source: str) -> tuple[Server, ...]:
    """https first. What the description leaves out is as where it came from."""
    base = root.get("basePath")
    path = "/" + base.strip("/") if isinstance(base, str) else "/"
    host = root.get("host")
    if not isinstance(host, str) or not host.strip():
        return (Server(path),)
    own = urlsplit(source).scheme
    told = [each.value for each in root.at("schemes").each() if each.value in ("http", "https")]
    schemes = sorted(set(told), reverse=True) or [own if own in ("http", "https") else "https"]
    return tuple(Server(f"{scheme}://{host.strip().strip('/')}{path}".rstrip("/")) for scheme in schemes)
