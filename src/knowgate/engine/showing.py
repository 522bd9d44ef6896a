"""What is shown of documents goes through here: secrets are taken out, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from knowgate.model import Chunk, Document, Entity, Relation

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
        return replace(chunk, text=self.text(chunk.text), headings=tuple(map(self.text, chunk.headings)))

    def document(self, document: Document) -> Document:
        return replace(document, title=self.text(document.title))

    def entity(self, entity: Entity) -> Entity:
        return replace(entity, description=self.text(entity.description), fields=self._fields(entity.fields))

    def relation(self, relation: Relation) -> Relation:
        return replace(relation, description=self.text(relation.description), fields=self._fields(relation.fields))

    def _fields(self, fields: Mapping[str, str]) -> Mapping[str, str]:
        return {name: self.text(value) for name, value in fields.items()}
