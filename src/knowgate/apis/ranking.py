"""Which operations are meant: what the index found, weighed against their names and what the request wants done.

A passage about issues says the word twenty times whatever is done with them; what is done stands in the verb, which
rarely is the description's own word, and in the method.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from knowgate.apis.compiled import Entry
from knowgate.store.words import STOP_WORDS, query_terms, text_terms

Deed = Literal["look", "make", "change", "remove", "act"]
_VERBS: dict[Deed, frozenset[str]] = {
    "look": frozenset(
        "list show get find search read view see display fetch look lookup download compare check count describe give "
        "tell what which who whom whose how where when is are has have does do did can".split()
    ),
    "make": frozenset("create add new open make publish post invite upload insert register start write".split()),
    "change": frozenset("update change edit rename modify set replace close reopen mark move assign put".split()),
    "remove": frozenset("delete remove drop erase clear destroy uninstall detach".split()),
}
_METHODS: dict[Deed, Mapping[str, float]] = {
    "look": {"GET": 1.0, "HEAD": 0.6},
    "make": {"POST": 1.0, "PUT": 0.8, "PATCH": 0.2},
    "change": {"PATCH": 1.0, "PUT": 1.0, "POST": 0.6},
    "remove": {"DELETE": 1.0, "POST": 0.2},
    "act": {"POST": 1.0, "PUT": 1.0, "PATCH": 0.8, "DELETE": 0.5},
}
_TELLING = frozenset(
    "search download compare check count publish post invite upload register start rename replace close reopen mark "
    "move assign".split()
)
_KNOWN = frozenset[str]().union(*_VERBS.values()) - _TELLING
"""Verbs that say no more than the method does."""
_BEFORE_THINGS = frozenset("a an the my our your this that these those all on to for with from up out in".split())
_MINE = frozenset("my me i mine myself".split())
_HOLLOW = frozenset("all any some every each somebody someone something am".split())
_SAME: Mapping[str, str] = {
    **dict.fromkeys(("repo", "repos", "repositories"), "repository"),
    **dict.fromkeys(("org", "orgs", "organisation", "organisations", "organizations"), "organization"),
    **dict.fromkeys(("person", "people", "colleague", "colleagues", "user's"), "user"),
    **dict.fromkeys(("env", "envs", "environments"), "environment"),
    **dict.fromkeys(("config", "configs", "configurations"), "configuration"),
    **dict.fromkeys(("app", "apps", "applications"), "application"),
    **dict.fromkeys(("info", "details"), "information"),
    **dict.fromkeys(("pic", "photo", "picture"), "image"),
    **dict.fromkeys(("prs", "pr"), "pull request"),
}
"""Short and everyday words for what descriptions call otherwise."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[A-Za-z']+|\d+")
_BEGINNING = 6
_SURE, _FITS = 4, 0.5
_OWN_WORDS = "authenticated current self viewer"
_ONE = frozenset("a an one this".split())
_FOUND, _NAMED, _DONE, _OWN, _VERB, _SHAPE, _DEEP, _OLD = 0.23, 0.79, 0.64, 0.12, 0.1, 0.06, 0.044, 0.6
"""How much counts what the index found, the name, the method, whose it is, the verb itself, one or many, the depth of
the path, and that it should not be used any more; fitted on half of the requests of `python -m bench.operations`."""


