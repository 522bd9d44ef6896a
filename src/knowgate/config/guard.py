"""Settings of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from knowgate.config.kinds import Name, Rate, Section


class Policy(Section):
    """What assistants and people may do."""

    file: Path | None = Field(
        default=None,
        description="A policy.yaml; not set, reads are allowed, API writes ask a person, the rest is denied.",
        examples=[Path("./policy.yaml")],
    )
    approval_seconds: int = Field(
        default=600, ge=10, le=86_400, description="How long a question to a person, and his answer, are good."
    )


class Audit(Section):
    """Who did what: a trail that cannot be changed unnoticed."""

    enabled: bool = Field(default=True, description="Write down every call.")
    folder: Path | None = Field(
        default=None, description="Where; not set, `audit` in the data folder.", examples=[Path("/var/log/knowgate")]
    )
    max_mb: int = Field(default=100, ge=1, le=10_000, description="A new file is begun after so many megabytes.")
    keep: int = Field(default=30, ge=1, le=10_000, description="How many files are kept.")


class Redact(Section):
    """What is hidden in whatever leaves: secrets always, personal data if wanted."""

    level: Literal["secrets", "personal", "off"] = Field(
        default="secrets", description="Hide secrets, personal data too, or nothing."
    )
    keys: tuple[Name, ...] = Field(
        default=(), description="Further names of fields whose values are hidden.", examples=[("iban",)]
    )
    patterns: tuple[Name, ...] = Field(
        default=(), description="Further patterns (RE2) of what is hidden.", examples=[("ACME-[0-9]{8}",)]
    )
    allow: tuple[Name, ...] = Field(
        default=(), description="Values that are shown although they look like secrets.", examples=[("EXAMPLEKEY",)]
    )


class Limits(Section):
    """How much may be called, besides the server's own rates."""

    rate: Rate = Field(default="off", description="All calls through the gate together.")
    principal_rate: Rate = Field(default="off", description="Calls of one caller.")
    api_rate: Rate = Field(default="600/minute", description="Calls of one API.")
    operation_rate: Rate = Field(default="off", description="Calls of one operation.")
    repeats: Rate = Field(
        default="30/minute", description="Exactly the same call of an API by one caller; other tools are not counted."
    )
    at_once: int = Field(default=16, ge=1, le=1000, description="Calls of one API at the same time.")
    daily_cost: float | None = Field(
        default=None,
        ge=0,
        le=1_000_000_000,
        allow_inf_nan=False,
        description="What all calls of a day may cost, as rules count it.",
        examples=[100.0],
    )
