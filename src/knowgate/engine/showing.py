"""What is shown of documents goes through here: secrets are taken out, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from knowgate.model import Chunk, Document, Entity, FieldValue, Relation, Step

if TYPE_CHECKING:
    from knowgate.guard.redact import Numbers, Redactor


T = TypeVar("T", bound=FieldValue)


class Showing:
    """Of one call: one value has one number in all of it."""

    def __init__(self, redactor: Callable[[], Redactor], may_show: Callable[[str], bool]) -> None:
        self.counts: Counter[str] = Counter()
        self.may_show = may_show
        """Whether the passage of this id may be shown at all."""
        self._make = redactor
        self._made: tuple[Redactor, Numbers] | None = None

    def text(self, text: str) -> str:
        if not text:
            return text
        redactor, numbers = self._tools()
        clean = redactor.text(text, numbers)
        self.counts.update(clean.counts)
        return clean.value

    def chunk(self, chunk: Chunk) -> Chunk:
        return replace(chunk, text=self.text(chunk.text), headings=self.texts(chunk.headings))

    def document(self, document: Document) -> Document:
        return replace(
            document,
            title=self.text(document.title),
            fields=self._fields(document.fields),
            warnings=self.texts(document.warnings),
        )

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

    def _fields(self, fields: Mapping[str, T]) -> Mapping[str, T]:
        """A secret is known by its name, too."""
        if not fields:
            return fields
        redactor, numbers = self._tools()
        clean = redactor.json(dict(fields), numbers=numbers)
        self.counts.update(clean.counts)
        return clean.value

    def _tools(self) -> tuple[Redactor, Numbers]:
        if self._made is None:
            from knowgate.guard.redact import Numbers

            self._made = self._make(), Numbers()
        return self._made
