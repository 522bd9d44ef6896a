"""Whether a call changes something although its method only reads, by what its description calls it.

`GET /users/{id}/delete` is older than the rule that a GET is safe, and still written. Nouns are no verbs: `/updates`,
`/deleted-items` and `getDeletedUsers` only read.
"""

from __future__ import annotations

import re

READING = frozenset({"GET", "HEAD", "OPTIONS"})
_PLAIN = frozenset(
    "delete remove destroy erase purge wipe truncate send resend cancel revoke logout logoff signout reset disable "
    "enable activate deactivate reactivate approve reject unsubscribe terminate shutdown reboot restart kill unlink "
    "uninstall unpublish publish suspend regenerate".split()
)
"""Nobody uses these as nouns: by themselves at the end of a path they say what is done."""
_UNMISTAKABLE = frozenset("delete remove destroy erase purge send".split())
"""With one thing behind them at the end of a path, as in `/deleteUser`."""
_BEGINNING = _PLAIN | frozenset(
    "create add append insert update upsert set save put post patch upload submit assign unassign trigger start stop "
    "archive unarchive restore transfer refund charge merge invite ban unban block unblock mute unmute lock unlock "
    "subscribe rotate rename copy move clear flush sync import mark".split()
)
"""Verbs as the first word of a name, with what it is done to behind them."""
_READ_AT_LAST = frozenset({"list", "read", "retrieve", "index", "show", "status", "history"})
"""`set_list` and `move_read` are about sets and moves."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VALUE = re.compile(r"\{[^}]*\}")
_SENTENCE = re.compile(
    r"([a-z]+) (?:an?|the|all|this|these|your|one|every|each|multiple|specified|current|existing|new) ", re.IGNORECASE
)
_LEAVING = re.compile(r"(?:log|sign)s? (?:out|off)\b", re.IGNORECASE)


def changes_something(method: str, operation: str, path: str, summary: str) -> bool:
    """`path` is the template: what stands in braces is a value, and says nothing."""
    if method.strip().upper() not in READING:
        return True
    return _ends_in_a_verb(path) or _is_called_so(operation) or _says_so(summary)


def _ends_in_a_verb(path: str) -> bool:
    parts = [part for part in re.split("[/:]", _VALUE.sub("", path)) if part]
    words = _words(parts[-1].split(".")[0]) if parts else []
    done_to_one = len(words) == 2 and words[0] in _UNMISTAKABLE and not words[1].endswith("s")
    return done_to_one or "".join(words) in _PLAIN


def _is_called_so(operation: str) -> bool:
    words = _words(operation)
    if len(words) < 2:
        return words != [] and words[0] in _PLAIN
    return words[0] in _BEGINNING and words[-1] not in _READ_AT_LAST


def _says_so(summary: str) -> bool:
    found = _SENTENCE.match(summary)
    word = found[1].lower() if found else ""
    return not _BEGINNING.isdisjoint((word, word[:-1], word[:-2])) or _LEAVING.match(summary) is not None


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
