"""What FlowRAG's configuration can say: its keys, defaults and bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic.alias_generators import to_camel

Text = Annotated[str, Field(min_length=1)]
Types = Annotated[tuple[Text, ...], Field(min_length=1)]


class Part(BaseModel):
    # Keys that nobody knows are passed over here, and told of by whoever reads the file.
    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


class FlowragField(Part):
    type: Literal["string", "enum"]
    values: tuple[Text, ...] = ()
    default: str | None = None
    filterable: bool = False

    @model_validator(mode="after")
    def _check(self) -> FlowragField:
        if self.type == "enum" and not self.values:
            raise ValueError("a field of type enum needs values")
        if self.type == "enum" and self.default is not None and self.default not in self.values:
            raise ValueError("the default is none of the values")
        return self


class FlowragSchema(Part):
    entity_types: Types = ("SERVICE", "DATABASE", "PROTOCOL", "TEAM", "CONCEPT")
    relation_types: Types = ("USES", "PRODUCES", "CONSUMES", "OWNS", "DEPENDS_ON")
    document_fields: dict[Text, FlowragField] = {}
    entity_fields: dict[Text, FlowragField] = {}
    relation_fields: dict[Text, FlowragField] = {}


class FlowragEmbedder(Part):
    provider: Literal["local", "gemini", "bedrock", "openai"]
    model: Text | None = None


class FlowragExtractor(Part):
    provider: Literal["gemini", "bedrock", "openai", "anthropic", "local"]
    """FlowRAG stops at `local`; here it means to do without a model."""
    model: Text | None = None


class FlowragKv(Part):
    provider: Literal["json", "s3", "redis"]
    url: str | None = None
    bucket: str | None = None
    prefix: str | None = None
    region: str | None = None


class FlowragVector(Part):
    provider: Literal["lancedb", "sqlite", "opensearch", "redis"]
    path: str | None = None
    node: str | None = None
    url: str | None = None
    dimensions: Annotated[int, Field(ge=1)] | None = None


class FlowragGraph(Part):
    provider: Literal["sqlite", "opensearch"]
    path: str | None = None
    node: str | None = None


class FlowragStorage(Part):
    kv: FlowragKv | None = None
    vector: FlowragVector | None = None
    graph: FlowragGraph | None = None


class FlowragAuth(Part):
    token: Annotated[SecretStr, Field(min_length=1)]


class FlowragConfig(Part):
    data: Path = Path("data")
    docs: Path | None = None
    schema_: Annotated[FlowragSchema, Field(alias="schema")] = FlowragSchema()
    namespace: Text | None = None
    embedder: FlowragEmbedder = FlowragEmbedder(provider="local")
    extractor: FlowragExtractor = FlowragExtractor(provider="gemini")
    storage: FlowragStorage = FlowragStorage()
    transport: Literal["stdio", "http"] = "stdio"
    port: Annotated[int, Field(ge=0, le=65535)] = 3000
    auth: FlowragAuth | None = None
