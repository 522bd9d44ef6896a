"""Values that look like secrets and that their vendors publish as samples: hiding them would only spoil examples.

Kept as hashes, so that nobody's scanner stumbles over this file. Google API keys: the samples in the tests of
https://github.com/firebase/firebase-android-sdk and https://github.com/firebase/firebase-js-sdk, which Gitleaks
(https://github.com/gitleaks/gitleaks) lists as such.
"""

from __future__ import annotations

from hashlib import sha256

_GOOGLE = frozenset(
    """
    2037abcaffb2b777 27a9a42931dff7eb 37f8f09bdf12c2f2 3a8b61d0f636b007 3f370c9dd8225c63 49f777db995e8260
    4c98242dcadc8b29 8731261cb72d8626 a19f89ab3555eac1 a6c814bc555ae62c dc0fcf046c61640c e4a5542bb7fd7b67
    ea9bb1082cf95663 eb540d2b6ee2a0a4 f56e323494a6ffc2
    """.split()
)


def is_sample(value: str) -> bool:
    return sha256(value.encode()).hexdigest()[:16] in _GOOGLE
