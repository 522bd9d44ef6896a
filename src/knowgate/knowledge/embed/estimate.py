"""How many tokens a text is to a model whose tokenizer we do not have."""

from __future__ import annotations

import re

# What one token holds at most, on average over the usual vocabularies: a short Latin word or half a long one,
# three digits, one Chinese, Japanese or Thai character, three letters of other scripts, one mark.
_TOKEN = re.compile(
    r"[A-Za-z]{1,7}|[0-9]{1,3}|[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0002fa1f]|[^\W\d_]{1,3}|\S"
)


def estimate_tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


def cut_to_tokens(text: str, limit: int) -> str:
    """The beginning of the text that is estimated at no more than `limit` tokens."""
    if len(text) <= limit:
        return text
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number == limit:
            return text[: token.start()].rstrip()
    return text