class Ranker:
    """Built once for a catalogue: the words of its names, and how rare they are."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._names = {entry.id: _terms(f"{entry.summary} {entry.id} {entry.path}") for entry in entries}
        counts = Counter(term for name in self._names.values() for term in name)
        self._rare = {term: math.log(1 + len(entries) / count) for term, count in counts.items()}
        self._strange = max(self._rare.values(), default=1.0)
        self._verbs = frozenset(_first(text) for entry in entries for text in (entry.id, entry.summary) if _acts(entry))

    def __call__(
        self, query: str, found: Mapping[str, float], meant: Mapping[str, float], among: Sequence[Entry]
    ) -> list[Entry]:
        """The best first; those that have nothing to do with the request are left out.

        `found` has the index's scores by id, `meant` those by meaning alone.
        """
        request = _Request([word.lower() for word in _WORD.findall(query)], self._verbs)
        best = max(found.values(), default=0.0) or 1.0
        scores: dict[str, float] = {}
        for entry in among:
            own = request.own & self._names[entry.id]
            named = self._overlap(request.things | (own and own | request.user), self._names[entry.id])
            if named or entry.id in found or entry.id in meant:
                scores[entry.id] = (
                    _FOUND * found.get(entry.id, 0.0) / best
                    + _NAMED * named
                    + _OWN * bool(own)
                    + request.fits(entry, bool(named))
                )
        ranked = sorted((entry for entry in among if entry.id in scores), key=lambda entry: -scores[entry.id])
        return _with_meant(ranked, meant or found, request)

    def _overlap(self, wanted: frozenset[int], name: frozenset[int]) -> float:
        """How much of the request is in the name, and how much of the name was asked for, as one number."""
        common = sum(self._rare[term] for term in wanted & name)
        if not common:
            return 0.0
        recall = common / sum(self._rare.get(term, self._strange) for term in wanted)
        precision = common / sum(self._rare[term] for term in name)
        return 2 * recall * precision / (recall + precision)


class _Request:
    def __init__(self, words: Sequence[str], verbs: frozenset[str]) -> None:
        self._words = words
        said = deed_of(words, verbs)
        self._said = said is not None
        self._deed: Deed = said or "look"
        self._many = words[:1] == ["list"] or "all" in words
        self._one = not self._many and not _ONE.isdisjoint(words)
        mine = not _MINE.isdisjoint(words)
        self.own = _terms(_OWN_WORDS) if mine else frozenset[int]()
        self.user = _terms("user")
        self.things = _things(words, mine)

    def does(self, entry: Entry) -> float:
        return _METHODS[self._deed].get(entry.method, 0.0)

    def fits(self, entry: Entry, named: bool) -> float:
        """By what is done, to one or to many. Who says no verb rather looks, but at what he named."""
        one = entry.path.endswith("}")
        shape = self._deed == "look" and ((self._many and not one) or (self._one and one))
        return (
            _DONE * self.does(entry) * (self._said or named)
            + _VERB * (self._words[:1] != [] and self._words[0] in entry.id.lower())
            + _SHAPE * shape
            - _DEEP * entry.path.count("/")
            - _OLD * entry.deprecated
        )


def _with_meant(ranked: list[Entry], meant: Mapping[str, float], request: _Request) -> list[Entry]:
    """Meaning knows what names do not say: its best is among the first five, if it does what is wanted."""
    fitting = [entry for entry in ranked[_SURE:] if entry.id in meant and request.does(entry) >= _FITS]
    best = max(fitting, key=lambda entry: meant[entry.id], default=None)
    if best is None:
        return ranked
    return [*ranked[:_SURE], best, *(entry for entry in ranked[_SURE:] if entry is not best)]


def deed_of(words: Sequence[str], own: frozenset[str] = frozenset()) -> Deed | None:
    """What is to be done, none when only things are named. `own` are verbs of the API itself, such as cancel."""
    for deed, verbs in _VERBS.items():
        if words and words[0] in verbs:
            return deed
    imperative = len(words) > 1 and words[1] in _BEFORE_THINGS
    return "act" if imperative or own.intersection(words[:1]) else None


def _acts(entry: Entry) -> bool:
    return entry.method not in _METHODS["look"]


def _first(text: str) -> str:
    return next(iter(_WORD.findall(_HUMP.sub(" ", text).lower())), "")


def _things(words: Sequence[str], mine: bool) -> frozenset[int]:
    """What it is about, without the verb. Who asks for nothing but himself means his account."""
    things = [_SAME.get(word, word) for word in words if word not in _KNOWN | _HOLLOW | _MINE]
    if not things and mine:
        return _terms(f"user {_OWN_WORDS}")
    return _terms(" ".join(things)) or frozenset(query_terms(" ".join(words)))


def _terms(text: str) -> frozenset[int]:
    words = _WORD.findall(_HUMP.sub(" ", text).lower())
    words = [_SAME.get(word, word) for word in words if word not in STOP_WORDS and word not in _KNOWN]
    # Stems know little of what a word was made of: assign and assignees.
    words += [word[:_BEGINNING] for word in words if len(word) > _BEGINNING]
    return frozenset(text_terms(" ".join(words)))
