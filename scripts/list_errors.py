"""The list of error codes in docs/errors.md, made from the places that raise them: python scripts/list_errors.py"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from knowgate import errors

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "errors.md"
_FAMILIES = {
    name: family
    for name, family in vars(errors).items()
    if isinstance(family, type) and issubclass(family, errors.KnowgateError) and family is not errors.KnowgateError
}
# What is wrong with a setting or a policy is gathered first and raised as one InputError.
_SPEAK_FOR = {
    "Problem": "InputError",
    "BadReference": "InputError",
    "refuse": "InputError",
    "TooLarge": "LimitError",
    "RateLimited": "LimitError",
}


def codes() -> dict[str, set[str]]:
    """Of each family."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "src").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for kind in ast.walk(tree):
            if isinstance(kind, ast.ClassDef):
                for base in kind.bases:
                    if isinstance(base, ast.Name) and base.id in _FAMILIES:
                        found[base.id] |= set(_given_by(kind))
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            family = _SPEAK_FOR.get(node.func.id, node.func.id)
            code = node.args[0]
            code = constants.get(code.id, code) if isinstance(code, ast.Name) else code
            if family in _FAMILIES and isinstance(code, ast.Constant) and isinstance(code.value, str):
                found[family].add(code.value)
    return found


def _given_by(kind: ast.ClassDef) -> Iterator[str]:
    """The code that an error of a kind of its own always has."""
    for node in ast.walk(kind):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__":
            code = node.args[0] if node.args else None
            if isinstance(code, ast.Constant) and isinstance(code.value, str):
                yield code.value


def table() -> str:
    rows = ["| exit code | HTTP | codes |", "|---|---|---|"]
    families = sorted(codes().items(), key=lambda item: (_FAMILIES[item[0]].exit_code, _FAMILIES[item[0]].http_status))
    for name, found in families:
        family = _FAMILIES[name]
        listed = ", ".join(f"`{code}`" for code in sorted(found))
        rows.append(f"| {family.exit_code} | {family.http_status} | {listed} |")
    return "\n".join(rows) + "\n"


def refreshed(page: str) -> str:
    marks = r"(<!-- codes -->\n).*?(<!-- end of codes -->)"
    return re.sub(marks, lambda match: match[1] + table() + match[2], page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
