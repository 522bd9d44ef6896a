"""The policy file's keys, read strictly: what is not known here is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from ipaddress import ip_network
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from knowgate.errors import KnowgateError
from knowgate.guard.limits import read_rule
from knowgate.guard.policy.action import AuditLevel
from knowgate.guard.policy.conditions import DAYS, zone
from knowgate.guard.policy.globs import Globs
from knowgate.guard.policy.when import When

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "QUERY", "TRACE", "CONNECT")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)|(24):(00)")
_CONDITION_TYPES = ("time_window", "auth_profile", "source_ip", "environment")
_WINDOWS = {
    "business_hours": {"start": "09:00", "end": "17:00", "days": list(DAYS[:5])},
    "weekdays": {"start": "00:00", "end": "24:00", "days": list(DAYS[:5])},
}


def _several(value: object) -> object:
    """One text where a list may stand."""
    return (
        (value,) if isinstance(value, str) else tuple(cast("list[object]", value)) if isinstance(value, list) else value
    )


def _each(check: Callable[[str], str]) -> AfterValidator:
    return AfterValidator(lambda values: tuple(map(check, values)))  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]


def _glob(text: str) -> str:
    if not text:
        raise ValueError("a pattern is empty; leave it out, or write *")
    try:
        Globs((text,))
    except re.error as error:
        raise ValueError(f"{text!r} is not a pattern ({error.msg})") from None
    return text


def _named(known: tuple[str, ...], text: str, read: str) -> str:
    if read not in known:
        near = get_close_matches(read, known, n=1)
        raise ValueError(f"{text!r} is none of {', '.join(known)}" + (f"; did you mean {near[0]}?" if near else ""))
    return read


def _network(text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        raise ValueError(f"{text!r} is not an address or a network such as 10.0.0.0/8") from None


def _zone(text: str) -> str:
    try:
        zone(text)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{text!r} is not a time zone such as Europe/Berlin") from None
    return text


def _minutes(text: object) -> object:
    if not isinstance(text, str):
        return text
    found = _CLOCK.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a time of day such as 09:00")
    return int(found[1] or found[3]) * 60 + int(found[2] or found[4])


def _rate(text: str) -> str:
    try:
        read_rule(text)
    except KnowgateError as error:
        raise ValueError(str(error)) from None
    return text


def _pattern(text: str) -> str:
    import re2  # pyright: ignore[reportMissingTypeStubs]

    options = re2.Options()
    options.log_errors = False  # it would write to standard error by itself
    try:
        re2.compile(text, options)
    except re2.error:
        raise ValueError(f"{text!r} is not a regular expression (in the RE2 dialect)") from None
    return text


def _when(text: str) -> str:
    When(text)
    return text


Listed = BeforeValidator(_several)
Patterns = Annotated[tuple[str, ...], Listed, _each(_glob)]
Methods = Annotated[tuple[str, ...], Listed, _each(lambda text: _named(METHODS, text, text.strip().upper()))]
Tags = Annotated[tuple[str, ...], Listed]
Networks = Annotated[tuple[str, ...], Listed, _each(_network)]
Days = Annotated[tuple[str, ...], Listed, _each(lambda text: _named(DAYS, text, text.strip().lower()[:3]))]
Clock = Annotated[int, BeforeValidator(_minutes)]
Count = Annotated[int, Field(ge=1)]
Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _given(cls, value: object) -> object:
        """`principals:` with nothing behind it must not come to mean everybody."""
        if value is None:
            raise ValueError("there is nothing behind it; write a value, or leave the key out")
        return value


class WindowForm(Form):
    start: Clock
    end: Clock
    days: Days = DAYS
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, data: object) -> object:
        if not isinstance(data, str):
            return data
        return _WINDOWS[_named(tuple(_WINDOWS), data, data)]

    @model_validator(mode="after")
    def _some_time(self) -> WindowForm:
        if self.start == self.end or self.start == 24 * 60 or not self.days:
            raise ValueError("this window is never open; for the whole day write start 00:00 and end 24:00")
        return self


class ConditionForm(Form):
    auth_profile: Patterns | None = None
    environment: Patterns | None = None
    source_ip: Networks | None = None
    time_window: WindowForm | None = None

    @model_validator(mode="before")
    @classmethod
    def _typed(cls, data: object) -> object:
        """`type: time_window` with its parts beside it, and `type: environment` with a value."""
        if not isinstance(data, dict):
            return data
        given = dict(cast("dict[str, Any]", data))
        if "type" in given:
            kind = _named(_CONDITION_TYPES, str(given["type"]), str(given.pop("type")))
            return {kind: given.pop("value"), **given} if "value" in given else {kind: given}
        window = given.get("time_window")
        if isinstance(window, str) and "timezone" in given and window in _WINDOWS:
            given["time_window"] = {**_WINDOWS[window], "timezone": given.pop("timezone")}
        return given

    @model_validator(mode="after")
    def _something(self) -> ConditionForm:
        if not self.model_fields_set:
            raise ValueError("a condition is empty")
        return self


Conditions = Annotated[tuple[ConditionForm, ...], Listed]


class BlockForm(Form):
    operations: Patterns | None = None
    methods: Methods | None = None
    tags: Tags | None = None
    all: bool | None = None
    conditions: Conditions = ()
    reason: str = ""
    require_human: bool = False

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: object) -> object:
        return {"all": True} if data is True else data

    @model_validator(mode="after")
    def _one_meaning(self) -> BlockForm:
        if self.all and not (self.operations is self.methods is self.tags is None):
            raise ValueError("all: true stands alone; it would make operations, methods and tags meaningless")
        return self


class RedactForm(Form):
    keys: Patterns = ()
    patterns: Annotated[tuple[str, ...], Listed, _each(_pattern)] = ()
    personal: bool = False


class LimitForm(Form):
    rate: Annotated[tuple[str, ...], Listed, _each(_rate)] = ()
    per_minute: Count | None = None
    per_hour: Count | None = None
    per_day: Count | None = None
    concurrency: Count | None = None
    cost: Cost = 0.0
    daily_cost: Cost | None = None


class AuditForm(Form):
    level: AuditLevel = "basic"
    include_body: bool = False
    include_response: bool = False


class TemplateForm(Form):
    description: str = ""
    pattern: Patterns | None = None
    tools: Patterns | None = None
    principals: Patterns | None = None
    documents: Patterns | None = None
    fields: Patterns | None = None
    conditions: Conditions = ()
    when: Annotated[str, AfterValidator(_when)] | None = None
    deny: BlockForm | None = None
    ask: BlockForm | None = None
    dry_run: BlockForm | None = None
    allow: BlockForm | None = None
    require_human: bool = False
    redact: RedactForm | None = None
    limit: LimitForm | None = None
    audit: AuditForm | None = None
    explain: str = ""


class RuleForm(TemplateForm):
    name: Annotated[str, Field(min_length=1)]
    use_template: str = ""


class MetadataForm(Form):
    name: str = ""
    description: str = ""
    author: str = ""
    created: str = ""
    modified: str = ""


class DefaultsForm(Form):
    allow_methods: Methods = ("GET", "HEAD", "OPTIONS")
    ask_methods: Methods = ()
    deny_external_refs: bool = True
    require_auth: bool = True
    audit_level: AuditLevel = "basic"


class PolicyForm(Form):
    version: Annotated[Literal["1.0", "1"], BeforeValidator(lambda value: str(value))] = "1.0"
    metadata: MetadataForm = Field(default_factory=MetadataForm)
    defaults: DefaultsForm = Field(default_factory=DefaultsForm)
    includes: Tags = ()
    templates: dict[str, TemplateForm] = Field(default_factory=dict[str, TemplateForm])
    rules: Annotated[tuple[RuleForm, ...], Listed] = ()
