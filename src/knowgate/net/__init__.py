"""What may be connected to: written once, for fetching documents and for calling APIs."""

from knowgate.net.rules import NetRules

__all__ = ["NetRules"]
