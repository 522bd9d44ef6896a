"""Word's equations as the LaTeX people and models know."""

from __future__ import annotations

from knowgate.knowledge.parse.xml import Element, attribute, child, children, descend, local

_ACCENTS = {"̂": "hat", "̃": "tilde", "̅": "bar", "⃗": "vec", "̇": "dot", "̈": "ddot"}
_SIGNS = {"∑": "\\sum", "∫": "\\int", "∏": "\\prod", "∞": "\\infty", "π": "\\pi", "×": "\\times", "±": "\\pm"}


def latex(element: Element) -> str:
    """The equation, linear; an element we do not know gives its parts."""
    name = local(element)
    if name in ("t", "delText"):
        return "".join(f" {_SIGNS[sign]} " if sign in _SIGNS else sign for sign in element.text or "")
    if name == "f":
        return f"\\frac{{{_part(element, 'num')}}}{{{_part(element, 'den')}}}"
    if name in ("sSup", "sSub", "sSubSup", "sPre"):
        return _part(element, "e") + _scripts(element)
    if name == "rad":
        degree = _part(element, "deg")
        return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"
    if name == "nary":
        sign = _property(element, "naryPr", "chr") or "∫"
        return _SIGNS.get(sign, sign) + _scripts(element) + _part(element, "e")
    if name == "d":
        opening = _property(element, "dPr", "begChr", "(")
        closing = _property(element, "dPr", "endChr", ")")
        inner = ", ".join(_parts(each) for each in children(element, "e"))
        return f"\\left{opening or '.'}{inner}\\right{closing or '.'}"
    if name == "func":
        base = _part(element, "fName").strip()
        return ("\\" if base.isalpha() else "") + f"{base}({_part(element, 'e')})"
    if name == "acc":
        accent = _ACCENTS.get(_property(element, "accPr", "chr", "̂"), "hat")
        return f"\\{accent}{{{_part(element, 'e')}}}"
    if name == "m":
        return " \\\\ ".join(" & ".join(map(_parts, row)) for row in children(element, "mr"))
    if name == "eqArr":
        return " \\\\ ".join(_parts(each) for each in children(element, "e"))
    if name.endswith("Pr"):
        return ""
    return _parts(element)


def _parts(element: Element) -> str:
    return "".join(map(latex, element))


def _part(element: Element, name: str) -> str:
    found = child(element, name)
    return "" if found is None else _parts(found)


def _scripts(element: Element) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    return (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")


def _property(element: Element, group: str, name: str, default: str = "") -> str:
    found = descend(element, group, name)
    return default if found is None else attribute(found, "val")
