"""The templates of paths, and the parameters that they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

from knowgate.apis.operation import Parameter
from knowgate.apis.spec.references import Spot, Unusable
from knowgate.apis.spec.upgrade import Warn

_TEMPLATE = re.compile(r"/(?:[^{}\x00-\x20\\]|\{[^{}/]+\})*")
_VARIABLE = re.compile(r"\{([^{}]+)\}")


def template_of(path: str, item: Spot) -> str:
    """The path without the query and fragment by which some descriptions tell operations of one path apart."""
    template = re.split(r"[?#]", path, maxsplit=1)[0]
    if not _TEMPLATE.fullmatch(template):
        raise Unusable(item.place, "The path is not a template such as /users/{id}.")
    return template


def path_parameters(template: str, declared: Iterable[Parameter], spot: Spot, warn: Warn) -> list[Parameter]:
    """The parameters, of which those in the path are exactly those that the template names."""
    wanted = list(dict.fromkeys(_VARIABLE.findall(template)))
    kept = [each for each in declared if each.place != "path" or each.name in wanted]
    missing = [name for name in wanted if not any(each.place == "path" and each.name == name for each in kept)]
    for name in missing:
        warn(spot.place, f"the path parameter {name!r} is not described")
    return [*kept, *(Parameter(name, "path", True, {"type": "string"}, "simple", False) for name in missing)]


def fixed_query(path: str, declared: Iterable[Parameter]) -> list[Parameter]:
    """What a path such as /images?kind=small says in its query, as parameters with one possible value."""
    query = path.partition("#")[0].partition("?")[2]
    known = {each.name for each in declared if each.place == "query"}
    return [
        Parameter(name, "query", True, {"type": "string", "const": value, "default": value}, "form", True)
        for name, value in dict(parse_qsl(query, keep_blank_values=True)).items()
        if name not in known and "{" not in value
    ]
