"""Settings of documents: how they are read, searched and spoken about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from knowgate.config.kinds import Address, ModelProvider, Name, Provider, Section
from knowgate.folders import EXCLUDE
from knowgate.model import DEFAULT_SCHEMA


class Embedder(Section):
    """What turns text into vectors."""

    provider: Provider = Field(
        default="minilm",
        description="Who computes the vectors: the built-in model (minilm), any OpenAI-compatible server (openai), "
        "gemini, bedrock or ollama.",
    )
    model: Name | None = Field(
        default=None,
        description="Name of the model; not set, the provider's usual one.",
        examples=["text-embedding-3-small"],
    )
    dimension: int | None = Field(
        default=None,
        ge=1,
        le=16384,
        description="Length of the vectors; not set, the model's own.",
        examples=[768],
    )
    base_url: Address | None = Field(
        default=None,
        description="Address of the provider's server; not set, the provider's own.",
        examples=["http://localhost:8080/v1"],
    )
    api_key: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="Key for the provider, best written as ${NAME} so that the file holds no secret.",
        examples=["${OPENAI_API_KEY}"],
    )
    query_prefix: str | None = Field(
        default=None,
        description="Text put before a question; not set, the one the model was trained with.",
        examples=["query: "],
    )
    passage_prefix: str | None = Field(
        default=None,
        description="Text put before a passage; not set, the one the model was trained with.",
        examples=["passage: "],
    )
    batch_size: int = Field(default=32, ge=1, le=2048, description="How many texts go to a remote provider at once.")
    timeout_seconds: float = Field(
        default=60.0,
        ge=0.1,
        le=3600,
        allow_inf_nan=False,
        description="How long one call to a remote provider may take.",
    )
    region: Name | None = Field(default=None, description="AWS region, for bedrock only.", examples=["eu-central-1"])


class Parse(Section):
    """How files are read; each one in a worker process with these limits."""

    timeout_seconds: float = Field(
        default=60.0, ge=0.1, le=3600, allow_inf_nan=False, description="How long reading one file may take."
    )
    memory_mb: int = Field(
        default=1024, ge=128, le=65536, description="How much memory reading one file may take, in megabytes."
    )
    max_file_mb: int = Field(
        default=100, ge=1, le=10240, description="Files larger than this many megabytes are refused."
    )
    ocr: bool = Field(default=False, description="Read the text in scanned pages and images; needs the ocr extra.")
    workers: int = Field(default=2, ge=1, le=64, description="How many files are read at the same time.")


class Chunk(Section):
    """How documents are cut into passages."""

    tokens: int = Field(
        default=250, ge=32, le=2000, description="Longest passage, counted in the embedder's own tokens."
    )


class Fetch(Section):
    """How addresses are fetched."""

    allow_private: bool = Field(
        default=False, description="Fetch from private and loopback addresses too, which are refused otherwise."
    )
    allow_hosts: tuple[Name, ...] = Field(
        default=(),
        description="Hosts that may be fetched although their address is private.",
        examples=[("wiki.internal",)],
    )
    max_mb: int = Field(default=50, ge=1, le=10240, description="Answers larger than this many megabytes are refused.")
    timeout_seconds: float = Field(
        default=30.0, ge=0.1, le=3600, allow_inf_nan=False, description="How long fetching one address may take."
    )


class Ingest(Section):
    """What goes into the index."""

    exclude: tuple[Name, ...] = Field(
        default=EXCLUDE,
        description="Names or glob patterns of files and folders that are left out when a folder is indexed.",
    )
    owner: Name = Field(default="local", description="Whom documents belong to when nothing else is said.")


class CustomField(Section):
    """A field that documents, entities or relations have here."""

    type: Literal["string", "enum"] = Field(
        default="string", description="Any text (string), or one of some values (enum).", examples=["enum"]
    )
    values: tuple[Name, ...] = Field(
        default=(), description="What an enum may be; a wrong value is told.", examples=[("draft", "final")]
    )
    default: str | None = Field(
        default=None, description="What it is when nothing is said; not set, nothing.", examples=["draft"]
    )
    filterable: bool = Field(default=False, description="Whether people are meant to filter by it.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.type == "enum" and not self.values:
            raise ValueError("a field of type enum needs values")
        if self.type == "enum" and self.default is not None and self.default not in self.values:
            raise ValueError("the default is none of the values")
        return self


class Schema(Section):
    """What the knowledge graph is made of."""

    entity_types: tuple[Name, ...] = Field(
        default=DEFAULT_SCHEMA.entity_types, min_length=1, description="Kinds of things that documents speak of."
    )
    relation_types: tuple[Name, ...] = Field(
        default=DEFAULT_SCHEMA.relation_types, min_length=1, description="Kinds of relations between them."
    )
    backward: tuple[Name, ...] = Field(
        default=tuple(DEFAULT_SCHEMA.flows),
        description="Relations along which things flow from the target to the source: who consumes a topic is "
        "downstream of it.",
    )
    document_fields: Mapping[Name, CustomField] = Field(
        default_factory=dict[str, CustomField], description="Fields of documents, read from their front matter."
    )
    entity_fields: Mapping[Name, CustomField] = Field(
        default_factory=dict[str, CustomField], description="Fields of entities, which a model is asked for."
    )
    relation_fields: Mapping[Name, CustomField] = Field(
        default_factory=dict[str, CustomField], description="Fields of relations, which a model is asked for."
    )


class Model(Section):
    """A language model, and how it is reached."""

    provider: ModelProvider = "none"
    model: Name | None = Field(
        default=None, description="Name of the model; needed with a provider.", examples=["gpt-5-mini"]
    )
    base_url: Address | None = Field(
        default=None,
        description="Address of the provider's server; not set, the provider's own.",
        examples=["http://localhost:11434/v1"],
    )
    api_key: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="Key for the provider, best written as ${NAME} so that the file holds no secret.",
        examples=["${OPENAI_API_KEY}"],
    )
    region: Name | None = Field(default=None, description="AWS region, for bedrock only.", examples=["eu-central-1"])


class Extract(Model):
    """Who else reads entities and relations out of passages, besides our own rules."""

    provider: ModelProvider = Field(
        default="none",
        description="Whose model reads every passage once: nobody's (none), any OpenAI-compatible server (openai), "
        "ollama, anthropic, gemini or bedrock.",
    )
    timeout_seconds: float = Field(
        default=120.0, ge=0.1, le=3600, allow_inf_nan=False, description="How long the model may keep silent."
    )
    gleaning: int = Field(
        default=0, ge=0, le=3, description="How many more times it is asked what it has missed in a passage."
    )
    concurrency: int = Field(default=4, ge=1, le=64, description="How many passages it reads at the same time.")


class Search(Section):
    """How results are returned."""

    limit: int = Field(default=10, ge=1, le=1000, description="How many results a search returns.")


class Chat(Model):
    """Who answers in chat, from the passages that were found."""

    provider: ModelProvider = Field(
        default="none",
        description="Who words the answers: nobody, the best sentences are quoted (none), any OpenAI-compatible server "
        "(openai), ollama, anthropic, gemini or bedrock.",
    )
    system_prompt: str = Field(
        default="", max_length=100_000, description="What the model is told of its task, besides our own rules."
    )
    timeout_seconds: float = Field(
        default=60.0,
        ge=0.1,
        le=3600,
        allow_inf_nan=False,
        description="How long the model may keep silent, before its first word and between two.",
    )
    on_failure: Literal["extractive", "error"] = Field(
        default="extractive",
        description="When the model fails: quote the best sentences and say so (extractive), or fail (error).",
    )
