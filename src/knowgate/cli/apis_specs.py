"""`knowgate apis diff` and `mock`: what can be done with a description alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Json
from knowgate.errors import InputError

if TYPE_CHECKING:
    from knowgate.apis.catalogue import Catalogue

_BREAKING = 8
Source = Annotated[str, typer.Argument(metavar="SPEC", help="An OpenAPI description: a path or an address.")]


def diff(
    ctx: typer.Context,
    old: Annotated[str, typer.Argument(metavar="OLD", help="A description: a path or an address.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The one that takes its place.")],
    json: Json = False,
) -> None:
    """Show what changed between two descriptions of an API. Exit code 8 when it breaks those who call it."""
    call = Call.of(ctx, None, None, json)
    from knowgate.apis.differences import diff as compare

    found = compare(read_catalogue(old), read_catalogue(new))
    breaks = bool(found.removed or found.breaking)
    if call.json:
        call.screen.answer({**asdict(found), "breaks": breaks})
    else:
        lines = [f"removed   {id}" for id in found.removed]
        lines += [f"breaking  {each.id}: {'; '.join(each.reasons)}" for each in found.breaking]
        lines += [f"changed   {each.id}: {', '.join(each.reasons)}" for each in found.changed]
        lines += [f"added     {id}" for id in found.added]
        call.screen.show("\n".join(lines) or "Nothing changed for those who call it.")
    raise typer.Exit(_BREAKING if breaks else 0)


def mock(
    ctx: typer.Context,
    spec: Source,
    port: Annotated[int, typer.Option("--port", metavar="PORT", help="0 takes any free one.")] = 4010,
) -> None:
    """Serve a believable API from its description, on this machine. Ctrl-C ends it.

    It answers with the description's examples, and what is sent to it can be read back.
    """
    screen = Call.of(ctx, None, None).screen
    from knowgate.apis.mock import Mock
    from knowgate.cli.mock_http import serve_mock

    catalogue = read_catalogue(spec)
    operations = [catalogue.operation(entry.id) for entry in catalogue.list()]
    serve_mock(Mock(operations), port, lambda url: screen.err.print(f"{len(operations)} operations at {url}"))


def read_catalogue(source: str) -> Catalogue:
    """The operations of one description that stands in no configuration."""
    from knowgate.apis.catalogue import Catalogue
    from knowgate.apis.compiled import compile_api
    from knowgate.apis.spec.folder import folder_reader

    remote = source.startswith(("http://", "https://"))
    data = fetch_spec(source) if remote else _read(Path(source))
    read = None if remote else folder_reader(Path(source).parent)
    with TemporaryDirectory() as folder:
        return Catalogue([compile_api(data, name="api", source=source, folder=Path(folder), read=read)])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("spec_missing", f"{path} cannot be read ({error.strerror}).", "Check the path.") from None


def fetch_spec(url: str) -> bytes:
    from knowgate.errors import NetworkError
    from knowgate.net import NetRules
    from knowgate.net.client import open_client

    # Whoever typed the address may reach it: it came from no document and no assistant.
    with open_client(NetRules(allow_private=True)) as client:
        response = client.get(url)
    if response.status_code != 200:
        raise NetworkError("bad_response", f"{url} answered with {response.status_code}.", "Check the address.")
    return response.content
