"""Names in running text: capitalised runs, code, links, identifiers, and nouns that say what they name."""

from __future__ import annotations

import re
from bisect import bisect_right

from knowgate.knowledge.extract.draft import Name
from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, head_kind, is_technology, kind_of, tells_kind
from knowgate.knowledge.extract.names import parts
from knowgate.knowledge.extract.runs import CAPITAL, NEXT, REST, RUN, run_names
from knowgate.knowledge.extract.words import COMMON, GENERIC, HOLLOW, ROLES, TRADES

# Every pattern begins with a set of characters, by which the engine skips to the few places worth a look.
_NAME = re.compile(
    rf"[{CAPITAL}`\[<](?:(?<=`)(?P<code>[^`\n]{{1,80}})`"
    r"|(?<=\[)(?P<link>[^\[\]]{0,120})\]\((?P<to>[^()\s]{0,300})[^()\n]{0,100}\)"
    r"|(?<=<)[^<>\n]{1,300}>"
    rf"|(?<=[{CAPITAL}])(?P<run>{REST}))"
)
_JOINT = re.compile(r"[-_][a-z0-9]+(?:[-_][a-z0-9]+)*")
_STEM = re.compile(r"[a-z][a-z0-9]*$")
_CUE = re.compile(
    r"[ \n](?:(?:micro-?|web)?service|server|gateway|database|component|module|package|team|queue|topic|broker|event)"
    r"(?![\w-])"
)
_BEFORE = re.compile(r"(?<![\w.-])([a-z][\w-]{1,30}(?:\.[a-z][\w-]{1,30}){0,3})[\"”']?$")
_ROLE = re.compile(r"[Tt]he (?:" + "|".join(sorted(ROLES)) + r")\b(?! [A-Z])")
_CODE_NAME = re.compile(r"[A-Za-z][\w.-]*(?:[ /][A-Z][\w.-]*)*$")
_FILE = re.compile(
    r"\.(?:ya?ml|json|md|java|py|js|ts|go|sh|xml|html?|css|txt|properties|toml|gradle|jar|png|svg|proto)$"
)
_PREFIXES = frozenset("micro intra inter multi single non server service client starter pre cross".split())
_TEAM = re.compile(r"\b(?:team|squad) $")
_EVENT = re.compile(r"[a-z][\w-]*(?:\.[a-z][\w-]*)+")
_MESSAGES = re.compile(
    r"\b(?:publish|emit|consum|subscrib|produc|listen|send|sent|receiv|topic|event|queue|message)\w*\b(?:[^.!?|]|\.\w)*$",
    re.I,
)
_MESSAGE = frozenset("topic topics event events queue message messages channel stream".split())
_LABELLED = re.compile(r"\n[ \t]*[A-Z][\w-]*(?: [\w-]+){0,2}:\s")
_VERSION = re.compile(r"\s+v?\d[\d.]*$")
_COMPOUND = re.compile(
    r"[ \n](?:accounts?|mesh|discovery|level|names?|url|port|side|ids?|provider|definitions?|types?)\b"
)
_ADJECTIVE = re.compile(r"-(?:based|backed|powered|side|like|style|free|ready|driven|enabled|oriented|specific)$")
_CONSTANT = re.compile(r"[A-Z0-9]+_[A-Z0-9_]+$")
_GLUE = tuple("@/#$.-_")
_LOOK_BACK, _SENTENCE = 40, 120


def find_names(text: str, start: int, end: int, lower: frozenset[str]) -> list[Name]:
    """In order of place. `lower` has the document's words in small letters: a name is not among them."""
    found: list[Name] = []
    for match in _NAME.finditer(text, start, end):
        group = match.lastgroup
        if group == "run":
            _add_capitals(found, text, match.start(), _before_label(text, *match.span()), start, lower)
        elif group == "code":
            _add_code(found, text, *match.span("code"))
        elif group == "to" and text[match.start() - 1 : match.start()] != "!":
            _add_link(found, text, *match.span("link"), lower)
    capitals = len(found)
    starts = [each.start for each in found]

    def is_free(at: int) -> bool:
        last = bisect_right(starts, at) - 1
        return last < 0 or at >= found[last].end

    for joint in _JOINT.finditer(text, start, end):
        if is_free(joint.start()):
            _add_joined(found, text, joint.start(), joint.end())
    taken = {each.end for each in found}
    for role in _ROLE.finditer(text, start, end):
        low, high = role.start() + len("the "), role.end()
        if high not in taken and is_free(low) and not text[role.start() - 1 : role.start()].isalnum():
            taken.add(high)
            found.append(Name(text[low:high], "service", low, high, 0.5))
    for cue in _CUE.finditer(text, start, end):
        if is_free(cue.start()):
            _add_cued(found, text, cue.start(), cue[0][1:], taken)
    if len(found) > capitals:
        found.sort(key=lambda each: each.start)
    return found


def _before_label(text: str, low: int, high: int) -> int:
    """A run may go on to the next line, but not into one that begins with a label."""
    label = _LABELLED.search(text, low, high + _LOOK_BACK) if text.find("\n", low, high) >= 0 else None
    return label.start() if label and label.start() < high else high


