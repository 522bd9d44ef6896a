"""What is shown of documents goes through here: secrets are taken out, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from knowgate.model import Chunk, Document, Entity, Relation, Step

if TYPE_CHECKING:
    from knowgate.guard.redact import Numbers, Redactor


class Showing:
    """Of one call: one value has one number in all of it."""

    def __init__(self, redactor: Callable[[], Redactor]) -> None:
        self.counts: Counter[str] = Counter()
        self._make = redactor
        self._made: tuple[Redactor, Numbers] | None = None

    def text(self, text: str) -> str:
        if not text:
            return text
        if self._made is None:
            from knowgate.guard.redact import Numbers

            self._made = self._make(), Numbers()
        redactor, numbers = self._made
        clean = redactor.text(text, numbers)
        self.counts.update(clean.counts)
        return clean.value

    def chunk(self, chunk: Chunk) -> Chunk:
        return replace(chunk, text=self.text(chunk.text), headings=self.texts(chunk.headings))

    def document(self, document: Document) -> Document:
        return replace(document, title=self.text(document.title))

    def entity(self, entity: Entity) -> Entity:
        return replace(
            entity,
            name=self.text(entity.name),
            aliases=self.texts(entity.aliases),
            description=self.text(entity.description),
            fields=self._fields(entity.fields),
        )

    def relation(self, relation: Relation) -> Relation:
        return replace(
            relation,
            source=self.text(relation.source),
            target=self.text(relation.target),
            description=self.text(relation.description),
            fields=self._fields(relation.fields),
            passages=tuple(replace(each, headings=self.texts(each.headings)) for each in relation.passages),
        )

    def step(self, step: Step) -> Step:
        return replace(step, name=self.text(step.name), steps=tuple(map(self.step, step.steps)))

    def texts(self, texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self.text, texts))

    def _fields(self, fields: Mapping[str, str]) -> Mapping[str, str]:
        return {name: self.text(value) for name, value in fields.items()}
