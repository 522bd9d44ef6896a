"""`.mrapids/`: the agent's files, and what they are as our settings."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from knowgate.errors import InputError

FOLDER = ".mrapids"
CONFIG = "mcp-server.toml"
API = "api"
"""What its one API is called here."""
SPECS = ("api.yaml", "api.yml", "api.json")
POLICY = "policy.yaml"
AUTH = "auth"
_USUAL_PATTERNS = frozenset({"password", "secret", "token", "key"})
"""Hidden anyway; as parts of names they would hide half of every answer."""
_OURS = {
    "server": {"host", "port"},
    "defaults": {"spec_path", "policy_file", "env", "auth_profile", "base_url"},
    "security": {"allow_override_env", "allow_override_auth", "redact_patterns", "allow_private"},
    "audit": {
        *("enabled", "directory", "path", "level", "rotation_size_mb", "max_files"),
        # Done always.
        *("rotation_time", "compress"),
    },
    "performance": {"request_timeout", "rate_limit"},
    "rate_limits": {"per_minute"},
}
_THEIRS = {
    "server": {"max_connections"},
    "security": {"enable_prompt_injection_detection", "risk_threshold", "block_dangerous_operations"},
    "performance": {"max_retries"},
    "rate_limits": {"per_hour", "per_day", "burst_capacity"},
    "operation_limits": set[str](),
}
"""Without a counterpart in our settings."""
_PLAIN = {
    "server.host": "server.host",
    "server.port": "server.port",
    "audit.enabled": "audit.enabled",
    "audit.rotation_size_mb": "audit.max_mb",
    "audit.max_files": "audit.keep",
    "performance.request_timeout": "fetch.timeout_seconds",
}
_SECRETS = {
    "bearer": "token",
    "basic": "password",
    "api_key": "key",
    "oauth2_client_credentials": "client_secret",
    "oauth2_authorization_code": "client_secret",
    "mutual_tls": "passphrase",
}
_WAYS = ("env", "file", "keyring", "command")
Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mrapids:
    folder: Path
    settings: Mapping[str, object]
    """By dotted key, as `load` takes them."""
    warnings: tuple[str, ...] = ()
    environment: str = ""
    auth_profile: str = ""
    may_choose_environment: bool = False
    """Whether a caller may name another."""
    may_choose_profile: bool = False


def read_mrapids(folder: Path, config: Path | None = None) -> Mrapids:
    """The folder must be there; of its files, only the API's description."""
    if not folder.is_dir():
        raise InputError("config_not_found", f"There is no folder {folder}.", "Make it with `mrapids-agent init`.")
    file = config or folder / CONFIG
    tree = _read_toml(file) if config or file.exists() else {}
    warnings = list(_unknown(file, tree))
    # Its own defaults (".mrapids/audit") are written from where the folder lies.
    base = folder.absolute().parent
    profiles, exposed = _profiles(folder / AUTH)
    in_force = _in_force(tree, profiles)
    settings: dict[str, object] = {
        "data": folder.absolute() / "data",
        "audit.folder": folder.absolute() / "audit",
        "server.port": 8080,
        **{ours: value for theirs, ours in _PLAIN.items() if (value := _at(tree, theirs)) is not None},
        **_audit(tree, base),
        **_limits(tree),
        **_policy(tree, folder, base),
        "apis": {API: _api(tree, folder, base, in_force)},
        "auth": profiles,
    }
    more = tuple(each for each in _at(tree, "security.redact_patterns", ()) if each not in _USUAL_PATTERNS)
    if more:
        settings["redact.keys"] = more
    if "policy.file" not in settings:
        warnings.append(f"There is no {folder / POLICY}: reads are allowed, writes ask a person.")
    named = _at(tree, "defaults.auth_profile", "")
    if named and named not in profiles:
        warnings.append(f"{file}: there is no profile {named} in {folder / AUTH}, so calls are refused.")
    elif profiles and not in_force:
        fix = f"Name one as auth_profile under [defaults] in {file}."
        warnings.append(f"No credentials are sent, though there are {', '.join(profiles)}. {fix}")
    return Mrapids(
        folder,
        settings,
        (*warnings, *exposed),
        environment=_at(tree, "defaults.env", ""),
        auth_profile=named,
        may_choose_environment=_at(tree, "security.allow_override_env", False) is True,
        may_choose_profile=_at(tree, "security.allow_override_auth", False) is True,
    )