def _add_capitals(found: list[Name], text: str, low: int, high: int, begin: int, lower: frozenset[str]) -> None:
    before = text[low - 1] if low > begin else " "
    if before.islower() and before.isascii():
        # A capital inside of an identifier, as in orderService.
        stem = _STEM.search(text, max(low - _LOOK_BACK, begin), low)
        if stem and text[stem.start() - 1 : stem.start()] not in _GLUE and " " not in text[low:high]:
            _add_code(found, text, stem.start(), high, plain=True)
    elif not before.isalnum() and before not in _GLUE and not _CONSTANT.match(text, low, high):
        for start, end, confidence in run_names(text, low, high, begin, lower):
            _add(found, text, start, end, confidence)


def _add_joined(found: list[Name], text: str, low: int, high: int) -> None:
    """An identifier with a hyphen or an underscore inside, as in order-service, when it says what it is."""
    if not tells_kind(text[max(text.rfind("-", low, high), text.rfind("_", low, high)) + 1 : high]):
        return
    stem = _STEM.search(text, max(low - _LOOK_BACK, 0), low)
    if not stem:
        return
    before, after = text[stem.start() - 1 : stem.start()], text[high : high + 2]
    goes_on = after[:1].isalnum() or (after[:1] in ("@", "/", ".") and after[1:].isalnum())
    if before not in _GLUE and not before.isalnum() and not goes_on:
        _add_code(found, text, stem.start(), high, plain=True)


def _add_cued(found: list[Name], text: str, at: int, head: str, taken: set[int]) -> None:
    """A noun in small letters that a second noun makes a name: the payment service."""
    match = _BEFORE.search(text, max(at - _LOOK_BACK, 0), at)
    if not match or match.end(1) in taken:
        return
    word, low, high = match[1], *match.span(1)
    if "." in word:
        if head in _MESSAGE:
            found.append(Name(word, "queue", low, high, 0.5))
    elif head != "event" and word not in GENERIC and word not in COMMON and _is_noun(word):
        kind = head_kind(head.replace("-", "")) or "service"
        high = at + 1 + len(head) if kind == "team" else high
        found.append(Name(" ".join(text[low:high].split()), kind, low, high, 0.4))


def _is_noun(word: str) -> bool:
    """The billing service has a name, the calling service and the related service have none."""
    return word in TRADES or not word.endswith(("ing", "ed", "ly"))


def _add_code(found: list[Name], text: str, low: int, high: int, *, plain: bool = False) -> None:
    """A name written as code; `plain` when it stands among words, where it has to look the part."""
    name = text[low:high]
    if not _CODE_NAME.match(name) or _FILE.search(name) or name.lower() in COMMON:
        return
    if plain and name.islower() and kind_of(name) not in COMPONENTS:
        return
    words = parts(name)
    if len(words) < 2 or words[0] not in _PREFIXES:
        _add(found, text, low, high, 0.4)


def _add_link(found: list[Name], text: str, low: int, high: int, lower: frozenset[str]) -> None:
    said = text[low:high].strip("`*_ ")
    words = said.split()
    if not words:
        return
    low = text.find(said, low, high)
    common = any(word.lower() in COMMON or word.lower() in GENERIC for word in words)
    whole = len(words) <= 4 and "(" not in said and not common
    if whole and (kind_of(said) in COMPONENTS or all(word[0].isupper() for word in words)):
        _add(found, text, low, low + len(said), 0.5)
        return
    for match in RUN.finditer(text, low, low + len(said)):
        for start, end, confidence in run_names(text, *match.span(), low, lower):
            _add(found, text, start, end, confidence)


def _add(found: list[Name], text: str, low: int, high: int, confidence: float) -> None:
    """What follows may say what it is: the Order *microservice*."""
    version = _VERSION.search(text, low, high) if text[high - 1].isdigit() else None
    if version and is_technology(text[low : version.start()]):
        high = version.start()
    name = " ".join(text[low:high].split())
    if name.lower() in HOLLOW or ("-" in name and _ADJECTIVE.search(name)):
        return
    kind: Kind = "concept" if "_" in name and name.isupper() else kind_of(name)
    following = NEXT.match(text, high)
    if "." in name and _EVENT.fullmatch(name):
        if (following and following[1] in _MESSAGE) or _MESSAGES.search(text, max(low - _SENTENCE, 0), low):
            kind, confidence = "queue", max(confidence, 0.5)
    elif is_technology(name):
        confidence = max(confidence, 0.5) if kind in ("database", "queue") else confidence
    else:
        head = head_kind(following[1]) if following else None
        if following and head and not _COMPOUND.match(text, following.end()):
            kind = kind if kind in COMPONENTS else head
            confidence = max(confidence, 0.6)
            high = following.end(1) if head == kind == "team" else high
        elif kind == "concept" and (team := _TEAM.search(text, max(low - 6, 0), low)):
            kind, confidence, low = "team", max(confidence, 0.6), team.start()
        elif kind in COMPONENTS or kind == "team":
            confidence = max(confidence, 0.5)
    # "The Falcon team" is no falcon, and no Falcon service either.
    found.append(Name(" ".join(text[low:high].split()), kind, low, high, confidence))
