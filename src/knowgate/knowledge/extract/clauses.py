"""A sentence with its verbs of use: whose they are, and whom they concern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from knowgate.knowledge.extract.draft import Name
from knowgate.knowledge.extract.kinds import COMPONENTS, is_technology, only_serves
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.verbs import RESPONSIBLE, Form, forms

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[;,.:()|]")
_BE = frozenset("is are was were be been being gets get".split())
_NOT = frozenset("not never cannot without no could might would couldn't".split())
_CLAUSE = frozenset("; which who while when whenever if because but although unless whereas so".split())
_PRONOUNS = frozenset("it this they these its which that".split())
_WHICH = frozenset("which that who".split())
_THIS = frozenset(
    "service microservice micro-service application component module server system app gateway project".split()
)
_BESIDE = frozenset("with at in to from on into".split())
_AND = frozenset((",", "and", "or", "&", ", and", "/", "and the", ", the", "and/or"))
_JOINS = frozenset((",", "and", "or", "but", "then"))
_ADVERBS = frozenset("also then only just still now always".split())
_BEFORE_VERB = frozenset("to can may must shall should will do does did we you they i which that who both all".split())
_BEFORE_NOUN = frozenset(
    "a an the its their our your these those this of for in into by with from per every each all some".split()
)
_AFTER_NOUN = _BE | frozenset("come go arrive live flow run can will must may have has do should".split())
_REACHED = re.compile(
    r"\b(?:(with|through|via|using|against)|over|in|from|into|on|at)(?:\s(?:the|an?|its|our))?\s[`*\[(]*$", re.I
)
_KIND_OF = re.compile(r"^[`*\])]*\s\((?:an? )?$")
_PARENTHESIS = re.compile(r"\([^()]*$")
_APPOSITION = re.compile(r"^[`*)\]]*,\san?\s[^,;.]{0,25}$")
_INSTEAD = re.compile(r"\b(?:instead of|rather than|not|without|except|unlike)(?:\s(?:the|an?))?\s[`*\[]*$")
_REACH, _NEAR, _BY, _LOOK_BACK = 140, 60, 40, 24
_MOST = 12


class Object(NamedTuple):
    name: str
    means: bool
    """Reached "through" or "with" it: whatever the verb says, it is used."""


class Sentence:
    def __init__(self, text: str, low: int, high: int, names: Sequence[Name], parts: Mapping[str, str]) -> None:
        self._text = text
        self._low = low
        self._high = high
        self._names = names
        self._parts = parts
        self._tokens = [(match[0].lower(), match.start()) for match in _TOKEN.finditer(text, low, high)]
        known = forms()
        self.verbs: list[tuple[int, Form]] = []
        for index, (word, at) in enumerate(self._tokens):
            if word in known and not self._is_named(at) and self._acts(index, known[word]):
                self.verbs.append((index, known[word]))

    def _acts(self, index: int, form: Form) -> bool:
        """Whether it is a verb here: requests, reports, routes and maps may be nouns."""
        before = [word for word, _ in self._tokens[max(index - 3, 0) : index]]
        last = before[-1] if before else ""
        if form.form == "third":
            after = self._tokens[index + 1][0] if index + 1 < len(self._tokens) else ""
            object_of = bool(self.verbs) and self.verbs[-1][0] == index - 1
            noun = object_of or last in _BEFORE_NOUN or after in _AFTER_NOUN
            return form.lemma == RESPONSIBLE or not noun
        if form.form != "base" or not before:
            return True
        if last in _BE:
            return form.lemma == "read"
        if last in _BEFORE_NOUN:
            return False
        plural = last.endswith("s") and not last.endswith("ss") and last not in _BE
        goes_on = bool(self.verbs) and self.verbs[-1][1].form == "base" and last in _JOINS
        return plural or goes_on or not _BEFORE_VERB.isdisjoint(before) or self._follows_several(index)

    def _follows_several(self, index: int) -> bool:
        at = self._tokens[index][1]
        names = [each for each in self._names if each.end <= at]
        return (
            len(names) > 1
            and not self._text[names[-1].end : at].strip(" \n`*")
            and self._between(names[-2], names[-1]) in _AND
        )

    def place_of(self, verb: int) -> int:
        return self._tokens[self.verbs[verb][0]][1]

    def subjects(self, spoken_of: str, *, item: bool) -> list[str]:
        """Whom a sentence is about that names nobody before its verb: "It uses …", "This service …", "Retrieves …"."""
        if item and self._names and (not self.verbs or self._names[0].start <= self.place_of(0)):
            return [self._names[0].text]
        if not spoken_of:
            return []
        first, form = self.verbs[0] if self.verbs else (len(self._tokens), None)
        opening = [word for word, _ in self._tokens[:first]]
        verb_first = form is not None and (
            (form.form == "third" and (first <= 1 or opening[0].endswith("s"))) or (form.form == "past" and first == 0)
        )
        pronoun = bool(opening) and opening[0] in _PRONOUNS
        this = any(
            one in ("this", "the", "these") and two in _THIS and before not in _BEFORE_NOUN
            for before, one, two in zip(["", *opening], opening, opening[1:], strict=False)
        )
        return [spoken_of] if verb_first or pronoun or this else []

    def names_before(self, verb: int) -> list[str]:
        """The names that a verb has for its subject, with those joined to them: Order, Shipping and Billing."""
        at, form = self.place_of(verb), self.verbs[verb][1]
        if form.form == "ing":
            return []
        since = self.place_of(verb - 1) if verb else self._low
        joined = self._is_joined(verb)
        if not (joined and verb):
            groups = [
                [each for each in group if self._may(each, form)]
                for group in self._groups(since, at)
                if not self._is_aside(group[0])
            ]
            # "Dispatch asks with A and reads": whoever stands first does both.
            fitting = [group for group in groups if group]
            if fitting and (joined or at - fitting[-1][-1].end < _NEAR):
                return [each.text for each in fitting[0 if joined else -1]]
        return self._referred_to(since, at, form)

    def _groups(self, since: int, at: int) -> list[list[Name]]:
        """Names between two places, those together that are joined."""
        groups: list[list[Name]] = []
        for each in self._names:
            if since <= each.start and each.end <= at:
                joint = self._between(groups[-1][-1], each) if groups else ""
                # "In the cart, the worker" names two things that are not joined.
                if joint in _AND and not (joint == ", the" and self._is_aside(groups[-1][0])):
                    groups[-1].append(each)
                else:
                    groups.append([each])
        return groups

    def _referred_to(self, since: int, at: int, form: Form) -> list[str]:
        """Whom "which" means: the name before it, or the one that has this in apposition."""
        which = next((place for word, place in reversed(self._tokens) if word in _WHICH and since < place < at), None)
        before = [each for each in self._names if which is not None and since <= each.start and each.end <= which]
        if which is None or not before or which - before[-1].end > _BY:
            return []
        while len(before) > 1 and _APPOSITION.match(self._between_all(before[-2], before[-1])):
            before.pop()
        return [before[-1].text] if self._may(before[-1], form) else []

    def _is_joined(self, verb: int) -> bool:
        """In "calls Billing and writes to Redis" the second verb has the subject of the first."""
        index = self.verbs[verb][0] - 1
        while index > 0 and (self._tokens[index][0] in _ADVERBS or self._tokens[index][0].endswith("ly")):
            index -= 1
        return index > 0 and self._tokens[index][0] in _JOINS and not self._is_named(self._tokens[index][1])

    def _may(self, name: Name, form: Form) -> bool:
        """Teams own and do no more; protocols, languages and events do nothing."""
        if name.kind == "team" or form.lemma == RESPONSIBLE:
            return name.kind == "team" and form.verb == "owns"
        event = name.kind == "queue" and "." in name.text
        return not event and not only_serves(name.kind, name.text)

    def _is_aside(self, name: Name) -> bool:
        """Reached by a preposition, in parentheses, or an apposition to the name before it."""
        begin = max(name.start - _LOOK_BACK, self._low)
        if any(each.search(self._text, begin, name.start) for each in (_REACHED, _PARENTHESIS)):
            return True
        at = self._names.index(name)
        return at > 0 and bool(_APPOSITION.match(self._between_all(self._names[at - 1], name)))

    def is_negated(self, verb: int) -> bool:
        index = self.verbs[verb][0]
        before = [word for word, _ in self._tokens[max(index - 3, 0) : index]]
        return any(word in _NOT or word.endswith(("n't", "n’t")) for word in before) or before[-2:] == ["should", "we"]

    def is_passive(self, verb: int) -> bool:
        index, form = self.verbs[verb]
        if form.lemma == "belong" or (form.form == "past" and self._word(index + 1) == "by"):
            return True
        return form.form in ("past", "base") and any(word in _BE for word, _ in self._tokens[max(index - 2, 0) : index])

    def agents(self, verb: int) -> list[str]:
        """Who does it: used *by* the gateway, belongs *to* the team."""
        (index, form), until = self.verbs[verb], self._until(verb)
        mark = "to" if form.lemma == "belong" else "by"
        nearby = self._tokens[index + 1 : index + 12]
        by = next((start for word, start in nearby if word == mark and start < until), None)
        if by is None:
            return []
        return [each.text for each in self._names if by < each.start < by + _BY][:1]

    def beside(self, verb: int) -> list[Object]:
        """What a passive verb ties its subject to: registered *with* the registry, stored *in* Redis."""
        after = self.verbs[verb][0] + 1
        if self._word(after) not in _BESIDE:
            return []
        return list(self._named_between(self._tokens[after][1], self._until(verb)))[:1]

    def objects(self, verb: int, spoken_of: str) -> list[Object]:
        """Whom a verb concerns: the names up to the next clause, and words that mean a part of the system."""
        (index, _), at, until = self.verbs[verb], self.place_of(verb), self._until(verb)
        found = list(self._named_between(at, until))
        if not found and spoken_of and "it" in (self._word(index + 1), self._word(index + 2)):
            return [Object(spoken_of, means=False)]
        if self._parts:
            words = [(word, start) for word, start in self._tokens if at < start < until]
            for (word, start), (following, _) in pairwise([*words, (".", until)]):
                part = self._parts.get(key(word))
                # In "user cart" the cart is meant; the user only says whose.
                if part and key(following) not in self._parts and not self._is_named(start):
                    found.append(Object(part, means=False))
        return found[:_MOST]

    def means(self, spoken_of: str) -> tuple[list[str], list[str]]:
        """Of a sentence without any verb we know: who does something, and with, through or against whom."""
        reached = [each for each in self._names if each.kind in COMPONENTS and is_means(self._text, each.start)]
        if not reached or self.verbs:
            return [], []
        form = Form("use", "uses", "third")
        sources = self.subjects(spoken_of, item=False)
        groups = self._groups(self._low, reached[0].start)
        if groups and groups[0][0].start < self._low + _LOOK_BACK and self._does(groups[0]):
            sources = [each.text for each in groups[0] if self._may(each, form)]
        return sources, [each.text for each in reached]

    def _does(self, group: Sequence[Name]) -> bool:
        """Whether a verb follows: "asks" behind one name, "ask" behind several."""
        word = next((word for word, start in self._tokens if start >= group[-1].end), "")
        return word.isalpha() and word not in _AND and word not in _BE and (word.endswith("s") or len(group) > 1)

    def _named_between(self, low: int, high: int) -> Iterator[Object]:
        for each in self._names:
            if low < each.start < high and not self._is_left_out(each):
                means = is_means(self._text, each.start) or only_serves(each.kind, each.text)
                yield Object(each.text, means)

    def _is_left_out(self, name: Name) -> bool:
        """After "instead of"; or a product that only says what the name before it is: `orders-db` (PostgreSQL)."""
        if _INSTEAD.search(self._text, max(name.start - _LOOK_BACK, self._low), name.start):
            return True
        at = self._names.index(name)
        before = self._between_all(self._names[at - 1], name) if at else ""
        return is_technology(name.text) and bool(_KIND_OF.match(before) or _APPOSITION.match(before))

    def _until(self, verb: int) -> int:
        """How far a verb's objects can reach: to the next clause, or to the next verb."""
        index = self.verbs[verb][0]
        limit = min(self._high, self._tokens[index][1] + _REACH)
        if verb + 1 < len(self.verbs):
            limit = min(limit, self.place_of(verb + 1))
        return next((start for word, start in self._tokens[index + 1 :] if word in _CLAUSE and start < limit), limit)

    def _word(self, index: int) -> str:
        return self._tokens[index][0] if index < len(self._tokens) else ""

    def _between(self, one: Name, two: Name) -> str:
        return self._between_all(one, two).strip(" \n`*")

    def _between_all(self, one: Name, two: Name) -> str:
        return self._text[one.end : two.start]

    def _is_named(self, at: int) -> bool:
        return any(each.start <= at < each.end for each in self._names)


def is_means(text: str, at: int) -> bool:
    """Whether what stands here is what something is done with, through or against."""
    found = _REACHED.search(text, max(at - _LOOK_BACK, 0), at)
    return found is not None and found[1] is not None
