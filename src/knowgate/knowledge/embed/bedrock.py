"""Amazon Bedrock through boto3: Titan and Cohere. Credentials come from AWS's own chain (profile, role …)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import orjson

from knowgate.errors import InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.embed.wire import Connection, MalformedAnswerError, Role, attempts, listed

DEFAULT_MODEL = "amazon.titan-embed-text-v2:0"
_COHERE_ROLES: dict[Role, str] = {"query": "search_query", "passage": "search_document"}
_AUTH = ("AccessDeniedException", "UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException")
_LIMIT = ("ThrottlingException", "ServiceQuotaExceededException", "TooManyRequestsException")
_INPUT = ("ValidationException", "ResourceNotFoundException")


def connect(connection: Connection, model: str, shorten_to: int | None) -> BedrockWire:
    return BedrockWire(connection, model, shorten_to)


class BedrockWire:
    def __init__(self, connection: Connection, model: str, shorten_to: int | None = None) -> None:
        try:
            import_module("boto3")
        except ModuleNotFoundError:
            fix = 'Install it with `pip install "knowgate[bedrock]"`.'
            raise InputError("embedder_needs_extra", "The Bedrock embedder needs the package boto3.", fix) from None
        self._model = model
        self._shorten_to = shorten_to
        self._place = {"region_name": connection.region, "endpoint_url": connection.base_url}
        self._timeout = connection.timeout_seconds
        self._cohere = "cohere." in model
        self.max_batch = 96 if self._cohere else 1

    def embed(self, texts: Sequence[str], role: Role) -> list[object]:
        if not self._cohere:
            body: dict[str, object] = {"inputText": texts[0]}
            if self._shorten_to:
                body["dimensions"] = self._shorten_to
            return [listed(self._invoke(body, role), "embedding")]
        body = {"texts": list(texts), "input_type": _COHERE_ROLES[role], "truncate": "END"}
        if self._shorten_to:
            body["output_dimension"] = self._shorten_to
        answer = self._invoke(body, role)
        try:
            return listed(answer, "embeddings")
        except MalformedAnswerError:
            # From version 4 on, and when types are asked for, vectors are listed by type.
            return listed(answer, "embeddings", "float")

    def close(self) -> None:
        clients: dict[Role, Any] = self.__dict__.pop("_clients", {})
        for client in clients.values():
            client.close()

    def _invoke(self, body: object, role: Role) -> object:
        exceptions: Any = import_module("botocore.exceptions")
        try:
            answer = self._clients[role].invoke_model(
                modelId=self._model, body=orjson.dumps(body), contentType="application/json", accept="application/json"
            )
            return orjson.loads(answer["body"].read())
        except exceptions.ClientError as error:
            raise self._refusal(error.response.get("Error", {})) from None
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError):
            message = "There are no AWS credentials for Bedrock."
            raise InputError(
                "embedder_no_credentials", message, "Sign in with `aws configure` or `aws sso login`."
            ) from None
        except (exceptions.BotoCoreError, orjson.JSONDecodeError) as error:
            message = f"Bedrock did not answer as it should ({type(error).__name__})."
            raise NetworkError(
                "embedder_unreachable", message, "Check the network and the embedder's `region`."
            ) from None

    def _refusal(self, error: dict[str, str]) -> KnowgateError:
        code = error.get("Code", "")
        message = f"Bedrock answered {code}: {error.get('Message', '')}"[:300]
        if code in _LIMIT:
            return LimitError("embedder_rate_limited", message, "Wait a little and try again.")
        if code in _AUTH:
            fix = f"Ask for access to {self._model} in the Bedrock console and check your AWS credentials."
            return NetworkError("embedder_refused_key", message, fix)
        if code in _INPUT:
            return InputError("embedder_refused", message, "Check the embedder's `model`, `dimension` and `region`.")
        return NetworkError("embedder_failed", message, "Try again later.")

    @cached_property
    def _clients(self) -> dict[Role, Any]:
        """boto3 retries by itself, so that each role has a client with its own patience."""
        boto3: Any = import_module("boto3")
        config: Any = import_module("botocore.config")
        exceptions: Any = import_module("botocore.exceptions")

        def client(role: Role) -> Any:
            retries = {"mode": "standard", "total_max_attempts": attempts(role)}
            options = config.Config(
                read_timeout=self._timeout, connect_timeout=min(self._timeout, 10.0), retries=retries
            )
            return boto3.session.Session().client("bedrock-runtime", config=options, **self._place)

        try:
            return {"query": client("query"), "passage": client("passage")}
        except (exceptions.NoRegionError, exceptions.InvalidRegionError, ValueError):
            fix = "Set the embedder's `region`, such as us-east-1."
            raise InputError("embedder_bad_region", "The AWS region for Bedrock is missing or wrong.", fix) from None
