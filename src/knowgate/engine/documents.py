"""What is there: searching, listing, reading and deleting documents."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from knowgate.engine.access import Access
from knowgate.engine.gated import gated
from knowgate.errors import ConflictError, InputError, NotFoundError
from knowgate.model import EVERYTHING, LOCAL, Chunk, Document, Filter, SearchMode, SearchResult
from knowgate.store.port import Batch, Stats, scan_all_documents, scan_key

if TYPE_CHECKING:
    from knowgate.knowledge.portable import ExportReport, ImportReport


@dataclass(frozen=True, slots=True)
class DocumentPage:
    documents: tuple[Document, ...]
    cursor: str = ""


def _name_of(_: object, document: Document) -> Sequence[str]:
    return (document.name,)


class Documents(Access):
    def _named(self, name: str) -> Sequence[str]:
        """The documents that a name means: what the policy and people are told of."""
        return tuple(each.name for each in self._matching(name)) or (name,)

    def _meant(self, filter_id: str) -> Sequence[str]:
        """The documents that a saved filter would delete; one that cannot be used is told of when it is."""
        try:
            where = self._narrow(filter_id)
        except (NotFoundError, InputError):
            return ()
        where = self._visible_to("delete_document", self._visible(where))
        return tuple(each.name for each in scan_all_documents(self.store, where))

    @gated("search")
    def search(
        self,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        limit: int | None = None,
        threshold: float = 0.0,
        where: Filter = EVERYTHING,
        cursor: str = "",
    ) -> SearchResult:
        from knowgate.knowledge.search import Query

        self.may("read")
        limit = self.settings.search.limit if limit is None else limit
        return self.rooms.search(Query(query, mode, limit, threshold, self._visible(where), cursor, self._showing()))

    @gated("documents")
    def documents(
        self, query: str = "", *, limit: int = 100, cursor: str = "", where: Filter = EVERYTHING
    ) -> DocumentPage:
        """Documents by name; the query is a part of the name in any case, or a pattern with `*`."""
        self.may("read")
        if not 1 <= limit <= 1000:
            raise InputError("bad_limit", f"The limit {limit} is out of range.", "Use 1 to 1000.")
        pattern = query.casefold() if "*" in query else f"*{escape(query.casefold())}*"
        visible = scan_all_documents(self.store, self._visible(where), after=_after(cursor))
        named = (document for document in visible if fnmatchcase(document.name.casefold(), pattern))
        found = list(islice(named, limit + 1))
        shown = map(self._showing().document, found[:limit])
        return DocumentPage(tuple(shown), _cursor(found[limit - 1]) if len(found) > limit else "")

    @gated("document", documents=_named)
    def document(self, name: str) -> Document:
        """By name, source or id; a name that several documents share must be told apart by its source."""
        found = self._called(name)
        if len(found) > 1:
            # Where a document lies on this machine is nobody else's business.
            how = "source" if self.principal is LOCAL else "id"
            listed = "\n".join(f"  {getattr(each, how)}" for each in found[:20])
            raise ConflictError(
                "ambiguous_name", f"{len(found)} documents are called {name}:\n{listed}\n", f"Name one by its {how}."
            )
        return self._showing().document(found[0])

    @gated("document", documents=_name_of)
    def passages(self, document: Document) -> list[Chunk]:
        self.may("read")
        if not self.store.scan_documents(self._visible(Filter(ids=(document.id,)))):
            raise _no_document(document.name)
        shown = self._showing()
        return [shown.chunk(each) for each in self.store.document_chunks(document.id) if shown.may_show(each.id)]

    def waiting(self, documents: Sequence[Document]) -> set[str]:
        """Ids of those whose vectors are missing."""
        self.may("read", "documents")
        if not self.store.stats().pending:
            return set()
        ids = [document.id for document in documents]
        return {each.document_id for each in self.store.pending(len(ids), among=ids)} if ids else set()

    @gated("delete_document", "write", changes=True, documents=_named)
    def delete(self, name: str) -> Document:
        self.may("write")
        document = self.document(name)
        self.store.apply(Batch(delete=[document.id]))
        return document

    @gated("delete_document", "write", changes=True, documents=_named)
    def delete_called(self, name: str) -> list[Document]:
        """All documents that are called so."""
        self.may("write")
        return self._delete(self._called(name))

    @gated("delete_document", "write", changes=True, documents=_meant)
    def delete_matching(self, filter_id: str) -> list[Document]:
        """All documents that a saved filter names; one that names all of them, or none, deletes nothing."""
        self.may("write")
        where = self._visible(self._narrow(filter_id))
        return self._delete(filter(self._was_named, scan_all_documents(self.store, where)))

    def _narrow(self, filter_id: str) -> Filter:
        self.may("read")
        saved = self._saved(filter_id)
        if not saved.where.names or any(set(name) <= set("*?") for name in saved.where.names):
            raise InputError(
                "filter_too_wide",
                f"The filter {saved.name!r} names no data sources, so it would delete everything.",
                "Name the documents in the filter's data_sources.",
            )
        return saved.where

    @gated("stats")
    def stats(self) -> Stats:
        self.may("read")
        return self.store.stats(self._visible())

    def _delete(self, documents: Iterable[Document]) -> list[Document]:
        gone = list(documents)
        self.store.apply(Batch(delete=[document.id for document in gone]))
        return gone

    def _called(self, name: str) -> list[Document]:
        """By id; else by name or source; else by the end of the path."""
        found = self._matching(name)
        if not found:
            raise _no_document(name)
        return found

    def _matching(self, name: str) -> list[Document]:
        self.may("read")
        plain = name if not set("*?") & set(name) else ""  # as a filter it would be a pattern
        found = list(scan_all_documents(self.store, self._visible(Filter(ids=(name,)))))
        exact = self._visible(Filter(names=(plain,)) if plain else EVERYTHING)
        ending = self._visible(Filter(names=(f"*/{plain}",)) if plain else EVERYTHING)
        found = found or [each for each in scan_all_documents(self.store, exact) if name in (each.name, each.source)]
        return found or [each for each in scan_all_documents(self.store, ending) if each.name.endswith(f"/{name}")]

    # Moving house

    @gated("export", "admin")
    def export(
        self,
        to: Path,
        *,
        overwrite: bool = False,
        vectors: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> ExportReport:
        from knowgate.knowledge.portable import export

        self.may_rule()
        return export(self.store, to, vectors=vectors, overwrite=overwrite, progress=progress)

    @gated("import", "admin", changes=True)
    def import_(self, source: Path, *, progress: Callable[[int, int], None] | None = None) -> ImportReport:
        from knowgate.knowledge.portable import import_

        self.may_rule()
        report = import_(self.store, source, progress=progress)
        self.store.maintain()
        return report


def _no_document(name: str) -> NotFoundError:
    return NotFoundError("document_not_found", f"There is no document {name}.", "List them with `knowgate documents`.")


def _cursor(last: Document) -> str:
    return base64.urlsafe_b64encode(scan_key(last).encode()).decode()


def _after(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor).decode()
    except ValueError as error:
        raise InputError(
            "bad_cursor", "The cursor is not one of ours.", "List again without a cursor to start at the beginning."
        ) from error
