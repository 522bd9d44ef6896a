"""What settings are made of: sections, and the kinds of values that several of them have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class Expected:
    """What a pattern asks for, in words; put beside it in `Annotated`."""

    words: str


Provider = Literal["minilm", "openai", "gemini", "bedrock", "ollama"]
ModelProvider = Literal["none", "openai", "ollama", "anthropic", "gemini", "bedrock"]
Name = Annotated[str, Field(min_length=1)]
# A password in an address would be printed wherever the address is.
Address = Annotated[
    str,
    Field(pattern=r"^https?://[^\s/?#@]+([/?#]\S*)?$"),
    Expected("an http:// or https:// address without user name and password"),
]
Place = Annotated[
    str,
    Field(pattern=re.compile(r"^(?!https?://[^/?#]*@).", re.IGNORECASE | re.DOTALL)),
    Expected("a path, or an http:// or https:// address without user name and password"),
]
Rate = Annotated[
    str,
    Field(pattern=r"^(off|[1-9]\d{0,8}/(second|minute|hour|day))$"),
    Expected("a number per second, minute, hour or day, such as 60/minute, or off"),
]
Host = Annotated[str, Field(pattern=r"^[^\s/]+$"), Expected("a host name or an IP address")]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, hide_input_in_errors=True)
