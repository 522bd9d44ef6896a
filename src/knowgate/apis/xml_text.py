"""Objects as XML, by what OpenAPI's `xml` says about names, attributes and lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from knowgate.apis.operation import Json, Schema
from knowgate.apis.schemas import Defs, fields_of, flatten, name_of
from knowgate.apis.values import is_list, is_object, text_of
from knowgate.errors import InputError

_NAME = re.compile(r"[^\W\d][\w.-]*(?::[^\W\d][\w.-]*)?")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def write_xml(value: Json, schema: Schema, defs: Defs) -> bytes:
    reference = schema.get("$ref") if is_object(schema) else None
    name = name_of(reference) if isinstance(reference, str) else "root"
    text = "".join(_elements(name if _NAME.fullmatch(name) else "root", [value], schema, defs))
    return f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()


def _elements(name: str, values: list[Json], schema: Schema, defs: Defs) -> list[str]:
    """One for each value, all of the same name."""
    said = _said(schema, defs)
    tag = _tag(name, said)
    space = said.get("namespace")
    prefix = f":{said['prefix']}" if "prefix" in said else ""
    opening = f"{tag} xmlns{prefix}={quoteattr(space)}" if space else tag
    return [f"<{opening}{_inside(value, schema, defs)}</{tag}>" for value in values]


def _inside(value: Json, schema: Schema, defs: Defs) -> str:
    """What follows the name of an element: attributes, the bracket, the content."""
    if is_list(value):
        return ">" + "".join(_elements("item", value, flatten(schema, defs).get("items", True), defs))
    if not is_object(value):
        return f">{escape(_text(value))}"
    fields = fields_of(schema, defs)
    attributes = content = ""
    for name, inner in value.items():
        field = fields.get(name, True)
        said = _said(field, defs)
        if said.get("attribute") is True:
            attributes += f" {_tag(name, said)}={quoteattr(_text(inner))}"
        elif is_list(inner):
            members = _elements(str(said.get("name", name)), inner, flatten(field, defs).get("items", True), defs)
            tag = _tag(name, said)
            content += f"<{tag}>{''.join(members)}</{tag}>" if said.get("wrapped") is True else "".join(members)
        elif inner is not None:
            content += "".join(_elements(name, [inner], field, defs))
    return f"{attributes}>{content}"


def _said(schema: Schema, defs: Defs) -> Mapping[str, Json]:
    said = flatten(schema, defs).get("xml")
    return said if is_object(said) else {}


def _tag(name: str, said: Mapping[str, Json]) -> str:
    tag = str(said.get("name", name))
    tag = f"{said['prefix']}:{tag}" if "prefix" in said else tag
    if not _NAME.fullmatch(tag):
        raise InputError("unsafe_value", f"{tag!r} cannot be the name of an XML element.", "Use letters and digits.")
    return tag


def _text(value: Json) -> str:
    text = text_of(value)
    if _FORBIDDEN.search(text):
        raise InputError("unsafe_value", "XML cannot hold control characters.", "Leave them out.")
    return text