def read_auth(file: Path) -> tuple[str, Table]:
    """A profile's name, and what it is in `[auth.NAME]`. It names a secret; one that holds a secret is refused."""
    tree = _read_toml(file)
    found = tree.get("profile")
    if not isinstance(found, dict):
        raise _bad(file, "has no table [profile]", 'Write: [profile], name = "…", type = "bearer".')
    profile = dict(cast("Table", found))
    kind = str(profile.get("type", "")).replace("-", "_")
    if kind not in _SECRETS:
        raise _bad(file, "has no type that is known", f"Choose one of {', '.join(_SECRETS)}.")
    secret = _SECRETS[kind]
    if secret in profile:
        fix = f'Put it into an environment variable, and name that: {secret}_env = "MY_{secret.upper()}".'
        raise _bad(file, f"holds a secret itself ({secret})", fix)
    name = str(profile.pop("name", file.stem))
    profile.pop("description", None)
    table: Table = {}
    for key, value in profile.items():
        stem, _, way = key.rpartition("_")
        plain = {"username": "user", "user_name": "user", "username_env": "user_env"}.get(key, key)
        if stem == secret and way in _WAYS:
            table[f"secret_{way}"] = value
        elif plain in ("user_env", "client_id_env"):
            # Looked up with the other settings.
            table[plain.removesuffix("_env")] = f"${{{value}}}"
        else:
            table[plain] = value
    return name, {**table, "type": kind}


def spec_of(folder: Path) -> Path:
    """Where the description lies, or should."""
    return next((found for name in SPECS if (found := folder / name).exists()), folder / SPECS[0])


def _in_force(tree: Table, profiles: Collection[str]) -> tuple[str, ...]:
    """What may be sent to the API: the profile that is named, and others where a caller may choose."""
    named = _at(tree, "defaults.auth_profile", "")
    may_choose = _at(tree, "security.allow_override_auth", False) is True
    return tuple(sorted((name for name in profiles if may_choose or name == named), key=lambda name: name != named))


def _api(tree: Table, folder: Path, base: Path, auth: tuple[str, ...]) -> Table:
    spec = _at(tree, "defaults.spec_path", "")
    if not spec.startswith(("http://", "https://")):
        spec = str(_located(spec, folder, base) if spec else spec_of(folder).absolute())
    api: Table = {"spec": spec, **({"auth": auth} if auth else {})}
    if base_url := _at(tree, "defaults.base_url"):
        api["base_url"] = base_url
    if _at(tree, "security.allow_private"):
        api["allow_private"] = True
    return api


def _audit(tree: Table, base: Path) -> Table:
    found: Table = {}
    if place := _at(tree, "audit.directory") or _at(tree, "audit.path"):
        found["audit.folder"] = base / Path(place).expanduser()
    if _at(tree, "audit.level") == "none":
        found["audit.enabled"] = False
    return found


def _limits(tree: Table) -> Table:
    rate = _at(tree, "rate_limits.per_minute") or _at(tree, "performance.rate_limit")
    return {"limits.rate": f"{rate}/minute"} if rate else {}


def _policy(tree: Table, folder: Path, base: Path) -> Table:
    named = _at(tree, "defaults.policy_file", "")
    file = _located(named, folder, base) if named else folder.absolute() / POLICY
    # One that was named must be there; opening it says so.
    return {"policy.file": file} if named or file.exists() else {}


def _profiles(folder: Path) -> tuple[dict[str, Table], list[str]]:
    found: dict[str, Table] = {}
    warnings: list[str] = []
    for file in sorted(folder.glob("*.toml")):
        name, table = read_auth(file)
        found[name] = table
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            warnings.append(f"{file} can be read by others. Run `chmod 600 {file}`.")
    return found, warnings


def _located(name: str, folder: Path, base: Path) -> Path:
    """People write it from the project's folder, or from the agent's own."""
    path = Path(name).expanduser()
    inside = folder.absolute() / path
    return inside if inside.exists() and not (base / path).exists() else base / path


def _unknown(file: Path, tree: Table) -> Iterator[str]:
    known = {f"{table}.{key}" for tables in (_OURS, _THEIRS) for table, keys in tables.items() for key in keys}
    unused: list[str] = []
    for table, values in tree.items():
        if table in _THEIRS and not _THEIRS[table]:
            unused.append(table)
            continue
        for key in cast("Table", values) if isinstance(values, dict) else {"": None}:
            name = f"{table}.{key}".rstrip(".")
            if key in _THEIRS.get(table, ()):
                unused.append(name)
            elif name not in known:
                near = get_close_matches(name, known, n=1)
                yield f"{file}: {name} is unknown.{f' Did you mean {near[0]}?' if near else ''}"
    if unused:
        yield f"{file}: {', '.join(unused)}: not used; limits and risks are a matter of the policy here."


def _at(tree: Table, name: str, default: Any = None) -> Any:
    table, _, key = name.partition(".")
    found = tree.get(table)
    return cast("Table", found).get(key, default) if isinstance(found, dict) else default


def _read_toml(file: Path) -> Table:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise _bad(file, f"cannot be read ({error.strerror})", "Check the path.") from None
    except ValueError:
        # The reader's own words may quote the line, and somebody may have written a secret there.
        raise _bad(file, "is not TOML", "Check its syntax.") from None


def _bad(file: Path, what: str, fix: str) -> InputError:
    return InputError("config_invalid", f"{file} {what}.", fix)
