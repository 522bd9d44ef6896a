"""Names for operations: short, plain, unique, and the same tomorrow."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 64
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


def operation_ids(operations: Sequence[tuple[str, str, str]]) -> list[str]:
    """An id for each (method, path, operationId); the operationId may be empty.

    A name that several share is given to none of them as it is, so that the order does not matter.
    """
    return _unique([(_wanted(*one), f"{one[0]} {one[1]}") for one in operations])


def ids_across(apis: Mapping[str, Iterable[str]]) -> dict[tuple[str, str], str]:
    """For each (API, operation id) an id unique among all. Who comes later gives way, with the API's name in front:
    rules that name an operation go on to mean it, whatever is added after it.
    """
    found: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for api, ids in apis.items():
        for id in ids:
            name = id if id not in taken else f"{_plain(api)}_{id}"
            tries = 0
            while name in taken or not name or len(name) > LONGEST:
                digest = hashlib.sha256(f"{api} {id} {tries}".encode()).hexdigest()[:6]
                name = f"{_plain(api)}_{id}"[: LONGEST - 7].strip("_") + f"_{digest}"
                tries += 1
            taken.add(name)
            found[api, id] = name
    return found


def _wanted(method: str, path: str, operation_id: str) -> str:
    return _plain(operation_id) or _plain(f"{method.lower()}/{path.replace('{', 'by_')}")


def _plain(text: str) -> str:
    return _OTHER.sub("_", text).strip("_")


def _unique(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Each name as wanted where it is short and nobody else's, else with a hash of what it stands for."""
    times = Counter(name for name, _ in wanted)
    taken = {name for name in times if times[name] == 1 and len(name) <= LONGEST}
    result: list[str] = []
    for name, meaning in wanted:
        chosen = name
        if name not in taken:
            digest = hashlib.sha256(f"{name} {meaning}".encode()).hexdigest()
            chosen = next(each for size in range(6, 64) if (each := _marked(name, digest[:size])) not in taken)
            taken.add(chosen)
        result.append(chosen)
    return result


def _marked(name: str, mark: str) -> str:
    return f"{name[: LONGEST - len(mark) - 1].rstrip('_-')}_{mark}"
