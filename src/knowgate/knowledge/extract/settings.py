"""Who talks to whom, by the addresses in settings: a URL in a service's configuration is a service it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowgate.knowledge.extract.draft import GUESSED, NAMED, STATED, Draft
from knowgate.knowledge.extract.entries import Entry, plain
from knowgate.knowledge.extract.kinds import COMPONENTS, is_technology, kind_of
from knowgate.knowledge.extract.names import key

_URL = re.compile(
    r"\b([a-z][a-z0-9+.]{0,20}):(?:[a-z0-9]{1,20}:)?//(?:[^\s/@,\"']*@)?([\w.-]+(?::\d+)?(?:,[\w.-]+(?::\d+)?)*)", re.I
)
_HOST_PORT = re.compile(r"(?<![\w./:@-])([a-z][\w-]*(?:\.[\w-]+)*):(\d{2,5})\b(?![:.])", re.I)
_BARE = re.compile(r"[a-z][\w.-]*$", re.I)
_OWN_NAME = re.compile(
    r"(?:^|\.)(?:(?:spring|quarkus|micronaut|dapr)\.application\.name|(?:otel[_.])?service[_.]name|app[_.]name)$", re.I
)
_OWN_PORT = re.compile(r"(?:(?:server|http|quarkus\.http)\.)?port$", re.I)
_HOST_KEY = re.compile(
    r"(?:^|[._-])(?:hosts?|host[_-]name|addr|address(?:es)?|servers?|endpoint|nodes?|broker(?:s|-?list)?|service[-_]?id)$",
    re.I,
)
_ROUTE = re.compile(r"(?:^|\.)zuul\.routes\.([\w-]+)(?:\.path)?$", re.I)
_NOT_HERE = re.compile(
    r"(?:^|[._-])(?:healthcheck|command|logging\.level|hostname|cors|allowed-?origins?|issuer|instance)\b", re.I
)
_LOCAL = re.compile(r"(?:localhost|host\.docker\.internal|\d+\.\d+\.\d+\.\d+)$", re.I)
_FORGE = re.compile(r"(?:^|\.)(github|gitlab|bitbucket)\.(?:com|org)$", re.I)
_CLUSTER = re.compile(r"\.(?:svc|local|internal|cluster|docker|lan|consul)\b", re.I)
_WORD = re.compile(r"[a-z0-9]+")
_SCHEME = re.compile(r"(?:jdbc:)?([a-z0-9]+)(?:\+srv)?:")
_NO_HOSTS = frozenset({"classpath", "file", "urn"})
_NO_NAMES = frozenset("true false null none native localhost http https tcp udp default".split())


def own_name(entries: Iterable[Entry]) -> Entry | None:
    """The setting in which a service says its name."""
    return next((each for each in entries if _OWN_NAME.search(each.path) and _BARE.match(plain(each.value))), None)


def read_settings(
    draft: Draft, text: str, entries: Iterable[Entry], subject: str, *, confidence: float, inherited: bool = False
) -> bool:
    """Relates the subject (if `inherited`, its clients) to every address in its settings; False if there are none."""
    found = False
    for entry in entries:
        if not inherited and entry.value.isdigit() and _OWN_PORT.match(entry.path):
            draft.alias(subject, f"localhost:{entry.value}")
            found = True
        for host in hosts(entry):
            found = True
            mention(draft, text, host, entry)
            draft.link(subject, host, "uses", entry.start, confidence, entry.path, inherited=inherited)
    return found


def hosts(entry: Entry) -> Iterator[str]:
    """The names of those whom a setting addresses; `localhost:8888` for one known by its port only."""
    path, value = entry.path, plain(entry.value)
    if _NOT_HERE.search(path) or value.isdigit():
        return
    if route := _ROUTE.search(path):
        yield route[1]
        return
    addresses = [
        address for url in _URL.finditer(value) if url[1].lower() not in _NO_HOSTS for address in url[2].split(",")
    ] or [match[0] for match in _HOST_PORT.finditer(value)]
    if not addresses and _HOST_KEY.search(path):
        addresses = [
            each.strip() for each in value.split(",") if _BARE.match(each.strip()) or _LOCAL.match(each.strip())
        ]
    seen: set[str] = set()
    for address in addresses:
        host = _host(address, path, value)
        if host and host not in seen:
            seen.add(host)
            yield host


def mention(draft: Draft, text: str, name: str, entry: Entry, confidence: float = NAMED) -> None:
    if ":" in name:
        confidence = GUESSED / 3
    elif is_technology(name) or " " in name:
        confidence = max(confidence, STATED)
    kind = kind_of(name)
    draft.name_within(name, kind if kind in COMPONENTS else "service", text, entry.start, entry.end, confidence)


def _host(address: str, path: str, value: str) -> str:
    host, _, port = address.partition(":")
    if _LOCAL.match(host):
        # An address of this machine says by its key (`redis.host`) which product it is of, or else by its port.
        return _product(path, value) or (f"localhost:{port}" if port else "")
    if forge := _FORGE.search(host):
        return f"{forge[1]} repository"
    if _CLUSTER.search(host):
        host = host.partition(".")[0]
    named = len(host) > 1 and "." not in host and host.lower() not in _NO_NAMES
    return host if named and key(host) and not host.isdigit() else ""


def _product(path: str, value: str) -> str:
    """The well-known product among the keys that lead to an address, or in its scheme, as in `jdbc:mysql://`."""
    scheme = _SCHEME.match(value.lower())
    words = [*reversed(_WORD.findall(path.lower())), *([scheme[1]] if scheme else [])]
    return next((word for word in words if is_technology(word) and kind_of(word) in ("database", "queue")), "")
