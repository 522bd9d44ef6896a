"""Which models a provider offers."""

from __future__ import annotations

from typing import Any

from knowgate.errors import InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.chat.providers import Connection, connect
from knowgate.net.quiet import keep_quiet

_PATIENCE = 15.0
_CHECK = "Check the `base_url` and the `api_key` of chat in the settings."


def list_models(provider: str, base_url: str | None = None, api_key: str | None = None) -> list[str]:
    """Names in alphabetical order, as the provider's server lists them."""
    import httpx2
    import orjson

    keep_quiet()
    connection = connect(provider, base_url=base_url, api_key=api_key, timeout_seconds=_PATIENCE)
    if not connection.base_url:
        message = f"The models of {provider} cannot be listed."
        raise InputError("models_not_listed", message, "Look for their names in the provider's console.")
    address, headers = _request(connection)
    try:
        with httpx2.Client(timeout=_PATIENCE, trust_env=not connection.local) as client:
            response = client.get(address, headers=headers)
    except httpx2.TimeoutException:
        message = f"{connection.where} kept silent for {_PATIENCE:g} seconds."
        raise NetworkError("model_timeout", message, "Try again.") from None
    except httpx2.HTTPError:
        raise NetworkError("model_unreachable", f"{connection.where} cannot be reached.", _CHECK) from None
    if response.status_code != 200:
        raise _refusal(connection, response.status_code)
    try:
        return _names(orjson.loads(response.content))
    except (ValueError, TypeError, KeyError, AttributeError):
        message = f"{connection.where} did not answer with a list of models."
        raise NetworkError("model_malformed", message, _CHECK) from None


def _request(connection: Connection) -> tuple[str, dict[str, str]]:
    key = connection.api_key
    if connection.provider == "anthropic":
        return f"{connection.base_url}/v1/models", {"x-api-key": key, "anthropic-version": "2023-06-01"}
    if connection.provider == "gemini":
        return f"{connection.base_url}/v1beta/models", {"x-goog-api-key": key}
    return f"{connection.base_url}/models", {"Authorization": f"Bearer {key}"} if key else {}


def _names(answer: Any) -> list[str]:
    """OpenAI and Anthropic list them under `data`, Google under `models` and with a prefix."""
    listed = answer["data"] if "data" in answer else answer["models"]
    return sorted({str(each.get("id") or each["name"]).removeprefix("models/") for each in listed})


def _refusal(connection: Connection, status: int) -> KnowgateError:
    message = f"{connection.where} answered {status}."
    if status == 429:
        return LimitError("model_rate_limited", message, "Wait a little and try again.")
    if status in (401, 403):
        return NetworkError("model_refused_key", message, "Check the `api_key` of chat in the settings.")
    return NetworkError("model_failed", message, _CHECK)
