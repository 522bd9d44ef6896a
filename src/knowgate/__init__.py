"""Knowgate: one gate for AI assistants to what your documents say and what your APIs can do."""

from typing import TYPE_CHECKING, Any

from knowgate.version import __version__

if TYPE_CHECKING:
    from knowgate.engine import Engine

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> Any:
    # Importing the package costs nothing; the engine is loaded when somebody asks for it.
    if name == "Engine":
        from knowgate.engine import Engine

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
