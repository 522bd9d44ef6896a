"""Verbs that say how one thing relates to another."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from knowgate.knowledge.extract.kinds import Verb

_VERBS: dict[Verb, str] = {
    "uses": "use call invoke query access contact request leverage connect talk communicate interact delegate forward"
    " route proxy redirect orchestrate coordinate register poll trigger notify employ integrate relay propagate"
    " authenticate map ask wrap",
    "produces": "publish send emit produce push write store save persist export deliver submit report upload serialize"
    " cache keep",
    "consumes": "consume receive read subscribe listen fetch retrieve pull load obtain collect ingest derive",
    "depends": "depend require need rely extend back power",
    "owns": "own maintain manage operate belong",
}
_IRREGULAR = {
    "sent": "send",
    "wrote": "write",
    "written": "write",
    "relies": "rely",
    "relied": "rely",
    "queries": "query",
    "queried": "query",
    "notifies": "notify",
    "notified": "notify",
    "mapped": "map",
    "wrapped": "wrap",
    "wrapping": "wrap",
    "kept": "keep",
    "submitted": "submit",
    "proxies": "proxy",
    "proxied": "proxy",
}


RESPONSIBLE = "be responsible"


class Form(NamedTuple):
    lemma: str
    verb: Verb
    form: Literal["base", "third", "past", "ing"]


@lru_cache(maxsize=1)
def forms() -> Mapping[str, Form]:
    """Every form of every verb."""
    found: dict[str, Form] = {}
    for verb, said in _VERBS.items():
        for lemma in said.split():
            stem = lemma.removesuffix("e")
            found[lemma] = Form(lemma, verb, "base")
            found[stem + ("es" if lemma.endswith(("e", "sh", "ch")) else "s")] = Form(lemma, verb, "third")
            found[stem + "ed"] = Form(lemma, verb, "past")
            found[stem + "ing"] = Form(lemma, verb, "ing")
    for form, lemma in _IRREGULAR.items():
        ending = "third" if form.endswith("s") else "ing" if form.endswith("ing") else "past"
        found[form] = Form(lemma, found[lemma].verb, ending)
    # Who falls back to something backs nothing, and caching is a noun.
    del found["back"], found["caching"]
    found["responsible"] = Form(RESPONSIBLE, "owns", "third")
    return found


def verb_in(words: str) -> Form | None:
    """The first verb of a short text, such as an arrow's label."""
    return next((form for word in words.lower().split() if (form := forms().get(word.strip(".,:;()")))), None)
