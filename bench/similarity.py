"""How alike two texts are, word by word, whatever their markup."""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TARGET = re.compile(r"\]\([^)\s]*(?:\s\"[^\"]*\")?\)")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")


def words(text: str) -> list[str]:
    """The words a reader sees: no comments, no link targets, no escapes; scripts without spaces by character."""
    text = _TARGET.sub("] ", _COMMENT.sub(" ", text)).replace("\\", "")
    return _WORD.findall(html.unescape(text).casefold())


def word_f1(found: Sequence[str], expected: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over the bags of words."""
    shared = (Counter(found) & Counter(expected)).total()
    return 2 * shared / (len(found) + len(expected)) if found or expected else 1.0


def order_ratio(found: Sequence[str], expected: Sequence[str]) -> float:
    """The same over the longest common subsequence: words in another order do not count."""
    shared = common_length(found, expected)
    return 2 * shared / (len(found) + len(expected)) if found or expected else 1.0


def common_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence, one bit per word of `left`, so that long texts stay cheap."""
    places: defaultdict[str, int] = defaultdict(int)
    for place, word in enumerate(left):
        places[word] |= 1 << place
    everywhere = (1 << len(left)) - 1
    open_places = everywhere
    for word in right:
        hits = open_places & places[word]
        open_places = ((open_places + hits) | (open_places - hits)) & everywhere
    return len(left) - open_places.bit_count()
