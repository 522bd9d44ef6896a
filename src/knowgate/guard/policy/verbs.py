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
    "uninstall unpublish publish suspend regenerate execute poweroff flush".split()
)
"""Nobody uses these as nouns: by themselves at the end of a path they say what is done."""
_UNMISTAKABLE = frozenset("delete remove destroy erase purge send".split())
"""With one thing behind them at the end of a path, as in `/deleteUser`."""
_ENDING = frozenset("delete destroy erase purge".split())
"""As the last word of a name, as in `users_delete`, but not in `get_delete`."""
_LOOKING = frozenset({"get", "list", "find", "read", "fetch", "show"})
_BEGINNING = _PLAIN | frozenset(
    "create add append insert update upsert set save put upload submit assign unassign trigger start stop unarchive "
    "archive copy invite merge refund transfer "
    "restore unban unblock unmute unlock subscribe rotate rename move clear flush".split()
)
"""Verbs as the first word of a name, with what it is done to behind them."""
_READ_AT_LAST = frozenset(
    {"list", "read", "retrieve", "index", "show", "status", "history", "details", "info", "count"}
)
"""`set_list` and `move_read` are about sets and moves."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VALUE = re.compile(r"\{[^}]*\}")
_SENTENCE = re.compile(
    r"([a-z]+) (?:an?|the|all|this|these|your|one|every|each|multiple|specified|current|existing|new) ", re.IGNORECASE
)
_ENDS_SOMETHING = re.compile(r"(?:permanently )?(?:delete|remove|destroy|erase|purge)s? [a-z]", re.IGNORECASE)
_LEAVING = re.compile(r"(?:log|sign)s? (?:out|off)\b", re.IGNORECASE)


def changes_something(method: str, operation: str, path: str, summary: str) -> bool:
    """`path` is the template: what stands in braces is a value, and says nothing."""
    if method.strip().upper() not in READING:
        return True
    return _ends_in_a_verb(path) or _is_called_so(operation) or _says_so(summary)


def _ends_in_a_verb(path: str) -> bool:
    parts = [part for part in re.split("[/:]", _VALUE.sub("", path)) if part]
    if not parts:
        return False
    words = _words(parts[-1].split(".")[0])
    done_to_one = len(words) == 2 and words[0] in _UNMISTAKABLE and not words[1].endswith("s")
    # `/users/{id}/log-out`, and `/chat.delete`
    return done_to_one or "".join(words) in _PLAIN or parts[-1].rpartition(".")[2] in _PLAIN


def _is_called_so(operation: str) -> bool:
    words = _words(operation)
    if len(words) < 2:
        return words != [] and words[0] in _PLAIN
    begins = words[0] in _BEGINNING and words[-1] not in _READ_AT_LAST
    return begins or (words[-1] in _ENDING and words[0] not in _LOOKING)


def _says_so(summary: str) -> bool:
    found = _SENTENCE.match(summary)
    word = found[1].lower() if found else ""
    said = not _BEGINNING.isdisjoint((word, word[:-1], word[:-2]))
    return said or _LEAVING.match(summary) is not None or _ENDS_SOMETHING.match(summary) is not None


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
