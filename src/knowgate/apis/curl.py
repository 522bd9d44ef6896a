"""A request as a command line, for people. Credentials are not part of a request, so none can be shown."""

from __future__ import annotations

import base64
import shlex

from knowgate.apis.request import Request


def as_curl(request: Request, placeholders: tuple[tuple[str, str], ...] = ()) -> str:
    """For a POSIX shell. `placeholders` are headers that stand for credentials: ("Authorization", "Bearer $TOKEN")."""
    # --globoff: curl would read [] and {} in an address as patterns. --request HEAD would wait for a body.
    parts = ["curl", "--globoff", *(["--head"] if request.method == "HEAD" else ["--request", request.method])]
    parts.append(request.url)
    own = (*request.headers, *([("Content-Type", request.content_type)] if request.content_type else []))
    for name, value in (*own, *placeholders):
        parts += ["--header", f"{name}: {value}" if value else f"{name};"]
    if request.body is None:
        return shlex.join(parts)
    try:
        text = request.body.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return shlex.join([*parts, "--data-raw", text])
    encoded = base64.b64encode(request.body).decode()
    return f"printf %s {shlex.quote(encoded)} | base64 -d | {shlex.join([*parts, '--data-binary', '@-'])}"
