"""Knowgate: one gate for AI assistants to what your documents say and what your APIs can do."""

from typing import TYPE_CHECKING, Any

from knowgate.version import __version__

if TYPE_CHECKING:
    from knowgate.client import AsyncClient, Client
    from knowgate.engine import Engine

__all__ = ["AsyncClient", "Client", "Engine", "__version__"]
_LIVE_IN = {"Engine": "knowgate.engine", "Client": "knowgate.client", "AsyncClient": "knowgate.client"}


def __getattr__(name: str) -> Any:
    # Importing the package costs nothing; what it offers is loaded when somebody asks for it.
    if name in _LIVE_IN:
        from importlib import import_module

        return getattr(import_module(_LIVE_IN[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
