"""A sentence with its verbs of use: whose they are, and whom they concern."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from knowgate.knowledge.extract.draft import Name
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.verbs import Form, forms

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[;,.:()|]")
_BE = frozenset("is are was were be been being gets get".split())
_NOT = frozenset("not never cannot without no".split())
_CLAUSE = frozenset("; while when whenever if because but although unless whereas so".split())
_PRONOUNS = frozenset("it this they these its which that".split())
_THIS = frozenset(
    "service microservice micro-service application component module server system app gateway project".split()
)
_BESIDE = frozenset("with at in to from on into".split())
_AND = frozenset((",", "and", "or", "&", ", and", "/", "and the", ", the", "and/or"))
_REACH, _NEAR, _BY = 140, 60, 40
_MOST = 12


class Sentence:
    def __init__(self, text: str, low: int, high: int, names: Sequence[Name], parts: Mapping[str, str]) -> None:
        self._text = text
        self._high = high
        self._names = names
        self._parts = parts
        self._tokens = [(match[0].lower(), match.start()) for match in _TOKEN.finditer(text, low, high)]
        known = forms()
        self.verbs: list[tuple[int, Form]] = [
            (index, known[word])
            for index, (word, at) in enumerate(self._tokens)
            if word in known and not self._is_named(at)
        ]

    def place_of(self, verb: int) -> int:
        return self._tokens[self.verbs[verb][0]][1]

    def subjects(self, spoken_of: str, *, item: bool) -> list[str]:
        """Whom a sentence is about that names nobody before its verb: "It uses …", "This service …", "Retrieves …"."""
        if not self.verbs:
            return []
        first, form = self.verbs[0]
        if item and self._names and self._names[0].start <= self._tokens[first][1]:
            return [self._names[0].text]
        if not spoken_of:
            return []
        opening = [word for word, _ in self._tokens[:first]]
        verb_first = form.form == "third" and (first <= 1 or opening[0].endswith("s"))
        pronoun = bool(opening) and opening[0] in _PRONOUNS
        this = any(one in ("this", "the", "these") and two in _THIS for one, two in pairwise(opening))
        return [spoken_of] if verb_first or pronoun or this else []

    def names_before(self, verb: int) -> list[str]:
        """The names that stand right before a verb, with those joined to them: Order, Shipping and Billing."""
        at = self.place_of(verb)
        since = self.place_of(verb - 1) if verb else 0
        group: list[Name] = []
        for each in reversed([name for name in self._names if since < name.end <= at and name.start >= since]):
            between = self._text[each.end : group[0].start].strip(" \n`*") if group else ""
            if group and between not in _AND:
                break
            group.insert(0, each)
        form = self.verbs[verb][1]
        near = bool(group) and at - group[-1].end < _NEAR
        # In "it belongs to team Anchor and reads the log" the team reads nothing.
        acts = form.verb == "owns" or any(each.kind != "team" for each in group)
        return [each.text for each in group] if near and acts and form.form != "ing" else []

    def is_negated(self, verb: int) -> bool:
        index = self.verbs[verb][0]
        before = (word for word, _ in self._tokens[max(index - 3, 0) : index])
        return any(word in _NOT or word.endswith(("n't", "n’t")) for word in before)

    def is_passive(self, verb: int) -> bool:
        index, form = self.verbs[verb]
        return form.form in ("past", "base") and any(word in _BE for word, _ in self._tokens[max(index - 2, 0) : index])

    def agents(self, verb: int) -> list[str]:
        """Who does it: used *by* the gateway."""
        index, until = self.verbs[verb][0], self._until(verb)
        nearby = self._tokens[index + 1 : index + 12]
        by = next((start for word, start in nearby if word == "by" and start < until), None)
        if by is None:
            return []
        return [each.text for each in self._names if by < each.start < by + _BY][:1]

    def beside(self, verb: int) -> list[str]:
        """What a passive verb ties its subject to: registered *with* the registry, stored *in* Redis."""
        after = self.verbs[verb][0] + 1
        if after >= len(self._tokens) or self._tokens[after][0] not in _BESIDE:
            return []
        return self._named_between(self._tokens[after][1], self._until(verb))[:1]

    def objects(self, verb: int) -> list[str]:
        """Whom a verb concerns: the names up to the next clause, and words that mean a part of the system."""
        at, until = self.place_of(verb), self._until(verb)
        found = self._named_between(at, until)
        if self._parts:
            words = [(word, start) for word, start in self._tokens if at < start < until]
            for (word, start), (following, _) in pairwise([*words, (".", until)]):
                part = self._parts.get(key(word))
                # In "user cart" the cart is meant; the user only says whose.
                if part and key(following) not in self._parts and not self._is_named(start):
                    found.append(part)
        return found[:_MOST]

    def _named_between(self, low: int, high: int) -> list[str]:
        return [each.text for each in self._names if low < each.start < high]

    def _until(self, verb: int) -> int:
        """How far a verb's objects can reach: to the next clause, or to the next verb."""
        index = self.verbs[verb][0]
        limit = min(self._high, self._tokens[index][1] + _REACH)
        if verb + 1 < len(self.verbs):
            limit = min(limit, self.place_of(verb + 1))
        return next((start for word, start in self._tokens[index + 1 :] if word in _CLAUSE and start < limit), limit)

    def _is_named(self, at: int) -> bool:
        return any(each.start <= at < each.end for each in self._names)
