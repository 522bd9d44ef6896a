"""Capitalised runs: where a name begins and ends among large letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowgate.knowledge.extract.kinds import head_kind
from knowgate.knowledge.extract.words import COMMON, DATES, DETERMINERS, INSTITUTIONS, INSTRUCTIONS, LABELS, NOUNS

CAPITAL = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u017f\u0391-\u03a9\u0410-\u042f"
_INSIDE = r"\w*(?:[’'.&/+-](?!s\b)\w+)*[+#]*"
_STOP = rf"\.(?=[ \n][{CAPITAL}])"
_PART = rf"(?:[A-Z]|Mr|Ms|Mrs|Dr|St|Sen|Rep|Gov|Prof|Gen|Col|Lt|Capt|Rev){_STOP}|[{CAPITAL}]{_INSIDE}"
_MORE = rf"(?:[ \n](?:(?:of|de|di|van|von|del|la)[ \n](?:the[ \n])?)?(?:{_PART}|\d{{1,3}}(?:\.\d+)*\b))*"
REST = rf"(?:(?:r|s|rs|t|en|ep|ov|rof|ol|apt|ev)?{_STOP}|{_INSIDE}){_MORE}"
"""What follows a run's first letter."""
RUN = re.compile(rf"(?:{_PART}){_MORE}")
NEXT = re.compile(r"[`*\"”')]*[ \n]+(?:micro-)?([a-z]+)")
"""The word in small letters that follows a name."""
_LONGEST = 120
_TOKEN = re.compile(r"\S+")
_OPENING = ".!?:|-*•>"
_AFTER_NAME = frozenset("is was has had can could will would should must may might does did and or".split())
_ENDINGS = ("ing", "ly", "ed", "tion", "ment", "ness")
Span = tuple[int, int]


def run_names(text: str, low: int, high: int, begin: int, lower: frozenset[str]) -> Iterator[tuple[int, int, float]]:
    """The names in a run: where, and how sure. `lower` has the document's words that stand in small letters."""
    if high - low > _LONGEST:
        return
    opens = _opens(text, low, begin)
    run = text[low:high]
    if " " not in run and "\n" not in run:
        small = run.lower()
        high -= run[-1] == "."
        if (
            high - low > 1
            and small not in COMMON
            and small not in DATES
            and not (opens and _is_plain(text, low, high, lower))
        ):
            yield low, high, 0.3 if opens else 0.45
        return
    words = _trimmed(text, [(match.start() + low, match.end() + low) for match in _TOKEN.finditer(run)], opens=opens)
    for part in _split_at_of(text, words):
        start, end = part[0][0], part[-1][1]
        if text[end - 1] == "." and "." not in text[start : end - 1]:
            end -= 1
        first = opens and start == low
        if len(part) > 1 or (end - start > 1 and not (first and _is_plain(text, start, end, lower))):
            yield start, end, 0.3 if first and len(part) == 1 else 0.45


def _opens(text: str, low: int, begin: int) -> bool:
    """Whether a sentence begins here, so that a large letter says nothing."""
    before = text[max(begin, low - 6) : low].rstrip(" \t\n\"'([_“‘")
    return not before or before[-1] in _OPENING


def _trimmed(text: str, words: list[Span], *, opens: bool) -> list[Span]:
    """Without the words that a sentence or a date has put before the name."""
    first = 0
    while first < len(words):
        word = text[slice(*words[first])]
        alone = first + 1 == len(words) or not text[words[first + 1][0]].isupper()
        if not _is_outside(word, alone=alone, opens=opens and first == 0):
            break
        first += 1
    last = len(words)
    while last > first and (text[slice(*words[last - 1])].lower() in DATES or text[words[last - 1][0]].islower()):
        last -= 1
    return words[first:last]


def _is_outside(word: str, *, alone: bool, opens: bool) -> bool:
    small = word.lower()
    if small in DATES or small in DETERMINERS or not word[0].isupper():
        return True
    if small in COMMON:
        return alone or (opens and small not in NOUNS)
    return opens and not alone and (small in INSTRUCTIONS or small.endswith("ly"))


def _split_at_of(text: str, words: list[Span]) -> Iterator[list[Span]]:
    """Virginia Towle of Wallingford is two names; University of Vienna and Bank of New York are one."""
    begin = 0
    for at, span in enumerate(words):
        if at - begin > 1 and text[slice(*span)] == "of" and text[slice(*words[at - 1])].lower() not in INSTITUTIONS:
            after = at + 2 if text[slice(*words[at + 1])] == "the" else at + 1
            if text[words[after][0]].isupper():
                yield words[begin:at]
                begin = after
    if words:
        yield words[begin:]


def _is_plain(text: str, low: int, high: int, lower: frozenset[str]) -> bool:
    """A common word that is large only because a sentence begins."""
    word = text[low:high]
    small = word.lower()
    if small in lower or small in LABELS:
        return True
    if not word[1:].islower():
        return False
    match = NEXT.match(text, high)
    following = match[1] if match else ""
    if head_kind(following) == "team":
        return False
    if small.endswith("s") and not small.endswith(("ss", "us", "is")) and following:
        # "Retrieves the cart" begins with its verb, "Uploads are" with a plural, "Jenkins is" with a name.
        return following not in _AFTER_NAME and head_kind(following) is None
    # "Sort the orders" begins with a verb.
    return small.endswith(_ENDINGS) or following in DETERMINERS
