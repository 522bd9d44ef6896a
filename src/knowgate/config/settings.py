"""Every setting: its default, its bounds and one sentence about it.

The sentences are printed: by `knowgate config`, in its example file and in docs/configure.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from knowgate.config.apis import Api, Auth
from knowgate.config.guard import Audit, Limits, Policy, Redact
from knowgate.config.kinds import Address, Expected, Host, Name, Rate, Section
from knowgate.config.knowledge import Chat, Chunk, Embedder, Extract, Fetch, Ingest, Parse, Schema, Search


def data_folder() -> Path:
    """The same folder whatever the working directory is."""
    from platformdirs import user_data_path

    return user_data_path("knowgate", appauthor=False)


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
    token: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="A bearer token for the cluster instead, best written as ${NAME}.",
        examples=["${OPENSEARCH_TOKEN}"],
    )
    auth: Name | None = Field(
        default=None,
        description="Profile of [auth] that holds the login instead: basic, bearer or api_key.",
        examples=["cluster"],
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

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [name for name in ("user", "password", "api_key", "token", "auth") if getattr(self, name) is not None]
        if given in (["user"], ["password"]):
            missing = "password" if given == ["user"] else "user"
            raise ValueError(f"{given[0]} is set, but {missing} is not")
        if len(given) > 1 and given != ["user", "password"]:
            raise ValueError(f"{', '.join(given)} are more than one login")
        return self


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
