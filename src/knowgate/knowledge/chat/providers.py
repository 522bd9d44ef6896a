"""Whose models chat can talk to, and how pydantic-ai is told so. Nothing is taken from the environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from knowgate.errors import InputError
from knowgate.net.address import is_loopback
from knowgate.net.quiet import keep_quiet

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model


@dataclass(frozen=True, slots=True)
class Provider:
    base_url: str
    """Its own address."""
    needs_key: bool = True
    package: str = ""
    """What has to be importable; empty when it comes with Knowgate."""


PROVIDERS = {
    "openai": Provider("https://api.openai.com/v1"),
    "ollama": Provider("http://localhost:11434/v1", needs_key=False),
    "anthropic": Provider("https://api.anthropic.com", package="anthropic"),
    "gemini": Provider("https://generativelanguage.googleapis.com", package="google.genai"),
    # Credentials and, unless it is given, the region come from AWS's own chain (profile, role …).
    "bedrock": Provider("", needs_key=False, package="boto3"),
}


@dataclass(frozen=True, slots=True)
class Connection:
    provider: str
    model: str
    base_url: str
    api_key: str = field(repr=False)
    timeout_seconds: float
    region: str | None = None
    section: str = "chat"
    """Of the settings, for messages."""

    @property
    def where(self) -> str:
        """For messages: without path, user name and password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2] or self.provider

    @property
    def local(self) -> bool:
        return is_loopback(urlsplit(self.base_url).hostname or "")


def connect(
    provider: str,
    model: str = "",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_seconds: float = 60.0,
    region: str | None = None,
    section: str = "chat",
) -> Connection:
    """Check what can be checked without a call."""
    known = PROVIDERS.get(provider)
    if known is None:
        message = f"There is no {section} provider {provider!r}."
        raise InputError("unknown_provider", message, f"Use one of: {', '.join(PROVIDERS)}.")
    key = (api_key or "").strip()
    if not key.isascii() or not key.isprintable():
        fix = "Copy it again, without quotes and line breaks."
        raise InputError("model_malformed_key", f"The `api_key` of {section} contains characters no key has.", fix)
    # A server of one's own may do without; the provider's does not.
    if known.needs_key and not key and not base_url:
        raise InputError("model_key_missing", f"{provider} needs a key.", f"Set the `api_key` of {section}.")
    return Connection(provider, model, (base_url or known.base_url).rstrip("/"), key, timeout_seconds, region, section)


def check_installed(provider: str) -> None:
    package = PROVIDERS[provider].package
    if package and not _importable(package):
        message = f"A model of {provider} needs the package {package}, which is not installed."
        raise InputError("missing_extra", message, f'Install it with `pip install "knowgate[{provider}]"`.')


def _importable(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def open_client(connection: Connection) -> httpx2.AsyncClient:
    import httpx2

    keep_quiet()
    timeout = httpx2.Timeout(connection.timeout_seconds, connect=min(connection.timeout_seconds, 10.0))
    # A proxy set for the outside world must not swallow calls to a model server on this machine.
    return httpx2.AsyncClient(timeout=timeout, trust_env=not connection.local)


def build(connection: Connection, client: httpx2.AsyncClient) -> Model:
    """A model that makes each request once: whether to try again is not the library's decision."""
    name, url = connection.model, connection.base_url
    from pydantic_ai.settings import ModelSettings

    once = ModelSettings(max_retries=0)
    # Where no key is needed one must be sent all the same, or pydantic-ai looks for one in the environment.
    key = connection.api_key or "none"
    if connection.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(
            name, provider=AnthropicProvider(api_key=key, base_url=url, http_client=client), settings=once
        )
    if connection.provider == "gemini":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=url, http_client=client), settings=once)
    if connection.provider == "bedrock":
        return _bedrock(connection)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if connection.provider == "ollama":
        provider = OllamaProvider(url, key, http_client=client)
    elif url == PROVIDERS["openai"].base_url:
        provider = OpenAIProvider(url, key, http_client=client)
    else:
        provider = OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key, http_client=client)
    # Otherwise a connection that ends too early would pass for a complete answer.
    whole = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    return OpenAIChatModel(name, provider=provider, profile=whole, settings=once)


def _bedrock(connection: Connection) -> Model:
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    # Its overloads do not know that the key may be missing.
    provider = cast(Any, BedrockProvider)(
        api_key=connection.api_key or None,
        region_name=connection.region,
        base_url=connection.base_url or None,
        aws_read_timeout=connection.timeout_seconds,
        aws_connect_timeout=min(connection.timeout_seconds, 10.0),
    )
    return BedrockConverseModel(connection.model, provider=provider)
