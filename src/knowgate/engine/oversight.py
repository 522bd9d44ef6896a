"""For those who answer for it: what was done, what waits for a person, what the policy says.

None of this passes the gate: who keeps the policy must not lock himself out. What it changes is written down.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowgate.engine.calling import Calling
from knowgate.engine.gated import PREFIX, TOOLS
from knowgate.engine.offered import known_base_url
from knowgate.errors import NotFoundError

if TYPE_CHECKING:
    from knowgate.apis.pins import Held
    from knowgate.guard.approvals import Approval, Channel, State
    from knowgate.guard.audit.export import Form
    from knowgate.guard.audit.read import Page, Record, Wanted
    from knowgate.guard.audit.verify import Finding
    from knowgate.guard.policy import Action, Decision, Policy
    from knowgate.guard.policy import check as checking
    from knowgate.guard.policy.cases import CaseResult
    from knowgate.guard.policy.explain import Change


class Oversight(Calling):
    # The trail

    def audit(self, wanted: Wanted | None = None, *, limit: int = 50, cursor: str = "") -> Page:
        """Newest first: one record for each call, its outcome or, while there is none, its attempt."""
        from knowgate.guard.audit.read import ALL, read

        self.may_rule("audit")
        return read(self._folder(), wanted or ALL, limit, cursor)

    def audit_record(self, id: str) -> Record:
        from knowgate.guard.audit.read import Wanted

        for record in self.audit(Wanted(id=id), limit=1).records:
            return record
        raise NotFoundError("record_not_found", f"There is no record {id!r}.", "See `knowgate audit list`.")

    def verify_audit(self) -> list[Finding]:
        """Every place where the trail was changed."""
        from knowgate.guard.audit.verify import verify

        self.may_rule("verify_audit")
        return verify(self._folder())

    def export_audit(self, form: Form, wanted: Wanted | None = None) -> Iterator[str]:
        from knowgate.guard.audit.export import export
        from knowgate.guard.audit.read import ALL, read_all

        self.may_rule("export_audit")
        return export(read_all(self._folder(), wanted or ALL), form)

    def _folder(self) -> Path:
        from knowgate.guard.building import audit_folder

        return audit_folder(self.settings.audit, self.settings.data)

    # People's answers

    def approvals(self, *states: State) -> list[Approval]:
        """Newest first; all, if no state is named."""
        self.may_rule("approvals")
        return self.rooms.approvals.list(*states)

    def give_approval(self, id: str, channel: Channel) -> Approval:
        self.may_rule("give_approval")
        with self._written_down("give_approval", id):
            return self.rooms.approvals.give(id, self.principal, channel)

    def refuse_approval(self, id: str, channel: Channel, reason: str = "") -> Approval:
        self.may_rule("refuse_approval")
        with self._written_down("refuse_approval", id):
            return self.rooms.approvals.refuse(id, self.principal, channel, reason)

    def clear_approval(self, id: str, channel: Channel) -> Approval:
        """A call whose outcome was unknown may be made again."""
        self.may_rule("clear_approval")
        with self._written_down("clear_approval", id):
            return self.rooms.approvals.clear(id, self.principal, channel)

    def stop_calls(self, reason: str = "") -> None:
        """The kill switch: no call of anybody in any process, until they are resumed."""
        self.may_rule("stop")
        with self._written_down("stop"):
            self.rooms.switch.stop(self.principal, self.rooms.redactor(self._secrets()).text(reason).value)

    def resume_calls(self) -> None:
        self.may_rule("resume")
        with self._written_down("resume"):
            self.rooms.switch.resume(self.principal)

    def held_operations(self, api: str) -> list[Held]:
        """Those that are not as they were accepted, and wait for a person."""
        self.may_rule("held_operations")
        self._known_api(api)
        return self.rooms.pins.held(api)

    def accept_operations(self, api: str, ids: Sequence[str]) -> None:
        """A person has looked at them."""
        self.may_rule("accept_operations")
        self._known_api(api)
        catalogue = self.rooms.apis.catalogue
        with self._written_down("accept_operations", arguments={"api": api, "operations": list(ids)}):
            self.rooms.pins.accept(api, [catalogue.entry(id) for id in ids])

    def remove_api(self, api: str, unconfigure: Callable[[], None]) -> None:
        """Take an API out of the configuration, the index and the graph."""
        from knowgate.engine.finding import forget

        self.may_rule("remove_api")
        with self._written_down("remove_api", arguments={"api": api}):
            unconfigure()
            forget(self.rooms, api)

    def _known_api(self, api: str) -> None:
        if api not in self.rooms.apis.catalogue.apis:
            raise NotFoundError("api_not_found", f"There is no API {api!r}.", "See `knowgate apis list`.")

    @contextmanager
    def configuring(self, what: str, arguments: Mapping[str, object]) -> Generator[None]:
        """Around a change of the configuration that is made elsewhere."""
        self.may_rule(what)
        with self._written_down(what, arguments=self.rooms.redactor().json(dict(arguments)).value):
            yield

    @contextmanager
    def _written_down(
        self, what: str, approval_id: str = "", arguments: Mapping[str, object] | None = None
    ) -> Generator[None]:
        from knowgate.guard.audit.record import Call

        digest = sha256(f"{what} {approval_id} {arguments or ''}".encode()).hexdigest()
        call = Call(
            self.principal,
            PREFIX + what,
            digest,
            "allow",
            "scope",
            approval_id=approval_id,
            agent=self.agent,
            arguments=arguments or {},
            raw=arguments is not None,
            changes=True,
        )
        with self.rooms.gate.written_down(call):
            yield

    # The policy

    def policy(self) -> Policy:
        self.may_rule("policy")
        return self.rooms.policy()

    def check_policy(self, policy: Policy) -> list[checking.Finding]:
        """What is written in it but can have no effect here."""
        from knowgate.guard.policy.check import check

        self.may_rule("check_policy")
        return check(policy, self._entries(), sorted(TOOLS))

    def test_policy(self, policy: Policy, cases: str, name: str) -> list[CaseResult]:
        """`cases` is the text of a test file."""
        from knowgate.guard.policy.cases import read_cases, run_tests

        self.may_rule("test_policy")
        return run_tests(policy, read_cases(cases, name), datetime.now(UTC))

    def explain(self, what: str, arguments: dict[str, Any], policy: Policy | None = None) -> Decision:
        """What would be decided about an operation or a tool, and why."""
        from knowgate.guard.policy.explain import explain

        self.may_rule("explain")
        return explain(policy or self.rooms.policy(), self._imagined(what, arguments))

    def diff_policies(self, old: Policy, new: Policy) -> list[Change]:
        """The operations and tools for which the outcome changes."""
        from knowgate.guard.policy.check import as_action
        from knowgate.guard.policy.explain import diff

        self.may_rule("diff_policies")
        tools = [self._action(tool.removeprefix(PREFIX), scope, {}, ()) for tool, scope in sorted(TOOLS.items())]
        return diff(old, new, [*map(as_action, self._entries()), *tools])

    def suggest_policy(self) -> str:
        """The smallest policy that allows what was done, by the trail."""
        from knowgate.guard.audit.read import at, read_all
        from knowgate.guard.policy.suggest import Seen, suggest

        self.may_rule("suggest_policy")
        done = (
            Seen(
                at(record, "operation", "operation_id"),
                at(record, "operation", "method"),
                at(record, "operation", "url"),
                at(record, "operation", "auth_profile"),
                at(record, "policy", "decision"),
            )
            for record in read_all(self._folder())
            if at(record, "operation", "method") and _was_done(record)
        )
        return suggest(done, self._entries())

    def _imagined(self, what: str, arguments: dict[str, Any]) -> Action:
        from knowgate.guard.policy import Action, risk_score
        from knowgate.guard.policy.check import as_action

        tool = what if what.startswith(PREFIX) else PREFIX + what
        if tool in TOOLS:
            return self._action(tool.removeprefix(PREFIX), TOOLS[tool], arguments, ())
        for entry in self._entries():
            if entry.id == what:
                action, now = as_action(entry), datetime.now(UTC)
                risk = risk_score(what, entry.method, arguments, changes=action.changes)
                return replace(action, principal=self.principal, arguments=arguments, risk=risk, now=now)
        # What nobody knows is asked about as it is: the answer says that there is no such tool.
        return Action(kind="tool", principal=self.principal, now=datetime.now(UTC), tool=what, arguments=arguments)

    def _entries(self) -> list[checking.Entry]:
        from knowgate.guard.policy.check import Entry

        if not self.settings.apis:
            return []
        catalogue = self.rooms.apis.catalogue
        return [
            Entry(
                each.id,
                each.api,
                each.method,
                each.path,
                each.tags,
                known_base_url(self.rooms, each.api, catalogue.operation(each.id)),
                each.summary,
            )
            for each in catalogue.list()
        ]


def _was_done(record: Mapping[str, Any]) -> bool:
    """Whether it reached the API, as far as is known; or was tried, where the policy lets it be tried only."""
    from knowgate.guard.audit.read import at

    status = at(record, "response", "status")
    if status == "dry_run":
        return at(record, "policy", "decision") == "dry_run"
    return status == "outcome_unknown" or bool(at(record, "response", "status_code"))
