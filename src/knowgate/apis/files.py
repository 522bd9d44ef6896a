"""Files among the arguments: {"filename", "content_type", "base64" or "text"}. Paths are for the caller to read."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from knowgate.apis.operation import Json
from knowgate.apis.values import has_controls, is_object
from knowgate.errors import InputError

_KEYS = {"filename", "content_type", "base64", "text"}
_PARAMETER = r"\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+:/-]+|\"[\w .:/+-]*\")"
MEDIA_TYPE = re.compile(rf"[\w!#$&^.+-]+/[\w!#$&^.+*-]+(?:{_PARAMETER})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class File:
    filename: str
    content_type: str
    data: bytes


def is_file(value: Json) -> bool:
    return is_object(value) and value.keys() <= _KEYS and ("base64" in value) != ("text" in value)


def read_file(value: Json, where: str) -> File:
    """A file from its JSON form; plain text is a file without a name or type."""
    if isinstance(value, str):
        return File("", "", value.encode())
    if not is_file(value) or not all(isinstance(part, str) for part in value.values()):
        raise InputError(
            "bad_arguments",
            f"{where} is not a file.",
            'Send text, or {"filename": "a.png", "content_type": "image/png", "base64": "…"}.',
        )
    filename, content_type = value.get("filename", ""), value.get("content_type", "")
    if has_controls(filename) or (content_type and not MEDIA_TYPE.fullmatch(content_type)):
        raise InputError(
            "unsafe_value",
            f"{where}: the file's name or type holds what a header cannot.",
            "Send a plain name, and a type such as image/png.",
        )
    if "text" in value:
        return File(filename, content_type, value["text"].encode())
    try:
        return File(filename, content_type, base64.b64decode(value["base64"], validate=True))
    except (binascii.Error, ValueError) as error:
        raise InputError("bad_arguments", f"{where}/base64 is not base64.", 'Send base64, or "text".') from error
