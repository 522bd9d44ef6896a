"""What can go wrong with a model, as typed errors: the cause, the fix, and never the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from knowgate.errors import KnowgateError, LimitError, NetworkError
from knowgate.knowledge.chat.providers import Connection

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError

_AGAIN = "Try again later; the model server's own log says more."


def worth_a_retry(error: Exception) -> bool:
    """No connection, or the server's own mistake; one that is silent or refuses will do so again."""
    from pydantic_ai import exceptions

    if isinstance(error, exceptions.ModelHTTPError):
        return error.status_code >= 500
    return isinstance(error, exceptions.ModelConnectionError) and not isinstance(error, exceptions.ModelTimeoutError)


class Failures:
    """The failures of one model, told by what pydantic-ai raises."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._section = connection.section

    def typed(self, error: Exception, *, begun: bool) -> KnowgateError:
        """`begun`: whether a part of the answer has been seen."""
        from pydantic_ai import exceptions

        if isinstance(error, KnowgateError):
            return error
        if isinstance(error, TimeoutError):
            return self.silent()
        if isinstance(error, exceptions.ModelAPIError):
            return self._from_api(error, begun=begun)
        if isinstance(error, exceptions.UserError):
            message = f"{self._connection.provider} cannot be used: {error.message}"
            return NetworkError("model_failed", message, f"Check the settings of {self._section}.")
        if self._connection.provider == "bedrock":
            message = f"Bedrock cannot be used ({type(error).__name__})."
            fix = f"Sign in with `aws configure` or `aws sso login`; check `region` and `base_url` of {self._section}."
            return NetworkError("model_failed", message, fix)
        return self._malformed(type(error).__name__)

    def _from_api(self, error: ModelAPIError, *, begun: bool) -> KnowgateError:
        from pydantic_ai import exceptions

        if isinstance(error, exceptions.ModelRateLimitError | exceptions.ModelQuotaExceededError):
            after = error.retry_after
            fix = (
                f"Wait {after:.0f} seconds and try again." if after else "Wait a little, or check the account's quota."
            )
            return LimitError("model_rate_limited", self._told(error, "takes no more requests for now"), fix)
        if isinstance(error, exceptions.ModelAuthenticationError):
            message = self._told(error, "refused the key")
            fix = f"Check the `api_key` of {self._section} in the settings."
            return NetworkError("model_refused_key", message, fix)
        if isinstance(error, exceptions.ModelTimeoutError | exceptions.ModelRequestTimeout):
            return self.silent()
        if isinstance(error, exceptions.ModelConnectionError):
            return self.cut_off() if begun else self._unreachable()
        if isinstance(error, exceptions.ModelContextWindowExceededError):
            fix = "Ask for fewer sources with `limit`, or choose a model with a larger context."
            return NetworkError("model_failed", self._told(error, "cannot take in so much text"), fix)
        if isinstance(error, exceptions.ModelNotFoundError):
            fix = f"Check the `model` and the `base_url` of {self._section} (it usually ends in /v1)."
            return NetworkError("model_failed", self._told(error, f"does not know {self._connection.model}"), fix)
        if isinstance(error, exceptions.ModelHTTPError):
            return NetworkError("model_failed", self._told(error, f"answered {error.status_code}"), _AGAIN)
        if error.in_stream:
            return NetworkError("model_failed", self._told(error, "reported an error"), _AGAIN)
        # Without a status and not from the server: the stream was no JSON, or it ended before the answer did.
        cause = error.__cause__
        return self._malformed(type(cause).__name__) if isinstance(cause, ValueError) else self.cut_off()

    def silent(self) -> KnowgateError:
        message = f"{self._connection.where} kept silent for {self._connection.timeout_seconds:g} seconds."
        fix = f"Try again, or raise the `timeout_seconds` of {self._section}: a model being loaded takes longer."
        return NetworkError("model_timeout", message, fix)

    def cut_off(self) -> KnowgateError:
        return NetworkError("model_cut_off", f"{self._connection.where} broke off its answer.", "Try again.")

    def too_long(self) -> KnowgateError:
        message = f"{self._connection.model} stopped at the length it may write."
        return NetworkError("model_cut_off", message, "Ask for less at once, or raise the model server's limit.")

    def filtered(self) -> KnowgateError:
        message = f"{self._connection.where} withheld the answer."
        return NetworkError("model_failed", message, "Ask in other words, or choose another model.")

    def _malformed(self, cause: str) -> KnowgateError:
        message = f"{self._connection.where} did not answer as a chat model does ({cause})."
        fix = f"Check the `base_url` of {self._section} (it usually ends in /v1)."
        return NetworkError("model_malformed", message, fix)

    def empty(self) -> KnowgateError:
        message = f"{self._connection.where} sent an empty answer."
        return NetworkError("model_malformed", message, f"Check that {self._connection.model} is a chat model.")

    def no_json(self) -> KnowgateError:
        message = f"{self._connection.where} did not answer in the form it was asked for."
        return NetworkError("model_malformed", message, f"Choose another model than {self._connection.model}.")

    def _unreachable(self) -> KnowgateError:
        fix = f"Check that the model server runs, and the `base_url` of {self._section}."
        return NetworkError("model_unreachable", f"{self._connection.where} cannot be reached.", fix)

    def _told(self, error: ModelAPIError, what: str) -> str:
        said = self._said(error.body)
        return f"{self._connection.where} {what}: {said}" if said else f"{self._connection.where} {what}."

    def _said(self, body: Any) -> str:
        """The server's own words, shortened; some repeat the key they were given."""
        for name in ("error", "message", "detail"):
            if isinstance(body, dict):
                body = body.get(name, body)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(body, str):
            return ""
        key = self._connection.api_key
        return " ".join((body.replace(key, "***") if key else body).split())[:300]
