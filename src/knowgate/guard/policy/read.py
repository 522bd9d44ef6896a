"""A policy file with its templates filled in and the files that it includes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from knowgate.errors import InputError
from knowgate.guard.policy.form import DefaultsForm, PolicyForm, RuleForm, TemplateForm
from knowgate.guard.policy.strict import parse, refuse

BUILT_IN = ("scope", "authentication", "default", "taint")
"""Names of rules that every policy has."""
_OWN = {"name", "description", "use_template"}


@dataclass(frozen=True, slots=True)
class Source:
    """One file."""

    name: str
    text: str
    form: PolicyForm


@dataclass(frozen=True, slots=True)
class Effective:
    """What all files together say."""

    defaults: DefaultsForm
    rules: tuple[RuleForm, ...]
    files: tuple[Path, ...] = ()


def read_text(text: str, name: str = "policy.yaml") -> Effective:
    """A policy in one piece."""
    source = Source(name, text, parse(PolicyForm, text, name))
    if source.form.includes:
        raise refuse("policy_include", text, name, ["includes"], "Only a file can include files.")
    return _effective([source])


def read_file(path: Path) -> Effective:
    sources: list[Source] = []
    seen: dict[Path, bool] = {}
    _collect(path, str(path), sources, seen)
    return replace(_effective(sources), files=tuple(seen))


def _collect(path: Path, name: str, sources: list[Source], seen: dict[Path, bool]) -> None:
    """The file, after those that it includes. What is seen but not done yet includes itself."""
    try:
        path = path.resolve(strict=True)
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError("policy_not_utf8", f"{name}: It is not UTF-8 text.", "Save it as UTF-8.") from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("policy_unreadable", f"{name}: It cannot be read ({reason}).", "Check the path.") from None
    form = parse(PolicyForm, text, name)
    seen[path] = False
    for number, include in enumerate(form.includes):
        found = (path.parent / include).resolve()
        if not found.is_relative_to(path.parent) or Path(include).is_absolute():
            raise refuse(
                "policy_include",
                text,
                name,
                ["includes", number],
                f"{include} does not lie below the folder of this file.",
                "Move it there, and name it by its relative path.",
            )
        if seen.get(found) is False:
            raise refuse(
                "policy_include", text, name, ["includes", number], f"{include} includes this file, in a circle."
            )
        if found not in seen:
            _collect(found, str(found), sources, seen)
    seen[path] = True
    sources.append(Source(name, text, form))


def _effective(sources: list[Source]) -> Effective:
    templates: dict[str, TemplateForm] = {}
    rules: dict[str, RuleForm] = {}
    for source in sources:
        if source is not sources[-1] and "defaults" in source.form.model_fields_set:
            message = "A file that is included cannot set defaults."
            raise refuse(
                "policy_include", source.text, source.name, ["defaults"], message, "Move them to the main file."
            )
        for name, template in source.form.templates.items():
            if name in templates:
                message = f"There are two templates {name!r}."
                raise refuse("policy_duplicate", source.text, source.name, ["templates", name], message)
            templates[name] = template
    for source in sources:
        for number, rule in enumerate(source.form.rules):
            place = ["rules", number, "name"]
            if rule.name in rules or rule.name in BUILT_IN:
                message = (
                    f"There are two rules {rule.name!r}." if rule.name in rules else f"{rule.name!r} is our own name."
                )
                raise refuse("policy_duplicate", source.text, source.name, place, message, "Give it another name.")
            rules[rule.name] = _filled(rule, templates, source, number)
    return Effective(sources[-1].form.defaults, tuple(rules.values()))


def _filled(rule: RuleForm, templates: dict[str, TemplateForm], source: Source, number: int) -> RuleForm:
    if not rule.use_template:
        return rule
    place = ["rules", number, "use_template"]
    template = templates.get(rule.use_template)
    if template is None:
        known = ", ".join(templates) or "none"
        message = f"There is no template {rule.use_template!r}."
        raise refuse("policy_unknown_template", source.text, source.name, place, message, f"There are: {known}.")
    # Whichever of the two should win, somebody would expect the other.
    if twice := sorted((template.model_fields_set & rule.model_fields_set) - _OWN):
        message = f"The rule {rule.name!r} and its template {rule.use_template!r} both say {', '.join(twice)}."
        raise refuse("policy_conflict", source.text, source.name, place, message, "Say it in one of them.")
    given = {key: getattr(template, key) for key in template.model_fields_set - _OWN}
    return rule.model_copy(update=given)
