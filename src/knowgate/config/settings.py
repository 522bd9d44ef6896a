"""Every setting: its default, its bounds and one sentence about it.

The sentences are printed: by `knowgate config`, in its example file and in docs/configure.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


@dataclass(frozen=True, slots=True)
class Expected:
    """What a pattern asks for, in words; put beside it in `Annotated`."""

    words: str


Provider = Literal["minilm", "openai", "gemini", "bedrock", "ollama"]
ChatProvider = Literal["none", "openai", "ollama", "anthropic", "gemini", "bedrock"]
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
    model_config = ConfigDict(frozen=True, extra="forbid")


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

    provider: ChatProvider = Field(
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
    search: Search = Search()
    chat: Chat = Chat()
    server: Server = Server()
    store: Store = Store()
