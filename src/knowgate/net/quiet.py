"""Whoever makes an HTTP client first sees to it that the libraries keep to themselves what passes through them."""

from __future__ import annotations

import logging

_TALKATIVE = ("httpx2", "httpcore2", "hpack")
"""They log whole addresses, in whose query keys may be, and headers, in which tokens and cookies are."""


def keep_quiet() -> None:
    """Whatever the program around us has set its logging to."""
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        if logger.level < logging.WARNING:
            logger.setLevel(logging.WARNING)
