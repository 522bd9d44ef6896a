"""Settings of APIs and of what they are called with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from knowgate.config.kinds import Address, Name, Place, Section


class Api(Section):
    """An API whose operations can be called."""

    spec: Place = Field(
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
