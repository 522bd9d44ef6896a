"""Bodies: which media type a value is sent in, and its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from knowgate.apis.files import is_file, read_file
from knowgate.apis.multipart import write_multipart
from knowgate.apis.operation import Body, Json, Operation
from knowgate.apis.schemas import Defs, flatten, types_of
from knowgate.apis.styles import escape, escape_unreserved, in_pairs
from knowgate.apis.values import is_list, is_object, json_text, text_of
from knowgate.apis.xml_text import write_xml
from knowgate.errors import InputError

_ANY_BYTES = ("application/octet-stream", "text/plain")
"""What generators write when nobody told them: an object in it is meant as JSON."""
Kind = Literal["json", "form", "multipart", "text", "raw"]


def kind_of(content_type: str) -> Kind:
    name = content_type.partition(";")[0].strip().lower()
    if name in ("application/json", "text/json", "*/*", "application/*") or name.endswith("+json"):
        return "json"
    if name == "application/x-www-form-urlencoded":
        return "form"
    if name.startswith("multipart/"):
        return "multipart"
    return "text" if name.startswith("text/") else "raw"


def chosen_body(operation: Operation, value: Json, content_type: str) -> Body:
    """The one that the caller named; else the first that can carry the value, JSON before forms before the rest."""
    if content_type:
        wanted = _bare(content_type)
        for body in operation.bodies:
            if _bare(body.content_type) == wanted:
                return body
        known = ", ".join(body.content_type for body in operation.bodies)
        raise InputError("bad_arguments", f"{operation.id} does not take {content_type}.", f"It takes {known}.")
    ranks: dict[Kind, int] = {"json": 0, "form": 1, "multipart": 1, "text": 2, "raw": 3}
    if is_file(value):
        ranks |= {"raw": -2, "text": -1}
    elif is_object(value) and any(map(_has_file, value.values())):
        ranks["multipart"] = -1
    return min(operation.bodies, key=lambda body: ranks[kind_of(body.content_type)])


def is_opaque(body: Body, value: Json, defs: Defs) -> bool:
    """Text or bytes in a format that we do not write (XML, CSV, pictures): there is nothing to check it against."""
    if kind_of(body.content_type) not in ("text", "raw") and "*" not in body.content_type:
        return False
    return is_file(value) or (isinstance(value, str) and types_of(flatten(body.schema, defs)) != ("string",))


def without_files(value: Json, body: Body) -> Json:
    """The value as the schema sees it, where a file is a string."""
    if kind_of(body.content_type) == "multipart" and is_object(value):
        return {name: _as_text(inner) for name, inner in value.items()}
    return value


def write_body(body: Body, value: Json, defs: Defs) -> tuple[str, bytes]:
    """Content type and bytes."""
    kind = kind_of(body.content_type)
    any_ = "*" in body.content_type
    if kind == "json" and not (any_ and (isinstance(value, str) or is_file(value))):
        return "application/json" if any_ else body.content_type, json_text(value).encode()
    types = types_of(flatten(body.schema, defs))
    if kind == "multipart" and types in (("string",), ("array",)):
        value = {"file": value}  # the description says what is uploaded, and forgets under which name
    if kind in ("form", "multipart"):
        if not is_object(value):
            raise InputError("bad_arguments", "/body must be an object of form fields.", 'Such as {"name": "value"}.')
        return write_multipart(body, value, defs) if kind == "multipart" else (body.content_type, _form(body, value))
    if isinstance(value, (dict, list)) and not is_file(value):
        if _bare(body.content_type).endswith(("/xml", "+xml")):
            return body.content_type, write_xml(value, body.schema, defs)
        if types in (("object",), ("array",)) and _bare(body.content_type) in _ANY_BYTES:
            return body.content_type, json_text(value).encode()
        raise InputError(
            "bad_arguments",
            f"/body is sent as {body.content_type}, which cannot be made from an object.",
            'Send the text itself, or {"content_type": "…", "base64": "…"}.',
        )
    file = read_file(value if is_file(value) else text_of(value), "/body")
    return file.content_type or ("application/octet-stream" if any_ else body.content_type), file.data


def _form(body: Body, value: Mapping[str, Json]) -> bytes:
    pairs: list[tuple[str, str]] = []
    for name, inner in value.items():
        part = body.parts.get(name)
        encode = escape_unreserved if part and part.allow_reserved else escape
        if inner is None:
            continue
        if part and part.content_type:
            text = json_text(inner) if kind_of(part.content_type) == "json" else text_of(inner)
            pairs.append((escape(name), encode(text)))
        elif part:
            pairs += in_pairs(name, inner, part.style, part.explode, encode)
        else:
            members = inner if is_list(inner) else [inner]
            pairs += [(escape(name), encode(text_of(one))) for one in members if one is not None]
    return "&".join(f"{name}={text}" for name, text in pairs).encode()


def _bare(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _has_file(value: Json) -> bool:
    return is_file(value) or (is_list(value) and any(map(is_file, value)))


def _as_text(value: Json) -> Json:
    if is_list(value):
        return [_as_text(one) for one in value]
    return value.get("text", value.get("base64")) if is_file(value) else value
