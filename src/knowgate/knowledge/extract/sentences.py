"""A stretch of text, sentence by sentence: who is spoken of, and what is said of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from knowgate.knowledge.extract.clauses import Object, Sentence, is_means
from knowgate.knowledge.extract.draft import GUESSED, NAMED, TOGETHER, Draft, Name
from knowgate.knowledge.extract.kinds import COMPONENTS
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.verbs import forms

_BREAK = re.compile(
    r"[.!?\n](?:(?<=[.!?])[\"'”)\]]{0,3}[ \n]+(?=\W{0,3}[A-Z])|(?<=\n)[ \t]*(?:\n|(?=[-*+•][ ]|\d{1,3}[.)][ ]"
    r"|[A-Z][\w-]*(?: [\w-]+){0,2}:[ ])))"
)
_LONGEST = 1000
"""What is longer is no sentence."""
_MOST = 12
_NEAR = 3
_FIRM = 0.45
_OPEN = re.compile(r"\W*(?:TODO|FIXME|TBD|Should we)\b", re.I)
_ARROWS = frozenset(("->", "-->", "→", "⟶"))


def sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for gap in _BREAK.finditer(text, start, end):
        found.append((start, gap.start()))
        start = gap.end()
    found.append((start, end))
    return found


def read_sentences(
    draft: Draft, text: str, start: int, end: int, names: Sequence[Name], subject: str, parts: Mapping[str, str]
) -> None:
    """`subject` is whom "it" means at first; `parts` are those of the system by key, which plain words may mean."""
    starts = [each.start for each in names]
    verbs = forms().keys()
    spoken_of = subject
    arrows = any(text.find(each, start, end) >= 0 for each in ("->", "→"))
    for low, high in sentences(text, start, end):
        inside = names[bisect_left(starts, low) : bisect_left(starts, high)]
        item = text[low : low + 2].strip() in ("-", "*", "+", "•")
        if item:
            spoken_of = subject
        # Most sentences have no such verb, and to find that out is cheap.
        worth_it = (inside or (spoken_of and parts)) and high - low <= _LONGEST and _is_stated(text, low, high)
        if worth_it and not verbs.isdisjoint(text[low:high].lower().split()):
            sentence = Sentence(text, low, high, inside, parts)
            weak = {each.text for each in inside if _is_weak(each) and key(each.text) not in parts}
            spoken_of = _read(draft, sentence, spoken_of, weak, item=item) or spoken_of
        elif worth_it and any(each.kind in COMPONENTS and is_means(text, each.start) for each in inside):
            spoken_of = _read_means(draft, Sentence(text, low, high, inside, parts), spoken_of, low) or spoken_of
        elif inside and item:
            spoken_of = inside[0].text
        for at, one in enumerate(inside[:_MOST]):
            for two in inside[at + 1 : at + 1 + _NEAR]:
                drawn = arrows and text[one.end : two.start].strip("`*_ \n[]") in _ARROWS
                draft.link(one.text, two.text, "uses" if drawn else None, one.start, NAMED if drawn else TOGETHER)


def _is_weak(name: Name) -> bool:
    """A word in code or at a sentence's beginning, which may be a parameter or no name at all."""
    return name.kind == "concept" and name.confidence < _FIRM


def _is_stated(text: str, low: int, high: int) -> bool:
    """Questions and plans state nothing."""
    return not text[low : high + 1].rstrip().endswith("?") and not _OPEN.match(text, low, high)


def _read(draft: Draft, sentence: Sentence, spoken_of: str, weak: set[str], *, item: bool) -> str:
    """Links what the sentence relates; returns whom the next one's "it" means."""
    if not sentence.verbs:
        return ""
    subjects = sentence.subjects(spoken_of, item=item)
    for place in range(len(sentence.verbs)):
        before = sentence.names_before(place)
        if before:
            subjects = before
        if sentence.is_negated(place):
            continue
        sources, targets = subjects, sentence.objects(place, spoken_of)
        if sentence.is_passive(place):
            agents = sentence.agents(place)
            if agents:
                sources, targets = agents, [Object(each, means=False) for each in subjects]
            elif before:
                targets = sentence.beside(place)
            else:
                sources = subjects = subjects or ([spoken_of] if spoken_of else [])
        _, form = sentence.verbs[place]
        for source in sources:
            for target in targets:
                sure = GUESSED if source in weak or target.name in weak else NAMED
                verb = "uses" if target.means and form.verb in ("produces", "consumes") else form.verb
                lemma = form.lemma if verb == form.verb else ""
                draft.link(source, target.name, verb, sentence.place_of(place), sure, lemma=lemma)
    # Several are not "it".
    return subjects[0] if len(subjects) == 1 else ""


def _read_means(draft: Draft, sentence: Sentence, spoken_of: str, at: int) -> str:
    sources, targets = sentence.means(spoken_of)
    for source in sources:
        for target in targets:
            draft.link(source, target, "uses", at, NAMED)
    return sources[0] if len(sources) == 1 else ""
