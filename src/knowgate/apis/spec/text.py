"""Words that a description brings along reach an assistant, so nothing invisible and nothing endless may be in them."""

from __future__ import annotations

import re

from knowgate.apis.clean import clean as clean_data
from knowgate.apis.clean import clean_text
from knowgate.apis.operation import Json

LONG = 2_000
MEDIUM = 1_000
SHORT = 200
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def clean(text: object, limit: int = LONG) -> str:
    if not isinstance(text, str):
        return ""
    # What is far beyond the limit is not worth looking at, and what no reader of the page sees is not for assistants.
    plain = clean_text(text[: 2 * limit]).strip()
    while (without := _COMMENT.sub("", plain).strip()) != plain:  # taking one out may make another
        plain = without
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip() + "…"


def clean_value(value: Json) -> Json:
    """An example, without what cannot be seen in it."""
    return clean_data(value)[0]
