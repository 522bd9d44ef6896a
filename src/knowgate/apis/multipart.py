"""multipart bodies: one part a field, one part a member of a list, files with their names and types."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from knowgate.apis.files import is_file, read_file
from knowgate.apis.operation import Body, Json, Part
from knowgate.apis.schemas import Defs, fields_of, flatten, is_binary
from knowgate.apis.values import has_controls, is_list, json_text, text_of
from knowgate.errors import InputError


class _Written(NamedTuple):
    disposition: str
    content_type: str
    data: bytes


def write_multipart(body: Body, value: Mapping[str, Json], defs: Defs) -> tuple[str, bytes]:
    """Content type and bytes. The boundary comes from the content, so equal arguments give equal requests."""
    fields = fields_of(body.schema, defs)
    parts: list[_Written] = []
    for name, inner in value.items():
        binary = name in fields and _holds_bytes(fields[name], defs)
        part = body.parts.get(name, Part())
        parts += [_part(name, one, part, binary) for one in _members(inner)]
    boundary = hashlib.sha256(repr(parts).encode()).hexdigest()[:40]
    data = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), _bytes_of(part)) for part in parts)
    kind = body.content_type.partition(";")[0].strip()
    return f"{kind}; boundary={boundary}", data + b"--%s--\r\n" % boundary.encode()


def _members(value: Json) -> Iterator[Json]:
    yield from (one for one in (value if is_list(value) else [value]) if one is not None)


def _holds_bytes(schema: Json, defs: Defs) -> bool:
    flat = flatten(schema, defs)
    return is_binary(flat) or is_binary(flatten(flat.get("items", False), defs))


def _part(name: str, value: Json, part: Part, binary: bool) -> _Written:
    told = next((kind.strip() for kind in part.content_type.split(",") if kind.strip() and "*" not in kind), "")
    disposition = f'form-data; name="{_quoted(name)}"'
    if binary or is_file(value):
        file = read_file(value, f"/body/{name}")
        disposition += f'; filename="{_quoted(file.filename or name)}"'
        return _Written(disposition, file.content_type or told or "application/octet-stream", file.data)
    if isinstance(value, (dict, list)):
        return _Written(disposition, told or "application/json", json_text(value).encode())
    data = json_text(value) if "json" in told else text_of(value)
    return _Written(disposition, told, data.encode())


def _bytes_of(part: _Written) -> bytes:
    head = f"Content-Disposition: {part.disposition}\r\n"
    if part.content_type:
        head += f"Content-Type: {part.content_type}\r\n"
    return head.encode() + b"\r\n" + part.data


def _quoted(text: str) -> str:
    """As browsers do it (WHATWG): quotes are percent-encoded, everything else is UTF-8."""
    if has_controls(text):
        raise InputError("unsafe_value", f"{text!r} holds control characters.", "Leave them out of names.")
    return text.replace('"', "%22")
