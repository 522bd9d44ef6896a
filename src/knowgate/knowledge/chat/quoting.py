"""The answer without a model: sentences of the documents, word for word, each with the number of its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from knowgate.knowledge.chat.prompt import NOT_ANSWERED
from knowgate.model import ChatAnswer, Hit

if TYPE_CHECKING:
    from knowgate.knowledge.chat.extract import Quote

NO_DOCUMENTS = (
    "There are no documents to answer from. Add some with `knowgate ingest ./docs`, or ask here:"
    " “Please ingest https://example.com/guide”."
)
NOTHING_FITS = "No document fits the filter, so there is nothing to answer from."
_PLACES = 3
_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$", re.M)
_MARKS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+|\d{1,3}[.)][ \t]+)+", re.M)
_ROW = re.compile(r"^[ \t]*\|(.*?)\|?[ \t]*$", re.M)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])|`([^`\n]+)`")
_NUMBER = re.compile(r"\[(\s*[0-9][0-9,; ]*)\]")


def quoted(quotes: Sequence[Quote], hits: Sequence[Hit]) -> ChatAnswer:
    """Quoted sources come first and are numbered in the order of their quotes; the others follow."""
    cited = list(dict.fromkeys(quote.hit for quote in quotes))
    order = [*cited, *(n for n in range(len(hits)) if n not in cited)]
    number = {place: n for n, place in enumerate(order, 1)}
    paragraphs: list[str] = []
    # The best source first, and what is quoted of it in the order in which it stands there.
    in_order = sorted(quotes, key=lambda quote: (number[quote.hit], quote.start))
    for place, group in groupby(in_order, key=lambda quote: quote.hit):
        said = (plain(hits[place].chunk.text[quote.start : quote.end]) for quote in group)
        paragraphs.append(" ".join(f"{sentence} [{number[place]}]" for sentence in said if sentence))
    text = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
    if not text:
        return declined(hits)
    return ChatAnswer(text, tuple(hits[n] for n in order), tuple(range(1, len(cited) + 1)), answered=True)


def declined(hits: Sequence[Hit]) -> ChatAnswer:
    places = list(dict.fromkeys(_place(hit) for hit in hits))[:_PLACES]
    closest = f" Closest to it: {'; '.join(places)}." if places else ""
    return ChatAnswer(NOT_ANSWERED + closest, tuple(hits), (), answered=False)


def plain(text: str) -> str:
    """In one line and without the marks of Markdown; the words stay as they are."""
    text = _ROW.sub(
        lambda row: ", ".join(cell.strip() for cell in row[1].split("|") if cell.strip()), _RULE.sub("", text)
    )
    text = _BOLD.sub(lambda match: match[1] or match[2] or match[3], _LINK.sub(r"\1", _MARKS.sub("", text)))
    # A footnote's number would read like one of ours.
    return " ".join(_NUMBER.sub(r"(\1)", text).split())


def _place(hit: Hit) -> str:
    # The first heading is most often the document's title, which its name already tells.
    heading = hit.chunk.headings[-1] if hit.chunk.headings else ""
    page = f"page {hit.chunk.page}" if hit.chunk.page else ""
    details = ", ".join(detail for detail in (page, plain(heading)) if detail)
    return f"{hit.document.name} ({details})" if details else hit.document.name
