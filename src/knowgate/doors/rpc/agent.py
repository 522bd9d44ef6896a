"""An engine that calls APIs in the environment and with the profile that the agent's configuration names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowgate.config.mrapids import CONFIG, Mrapids
from knowgate.config.settings import Settings
from knowgate.engine import Engine
from knowgate.engine.caller import override_not_allowed
from knowgate.errors import ForbiddenError
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.model import OperationAnswer, Principal


class AgentEngine(Engine):
    def __init__(self, mrapids: Mrapids, settings: Settings | None = None, **more: Any) -> None:
        super().__init__(settings, **more)
        self._mrapids = mrapids

    def acting_for(self, principal: Principal, **more: Any) -> AgentEngine:
        return AgentEngine(self._mrapids, principal=principal, rooms=self.rooms, **more)

    def run_operation(
        self,
        operation_id: str,
        parameters: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        auth_profile: str = "",
        **more: Any,
    ) -> OperationAnswer:
        configured = self._mrapids
        if auth_profile not in ("", configured.auth_profile) and not configured.may_choose_profile:
            self.turn_away("run_operation", "override_not_allowed")
            raise override_not_allowed("auth profile", auth_profile, _fix("allow_override_auth"))
        try:
            return super().run_operation(
                operation_id,
                parameters,
                body,
                auth_profile=auth_profile or configured.auth_profile,
                **more,
            )
        except ForbiddenError as error:
            error.fix = self._own_fix(error)
            raise

    def _environment(self, named: str) -> str:
        configured = self._mrapids
        if named not in ("", configured.environment) and not configured.may_choose_environment:
            raise override_not_allowed("environment", named, _fix("allow_override_env"))
        return named or configured.environment

    def _own_fix(self, error: ForbiddenError) -> str:
        """The agent has a folder of its own, where other commands do not look."""
        folder = self._mrapids.folder
        if error.code == "private_address":
            return (
                f"If the API belongs on this machine or in your network, set allow_private = true under [security] in "
                f"{folder / CONFIG}, run `knowgate config trust {folder}` and start the agent again."
            )
        if isinstance(error, ApprovalNeeded):
            given = f"knowgate approvals give {error.approval.id}"
            return error.fix.replace(given, f"{given} --data {self.settings.data}")
        return error.fix


def _fix(setting: str) -> str:
    return f"Leave it out; or whoever keeps mcp-server.toml sets security.{setting}."
