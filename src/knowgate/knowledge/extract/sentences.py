"""A stretch of text, sentence by sentence: who is spoken of, and what is said of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from knowgate.knowledge.extract.clauses import Sentence
from knowgate.knowledge.extract.draft import GUESSED, NAMED, TOGETHER, Draft, Name
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.verbs import forms

_BREAK = re.compile(
    r"[.!?\n](?:(?<=[.!?])[\"'”)\]]{0,3}[ \n]+(?=\W{0,3}[A-Z])|(?<=\n)[ \t]*(?:\n|(?=[-*+•][ ]|\d{1,3}[.)][ ])))"
)
_LONGEST = 1000
"""What is longer is no sentence."""
_MOST = 12
_NEAR = 3
_FIRM = 0.45
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
        worth_it = (inside or (spoken_of and parts)) and high - low <= _LONGEST
        if worth_it and not verbs.isdisjoint(text[low:high].lower().split()):
            sentence = Sentence(text, low, high, inside, parts)
            weak = {each.text for each in inside if _is_weak(each) and key(each.text) not in parts}
            spoken_of = _read(draft, sentence, spoken_of, weak, item=item) or spoken_of
        elif inside and item:
            spoken_of = inside[0].text
        for at, one in enumerate(inside[:_MOST]):
            for two in inside[at + 1 : at + 1 + _NEAR]:
                drawn = arrows and text[one.end : two.start].strip("`*_ \n[]") in _ARROWS
                draft.link(one.text, two.text, "uses" if drawn else None, one.start, NAMED if drawn else TOGETHER)


def _is_weak(name: Name) -> bool:
    """A word in code or at a sentence's beginning, which may be a parameter or no name at all."""
    return name.kind == "concept" and name.confidence < _FIRM


def _read(draft: Draft, sentence: Sentence, spoken_of: str, weak: set[str], *, item: bool) -> str:
    """Links what the sentence relates; returns whom the next one's "it" means."""
    subjects = sentence.subjects(spoken_of, item=item)
    for place in range(len(sentence.verbs)):
        if sentence.is_negated(place):
            continue
        before = sentence.names_before(place)
        if before:
            subjects = before
        sources, targets = subjects, sentence.objects(place)
        if sentence.is_passive(place):
            agents = sentence.agents(place)
            if agents:
                sources, targets = agents, subjects
            elif before:
                targets = sentence.beside(place)
            else:
                sources = subjects = subjects or ([spoken_of] if spoken_of else [])
        _, form = sentence.verbs[place]
        for source in sources:
            for target in targets:
                sure = GUESSED if source in weak or target in weak else NAMED
                draft.link(source, target, form.verb, sentence.place_of(place), sure, lemma=form.lemma)
    return subjects[0] if subjects else ""
