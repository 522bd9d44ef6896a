"""Saved filters, and the keys that may be bound to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from knowgate.engine.gated import Gated, gated
from knowgate.errors import ForbiddenError
from knowgate.knowledge.filters import no_such_filter
from knowgate.model import Key, SavedFilter


class Access(Gated):
    @gated("edit_filters", "write", changes=True)
    def create_filter(self, name: str, description: str, query_data: Mapping[str, object] | str) -> SavedFilter:
        self.may("write")
        self._unbound()
        return self.rooms.filters.create(self.principal.name, name, description, query_data)

    @gated("filters")
    def filters(self, query: str = "", limit: int = 20) -> list[SavedFilter]:
        self.may("read")
        return self.rooms.filters.search(query, limit, only=self.principal.filter_id)

    @gated("filters", written=False)
    def filter(self, filter_id: str) -> SavedFilter:
        self.may("read")
        return self._saved(filter_id)

    def _saved(self, filter_id: str) -> SavedFilter:
        if self.principal.filter_id not in (None, filter_id):
            raise no_such_filter()
        return self.rooms.filters.get(filter_id)

    @gated("edit_filters", "write", changes=True)
    def update_filter(
        self,
        filter_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        query_data: Mapping[str, object] | str | None = None,
    ) -> SavedFilter:
        self.may("write")
        self._unbound()
        self._may_change_filter(filter_id)
        return self.rooms.filters.update(filter_id, name=name, description=description, query_data=query_data)

    @gated("edit_filters", "write", changes=True)
    def delete_filter(self, filter_id: str) -> None:
        self.may("write")
        self._unbound()
        self._may_change_filter(filter_id)
        self.rooms.filters.delete(filter_id)

    def _unbound(self) -> None:
        if self.principal.filter_id is not None:
            raise ForbiddenError(
                "bound_key", "A key that is bound to a filter cannot change filters.", "Use a key that is not bound."
            )

    def _may_change_filter(self, filter_id: str) -> None:
        """What a key is bound to decides who sees what: that is for those who give out keys."""
        if any(key.filter_id == filter_id and key.revoked_at is None for key in self.rooms.keys.list()):
            self.may("admin")

    # Keys

    @gated("edit_keys", "admin", changes=True)
    def create_key(
        self, name: str, scopes: Iterable[str], *, filter_id: str | None = None, expires_at: float | None = None
    ) -> tuple[Key, str]:
        """The key, and the secret that is shown this once."""
        self.may_rule()
        if filter_id is not None:
            self.rooms.filters.get(filter_id)
        made_by = "" if self._at_home else self.principal.id
        return self.rooms.keys.create(name, scopes, filter_id=filter_id, expires_at=expires_at, made_by=made_by)

    @gated("keys", "admin")
    def keys(self) -> list[Key]:
        self.may_rule()
        return self.rooms.keys.list()

    @gated("edit_keys", "admin", changes=True)
    def revoke_key(self, id: str) -> Key:
        self.may_rule()
        return self.rooms.keys.revoke(id)
