"""Whether a call can be sent at all."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from knowgate.errors import ForbiddenError, NetworkError

if TYPE_CHECKING:
    from knowgate.apis.request import Request
    from knowgate.rooms import Rooms


def check_ready(rooms: Rooms, api: str, request: Request, profiles: Sequence[str]) -> None:
    """Refuse what is known to be refused later, as far as can be told without asking the network."""
    from knowgate.apis.building import rules_of
    from knowgate.net.client import check_url

    with own_words(api):
        check_url(request.url, rules_of(rooms.settings.apis[api], rooms.settings.fetch))
    for name in profiles:
        rooms.wallet.check_ready(name, request)


@contextmanager
def own_words(api: str) -> Generator[None]:
    """The network's rules know of documents only."""
    try:
        yield
    except (ForbiddenError, NetworkError) as error:
        fix = {
            "private_address": f"If you trust it, set allow_private = true under [apis.{api}] in knowgate.toml.",
            "bad_response": "Try again, or ask whoever runs the API.",
        }.get(error.code)
        if fix is None:
            raise
        raise type(error)(error.code, error.message, fix) from error
