"""Every setting: its default, its bounds and one sentence about it.

The sentences are printed: by `knowgate config`, in its example file and in docs/configure.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from knowgate.model import DEFAULT_SCHEMA


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
Rate = Annotated[
    str,
    Field(pattern=r"^(off|[1-9]\d{0,8}/(second|minute|hour|day))$"),
    Expected("a number per second, minute, hour or day, such as 60/minute, or off"),
]
Host = Annotated[str, Field(pattern=r"^[^\s/]+$"), Expected("a host name or an IP address")]


def data_folder() -> Path:
    """The same folder whatever the working directory is."""
    from platformdirs import user_data_path

    return user_data_path("knowgate", appauthor=False)


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)


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


class Extract(Section):
    """Who else reads entities and relations out of passages, besides our own rules."""

    provider: ModelProvider = Field(
        default="none",
        description="Whose model reads every passage once: nobody's (none), any OpenAI-compatible server (openai), "
        "ollama, anthropic, gemini or bedrock.",
    )
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
    timeout_seconds: float = Field(
        default=120.0, ge=0.1, le=3600, allow_inf_nan=False, description="How long the model may keep silent."
    )
    gleaning: int = Field(
        default=0, ge=0, le=3, description="How many more times it is asked what it has missed in a passage."
    )
    concurrency: int = Field(default=4, ge=1, le=64, description="How many passages it reads at the same time.")


class Api(Section):
    """An API whose operations can be called."""

    spec: Name = Field(
        description="Its OpenAPI description: a path, or an http:// or https:// address.", examples=["./petstore.yaml"]
    )
    base_url: Address | None = Field(
        default=None,
        description="Where it is called; not set, the server that the description names.",
        examples=["https://api.example.com/v1"],
    )
    auth: tuple[Name, ...] = Field(
        default=(), description="Profiles of [auth] that its calls may use, the first that fits.", examples=[("shop",)]
    )
    overlays: tuple[Path, ...] = Field(
        default=(), description="OpenAPI overlays that change the description.", examples=[(Path("./fixes.yaml"),)]
    )
    allow_private: bool = Field(
        default=False, description="Call it although its address is private or of this machine."
    )


class Auth(Section):
    """With what an API is called. The secret itself stands elsewhere: exactly one secret_… says where."""

    type: Literal[
        "bearer", "basic", "api_key", "oauth2_client_credentials", "oauth2_authorization_code", "mutual_tls"
    ] = Field(description="How the API wants to know us.", examples=["bearer"])
    origins: tuple[Address, ...] = Field(
        default=(),
        description="Where it may be sent; not set, to the APIs that name it.",
        examples=[("https://api.example.com",)],
    )
    operations: tuple[Name, ...] = Field(
        default=(), description="Operations that may use it, as patterns; not set, all.", examples=[("get*",)]
    )
    secret_env: Name | None = Field(
        default=None, description="Environment variable that holds the secret.", examples=["SHOP_TOKEN"]
    )
    secret_file: Path | None = Field(
        default=None,
        description="File that holds it, readable by its owner only.",
        examples=[Path("~/.secrets/shop")],
    )
    secret_keyring: Name | None = Field(
        default=None, description="Entry of the key ring, as service/user.", examples=["shop/api"]
    )
    secret_command: tuple[Name, ...] = Field(
        default=(), description="Command that prints it.", examples=[("pass", "shop/token")]
    )
    user: Name | None = Field(default=None, description="User name, of basic.", examples=["ann"])
    header: Name | None = Field(default=None, description="Header of an API key.", examples=["X-API-Key"])
    query: Name | None = Field(default=None, description="Query parameter of an API key.", examples=["api_key"])
    cookie: Name | None = Field(default=None, description="Cookie of an API key.", examples=["session"])
    client_id: Name | None = Field(default=None, description="Our name at an OAuth2 server.", examples=["knowgate"])
    token_url: Address | None = Field(
        default=None, description="Where OAuth2 tokens are given out.", examples=["https://id.example.com/token"]
    )
    authorization_url: Address | None = Field(
        default=None, description="Where a person signs in.", examples=["https://id.example.com/authorize"]
    )
    scopes: tuple[Name, ...] = Field(default=(), description="What is asked for.", examples=[("read",)])
    cert_file: Path | None = Field(default=None, description="Our certificate.", examples=[Path("./client.pem")])
    key_file: Path | None = Field(default=None, description="Its key.", examples=[Path("./client.key")])
    ca_file: Path | None = Field(default=None, description="Whom to trust.", examples=[Path("./ca.pem")])


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


class Ingest(Section):
    """What goes into the index."""

    exclude: tuple[Name, ...] = Field(
        default=(
            ".git",
            ".hg",
            ".svn",
            ".venv",
            "venv",
            "node_modules",
            "__pycache__",
            "*.pyc",
            ".*_cache",
            ".tox",
            ".idea",
            ".env",
            ".env.*",
            ".DS_Store",
            "Thumbs.db",
            "~$*",
        ),
        description="Names or glob patterns of files and folders that are left out when a folder is indexed.",
    )
    owner: Name = Field(default="local", description="Whom documents belong to when nothing else is said.")


class Search(Section):
    """How results are returned."""

    limit: int = Field(default=10, ge=1, le=1000, description="How many results a search returns.")


class Chat(Section):
    """Who answers in chat, from the passages that were found."""

    provider: ModelProvider = Field(
        default="none",
        description="Who words the answers: nobody, the best sentences are quoted (none), any OpenAI-compatible server "
        "(openai), ollama, anthropic, gemini or bedrock.",
    )
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
    region: Name | None = Field(default=None, description="AWS region, for bedrock only.", examples=["eu-central-1"])


class Server(Section):
    """Where `knowgate serve` listens, and to whom."""

    host: Host = Field(
        default="127.0.0.1",
        description="Address of this machine to listen on; one that other machines can reach needs a key first.",
        examples=["192.168.1.20"],
    )
    port: int = Field(default=3000, ge=0, le=65535, description="Port to listen on; 0 takes any free one.")
    workers: int = Field(default=2, ge=1, le=64, description="How many tasks are worked on at the same time.")
    max_mb: int = Field(
        default=1024, ge=1, le=102400, description="Requests larger than this many megabytes are refused."
    )
    rate: Rate = Field(default="1200/minute", description="How many requests one caller may make.")
    chat_rate: Rate = Field(default="120/minute", description="How many messages one caller may send to chat.")
    ingest_rate: Rate = Field(default="300/minute", description="How many times one caller may hand over documents.")
    cors_origins: tuple[Address, ...] = Field(
        default=(),
        description="Web pages of these addresses may call the server from a browser.",
        examples=[("https://tools.example.com",)],
    )


class Store(Section):
    """How the index is kept."""

    provider: Literal["sqlite", "opensearch"] = Field(
        default="sqlite",
        description="Where the index is: in the data folder (sqlite), or on a cluster of machines (opensearch).",
    )
    url: tuple[Address, ...] = Field(
        default=("http://127.0.0.1:9200",),
        min_length=1,
        description="Addresses of the cluster's nodes; one is enough, more survive its loss.",
    )
    user: Name | None = Field(default=None, description="Who we are to the cluster.", examples=["knowgate"])
    password: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="The user's password, best written as ${NAME} so that the file holds no secret.",
        examples=["${OPENSEARCH_PASSWORD}"],
    )
    api_key: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="A key for the cluster instead of user and password, best written as ${NAME}.",
        examples=["${OPENSEARCH_API_KEY}"],
    )
    ca_file: Path | None = Field(
        default=None,
        description="Certificate authority of the cluster, if it has one of its own.",
        examples=[Path("./opensearch-ca.pem")],
    )
    verify: bool = Field(default=True, description="Whether the cluster's certificate must be right.")
    prefix: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$"), Expected("small letters and digits")] = Field(
        default="knowgate", description="What the names of our indexes on the cluster begin with."
    )
    shards: int = Field(
        default=1,
        ge=1,
        le=1024,
        description="Into how many parts a new index is cut; one for about 5 million passages.",
    )
    replicas: int = Field(
        default=1, ge=0, le=10, description="How many copies of each part a new index has; each may be lost."
    )
    timeout_seconds: float = Field(default=30.0, ge=1, le=600, description="How long the cluster may take to answer.")
    sync: Literal["normal", "full"] = Field(
        default="normal",
        description="What a power cut may cost: the last moments of work (normal), or nothing, more slowly (full).",
    )


class Settings(Section):
    data: Path = Field(
        default_factory=data_folder,
        description="Folder that holds the index; not set, `knowgate` in the user's data folder.",
        examples=[Path("./data")],
    )
    docs: tuple[Path, ...] = Field(
        default=(),
        description="Folders that `knowgate ingest` and `knowgate watch` take when none is named.",
        examples=[(Path("./docs"),)],
    )
    embedder: Embedder = Embedder()
    parse: Parse = Parse()
    chunk: Chunk = Chunk()
    fetch: Fetch = Fetch()
    ingest: Ingest = Ingest()
    schema_: Schema = Field(default=Schema(), alias="schema")
    extract: Extract = Extract()
    search: Search = Search()
    chat: Chat = Chat()
    server: Server = Server()
    store: Store = Store()
    apis: Mapping[Name, Api] = Field(default_factory=dict[str, Api], description="APIs whose operations can be called.")
    auth: Mapping[Name, Auth] = Field(
        default_factory=dict[str, Auth], description="Profiles with which APIs are called."
    )
    policy: Policy = Policy()
    audit: Audit = Audit()
    redact: Redact = Redact()
    limits: Limits = Limits()
