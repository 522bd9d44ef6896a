"""Yes, no, and what cannot be told for sure (None).

What is not sure never allows anything; it only makes a decision stricter.
"""

from __future__ import annotations

Sure = bool | None


def both(one: Sure, other: Sure) -> Sure:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True
