"""Which addresses a message asks to be ingested. Only the user's own words are looked at, never a document's."""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import urlsplit

_URL = re.compile(r"https?://[^\s<>\"“”«»`|\\^]+", re.I)
_MARK = "\ufffc"
"""Stands for an address while the words around it are read."""
_REACH = 200
"""How many characters may lie between the verb and the address."""
_LONGEST = 2048
_MOST = 30_000
"""How many characters a request has at most; what is longer is a text that somebody has pasted."""
_CLOSERS = {")": "(", "]": "[", "}": "{"}


def _any(words: str) -> str:
    return rf"(?:{'|'.join(re.escape(word.replace('_', ' ')) for word in words.split())})"


# These say what is meant whatever lies between them and the address. The others ("add", "load") are about knowledge
# only when nothing else is named, or the knowledge base is.
_STRONG = _any(
    "ingest crawl scrape index reindex import indexiere importiere ingère indexe indexez importe importez ingérer"
    " indexer importer ingiere indexa importa"
)
_WEAK = _any(
    "add load save learn store upload remember füge lade speichere lies nimm ajoute ajoutez ajouter charge chargez"
    " añade añadir agrega agregar carga guarda aprende"
)
_LAST = _any("hinzufügen importieren indexieren einlesen aufnehmen laden speichern")
_POLITE = _any(
    "please pls plz kindly just now then next also and so ok okay hey hi hello thanks first can_you could_you would_you"
    " will_you go_ahead i_want_to i_want_you_to i_need_you_to i'd_like_to i'd_like_you_to i_would_like_to"
    " i_would_like_you_to let's let_us bitte kannst_du könntest_du können_sie könnten_sie auch jetzt s'il_te_plaît"
    " s'il_vous_plaît svp peux-tu pouvez-vous pourrais-tu veuillez aussi por_favor puedes podrías"
)
_FILLER = _any(
    "a an the this that these those it them all both following content contents text data page pages web website site"
    " webpage url urls link links address addresses article articles document documents docs documentation file files"
    " pdf from of at for here and or also my our your new as everything die der das den diese dieses diesen seite"
    " seiten webseite inhalt inhalte adresse artikel dokument von aus und bitte auch le la les cette ce ces contenu"
    " lien adresse de du des et el los las esta este estas página páginas contenido enlace artículo documento del y"
)
_TOWARDS = _any("to into in on zu zur zum dans à a al en")
_KNOWLEDGE = _any(
    "knowledge knowledgebase knowgate index library collection corpus docs documents sources memory rag wissen"
    " wissensbasis wissensdatenbank dokumente dokumenten connaissances conocimiento conocimientos"
)
_HOME = re.compile(rf"\b{_TOWARDS}\s[^.!?]{{0,60}}?\b{_KNOWLEDGE}\b")
_ELSEWHERE = re.compile(rf"\W*{_TOWARDS}\s")
_REFUSAL = re.compile(
    r"n't\b|\b(?:not|never|without|avoid|stop|how|what|why|when|where|who|which|whether|if|should|does|did|do i|can i"
    r"|may i|nicht|keine?|nie|wie|was|warum|wann|pas|jamais|comment|pourquoi|quand|nunca|no|cómo|qué|cuándo)\b"
)
# All of it is bounded, or a long row of commas or of "and" would be read over and over.
_GAP = r"\W{0,8}"
_LEAD = rf"(?:^|[,:;–—]|\s-|\b(?:and|und|et|y)\b){_GAP}(?:{_POLITE}\b{_GAP}){{0,8}}"
_VERB = re.compile(rf"{_LEAD}\b(?:(?P<strong>{_STRONG})|{_WEAK})\b")
_AFTER = re.compile(rf"{_LEAD}\b(?:{_STRONG}|{_WEAK})\s{{1,8}}(?:it|this|that|them|these|those)\b(?P<behind>.*)")
_AT_THE_END = re.compile(rf"^{_GAP}(?:{_POLITE}\b{_GAP}){{1,8}}(?:{_FILLER}\b{_GAP}){{0,8}}{_MARK}.*\b{_LAST}{_GAP}$")
_FILLED = re.compile(rf"\W*(?:{_FILLER}\b\W*)*")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|\n")
_LISTED = re.compile(rf"\n[ \t]*(?:[-*•]|\d+[.)])?[ \t]*(?={_MARK})")


def ingest_request(message: str) -> tuple[str, ...]:
    """The addresses in their order; empty when the message asks for nothing of the kind."""
    if len(message) > _MOST:
        return ()
    addresses: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        url = _clean(match.group())
        addresses.extend([url] if url else [])
        return (_MARK if url else "") + match.group()[len(url) :]

    text = _URL.sub(set_aside, message.replace(_MARK, " "))
    sentences = _SENTENCE_END.split(_LISTED.sub(" ", text).casefold().replace("’", "'"))
    waiting = iter(addresses)
    found: list[str] = []
    for sentence, following in zip(sentences, [*sentences[1:], ""], strict=True):
        here = list(islice(waiting, sentence.count(_MARK)))
        if here and _asks(sentence, following):
            found += here
    return tuple(dict.fromkeys(found))


def _clean(url: str) -> str:
    """Without the punctuation of the sentence around it; empty when there is no host."""
    if len(url) > _LONGEST:
        return ""
    while url and (url[-1] in ".,;:!?'’*_。，！？" or _unopened(url)):
        url = url[:-1]
    try:
        return url if urlsplit(url).hostname else ""
    except ValueError:
        return ""


def _unopened(url: str) -> bool:
    opener = _CLOSERS.get(url[-1])
    return opener is not None and url.count(url[-1]) > url.count(opener)


def _asks(sentence: str, following: str) -> bool:
    # All that does not depend on the verb is looked for once: there may be thousands of them.
    behind = sentence.rpartition(_MARK)[2]
    home, elsewhere = _HOME.match(behind.lstrip(" )]")) is not None, _goes_elsewhere(behind)
    refusal = _REFUSAL.search(sentence)
    for verb in _VERB.finditer(sentence, 0, refusal.start() if refusal else len(sentence)):
        place = sentence.find(_MARK, verb.end(), verb.end() + _REACH)
        if place >= 0 and _meant(verb, sentence[verb.end() : place], home, elsewhere):
            return True
    if refusal:
        return False
    if _AT_THE_END.match(sentence):
        return True
    after = _AFTER.search(behind) or (None if _MARK in following else _AFTER.search(following))
    return after is not None and not _REFUSAL.search(following) and not _goes_elsewhere(after["behind"])


def _meant(verb: re.Match[str], between: str, home: bool, elsewhere: bool) -> bool:
    if between.lstrip().startswith("of "):  # "Index of …"
        return False
    if home or _HOME.search(between):
        return True
    filled = _FILLED.match(between)
    read = filled.end() if filled else 0
    # "Import errors at …" is no request; "import the guide at …" is one.
    named = verb["strong"] is not None and bool(between[:read].strip())
    return (read == len(between) or named) and not elsewhere


def _goes_elsewhere(behind: str) -> bool:
    """What is put "to my config" or "in the browser" is not put into the knowledge base."""
    return _ELSEWHERE.match(behind) is not None and not _HOME.search(behind)
