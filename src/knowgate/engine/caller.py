"""For whom the engine acts, and what he may do and see."""

from __future__ import annotations

from knowgate.config.settings import Settings
from knowgate.errors import ForbiddenError
from knowgate.model import EVERYTHING, LOCAL, Filter, Principal, Scope
from knowgate.rooms import Rooms
from knowgate.store.port import Store


class Caller:
    """What every part of the engine stands on."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        principal: Principal = LOCAL,
        rooms: Rooms | None = None,
        agent: str = "",
        address: str = "",
    ) -> None:
        self.rooms = rooms or Rooms(settings or Settings())
        self.principal = principal
        self.agent = agent
        """What the caller's program calls itself."""
        self.address = address
        """Where the call came from; empty when no network was involved."""

    @property
    def settings(self) -> Settings:
        return self.rooms.settings

    @property
    def store(self) -> Store:
        return self.rooms.store

    @property
    def _at_home(self) -> bool:
        """The local user himself. Over the network it may be a program, also while he needs no key there."""
        return self.principal is LOCAL and not self.address

    def may(self, scope: Scope) -> None:
        if not self.principal.has(scope):
            raise ForbiddenError(
                "scope_missing",
                f"The key {self.principal.name!r} does not have the scope {scope}.",
                f"Ask for a key with it: `knowgate keys create NAME --scope {scope}`.",
            )

    def may_rule(self) -> None:
        self.may("admin")
        self.may_see_all()

    def may_see_all(self) -> None:
        """What concerns the whole house is not for those who see a part of it."""
        self.may("read")
        if self.principal.filter_id is not None:
            raise ForbiddenError(
                "bound_key", "A key that is bound to a filter cannot do this.", "Use a key that is not bound."
            )

    def _environment(self, named: str) -> str:
        """The one that the policy is told of. What somebody else names could talk a rule out of applying."""
        if named and not self._at_home:
            raise override_not_allowed("environment", named, "Leave it out.")
        return named

    def _visible(self, where: Filter = EVERYTHING) -> Filter:
        """What the caller may see of what was asked for."""
        bound = self._bound()
        return where if bound is None else where.within(bound)

    def _bound(self) -> Filter | None:
        return None if self.principal.filter_id is None else self.rooms.bound(self.principal.filter_id)


def override_not_allowed(what: str, name: str, fix: str) -> ForbiddenError:
    return ForbiddenError("override_not_allowed", f"The {what} {name!r} cannot be chosen by a caller.", fix)
