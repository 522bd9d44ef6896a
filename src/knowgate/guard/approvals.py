"""Approvals: a person says yes to one exact call, once, for a while.

    asked → given → used
          ↘ refused      ↘ outcome_unknown → cleared

What is asked or given and not used in time is expired. An approval belongs to the exact request, the policy under which
it was asked for, and who asked: the same three mean the same approval, so asking twice asks a person once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Literal

from knowgate.errors import ConflictError, ForbiddenError, LimitError, NotFoundError
from knowgate.guard.keys import Keys
from knowgate.model import LOCAL, Principal
from knowgate.store.port import Batch, Record, Store, scan_all_records

State = Literal["asked", "given", "refused", "used", "expired", "outcome_unknown", "cleared"]
Channel = Literal["cli", "server", "elicitation"]

_KIND = "approval"
_LASTS = 600.0
_MOST_ASKED = 100
"""Open questions of one asker: nobody answers more."""
_KEPT_SECONDS = 7 * 86_400.0


@dataclass(frozen=True, slots=True)
class Question:
    """May this call be made?"""

    request_hash: str
    """Of the exact bytes that would be sent."""
    policy_version: str
    asker: Principal
    summary: str
    """What the person is shown, redacted."""


@dataclass(frozen=True, slots=True)
class Approval:
    id: str
    request_hash: str
    policy_version: str
    asker_id: str
    asker: str
    summary: str
    state: State
    asked_at: float
    expires_at: float
    decided_by: str = ""
    channel: Channel | None = None
    decided_at: float | None = None
    reason: str = ""


class ApprovalNeeded(ForbiddenError):
    """A person has to say yes first."""

    def __init__(self, approval: Approval) -> None:
        super().__init__(
            "approval_needed",
            f"A person has to approve this call first: {approval.summary}",
            f"Ask for `knowgate approvals give {approval.id}`, then repeat exactly this call.",
        )
        self.approval = approval


class Approvals:
    def __init__(self, store: Store, lasts: float = _LASTS, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._keys = Keys(store)
        self._lasts = lasts
        self._clock = clock

    def use(self, question: Question) -> Approval:
        """Use up the approval that was given, or ask for one and raise ApprovalNeeded."""
        approval, version = self.given(question)
        used = self._put(replace(approval, state="used"), version)
        return used or self.use(question)  # somebody else was faster: it is used up

    def given(self, question: Question) -> tuple[Approval, int]:
        """The same, but it stays to be used: (approval, version)."""
        record = self._store.record(_KIND, _id(question))
        approval = self._read(record) if record else None
        match approval and approval.state:
            case "given" if record and approval:
                return approval, record.version
            case "asked" if approval:
                raise ApprovalNeeded(approval)
            case "refused" if approval:
                because = f": {approval.reason}" if approval.reason else ""
                raise ForbiddenError(
                    "approval_refused",
                    f"{approval.decided_by} refused this call{because}.",
                    "Do not repeat it; say why it is needed, or do something else.",
                )
            case "outcome_unknown" if approval:
                raise _unknown(approval)
            case _:
                raise ApprovalNeeded(self._ask(question, record.version if record else 0))

    def give(self, id: str, by: Principal, channel: Channel) -> Approval:
        return self._change(id, "asked", "given", by, channel, "")

    def refuse(self, id: str, by: Principal, channel: Channel, reason: str = "") -> Approval:
        return self._change(id, "asked", "refused", by, channel, reason)

    def lose(self, question: Question) -> Approval:
        """The call's answer was lost: nobody knows whether it was done. Also for calls that needed no approval."""
        while True:
            record = self._store.record(_KIND, _id(question))
            approval = self._read(record) if record else self._new(question)
            lost = replace(approval, state="outcome_unknown", summary=question.summary)
            if kept := self._put(lost, record.version if record else 0):
                return kept

    def refuse_repeat(self, request_hash: str) -> None:
        """Raises ConflictError `outcome_unknown` when this request may have been done already, whoever made it."""
        for record in scan_all_records(self._store, _KIND, _start(request_hash)):
            approval = self._read(record)
            if approval.state == "outcome_unknown" and approval.request_hash == request_hash:
                raise _unknown(approval)

    def clear(self, id: str, by: Principal, channel: Channel) -> Approval:
        """A person has looked: the call may be made again."""
        return self._change(id, "outcome_unknown", "cleared", by, channel, "")

    def list(self, *states: State) -> list[Approval]:
        """Newest first; all, if no state is named."""
        found = [self._read(record) for record in scan_all_records(self._store, _KIND)]
        wanted = [approval for approval in found if not states or approval.state in states]
        return sorted(wanted, key=lambda approval: approval.asked_at, reverse=True)

    def _ask(self, question: Question, version: int) -> Approval:
        self._make_room(question.asker)
        approval = self._new(question)
        # When somebody was faster, he asked for the same.
        return self._put(approval, version) or approval

    def _new(self, question: Question) -> Approval:
        now = self._clock()
        return Approval(
            id=_id(question),
            request_hash=question.request_hash,
            policy_version=question.policy_version,
            asker_id=question.asker.id,
            asker=question.asker.name,
            summary=question.summary,
            state="asked",
            asked_at=now,
            expires_at=now + self._lasts,
        )

    def _make_room(self, asker: Principal) -> None:
        known = self.list()
        old = self._clock() - _KEPT_SECONDS
        ended = [each for each in known if each.state not in ("asked", "given", "outcome_unknown")]
        self._store.apply(Batch(drop=[(_KIND, each.id) for each in ended if each.expires_at < old]))
        if sum(each.state == "asked" and each.asker_id == asker.id for each in known) >= _MOST_ASKED:
            raise LimitError(
                "too_many_questions",
                f"{_MOST_ASKED} calls wait for an approval already.",
                "Wait until a person has answered: `knowgate approvals list`.",
            )

    def _change(self, id: str, before: State, after: State, by: Principal, channel: Channel, reason: str) -> Approval:
        record = self._store.record(_KIND, id)
        if record is None:
            raise NotFoundError("approval_not_found", f"There is no approval {id!r}.", "See `knowgate approvals list`.")
        approval = self._read(record)
        self._check_approver(approval, by, channel)
        now = self._clock()
        changed = replace(
            approval,
            state=after,
            decided_by=by.name,
            channel=channel,
            decided_at=now,
            reason=reason,
            expires_at=now + self._lasts,
        )
        if approval.state == before and (kept := self._put(changed, record.version)):
            return kept
        found = self._read(self._store.record(_KIND, id) or record)
        raise ConflictError(
            "approval_changed",
            f"The approval is {found.state.replace('_', ' ')}, not {before.replace('_', ' ')}.",
            "See `knowgate approvals list`.",
        )

    def _check_approver(self, approval: Approval, by: Principal, channel: Channel) -> None:
        # At a terminal, or in the client's own dialogue, a person answers. Over the network a program might: it must
        # be somebody else's key, one that is trusted with it, and none that who asked could have made for himself.
        if by.id == LOCAL.id and channel != "server":
            return
        origin, asker = self._keys.origin(by.id), self._keys.origin(approval.asker_id)
        related = by.id == approval.asker_id or origin.family == asker.family
        if related or origin.made_at > approval.asked_at or not by.has("admin"):
            raise ForbiddenError(
                "not_the_approver",
                "Approving needs an admin key, older than the question and not of the asker's family.",
                "Let somebody else answer, with an admin key made by `knowgate keys create` where the server runs; "
                "or run `knowgate approvals` there.",
            )

    def _put(self, approval: Approval, version: int) -> Approval | None:
        kept = self._store.put_if(Record(_KIND, approval.id, asdict(approval)), version)
        return approval if kept else None

    def _read(self, record: Record) -> Approval:
        approval = Approval(**record.value)
        late = approval.state in ("asked", "given", "refused") and self._clock() >= approval.expires_at
        return replace(approval, state="expired") if late else approval


def _unknown(approval: Approval) -> ConflictError:
    return ConflictError(
        "outcome_unknown",
        "The answer to exactly this call was lost: it may have been done already.",
        f"Look whether it was, then let a person run `knowgate approvals clear {approval.id}` to allow it again.",
    )


def _start(request_hash: str) -> str:
    return hashlib.sha256(request_hash.encode()).hexdigest()[:16]


def _id(question: Question) -> str:
    rest = hashlib.sha256(
        f"{question.policy_version}\0{question.asker.id}\0{question.request_hash}".encode()
    ).hexdigest()[:16]
    return _start(question.request_hash) + rest
