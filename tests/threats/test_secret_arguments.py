"""A caller who got hold of a credential hands it to an API, dressed up."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from tests.apis.service import PASSWORD, TOKEN
from tests.threats.conftest import WRITES

from knowgate import Engine
from knowgate.errors import ForbiddenError

WAYS: dict[str, Callable[[str], str]] = {
    "escaped in part": lambda secret: f"{secret[:3]}%{ord(secret[3]):02x}{secret[4:]}",
    "escaped in capitals": lambda secret: "".join(f"%{ord(each):02X}" for each in secret),
    "escaped twice": lambda secret: "".join(f"%25{ord(each):02x}" for each in secret),
    "JSON in part": lambda secret: f"{secret[:3]}\\u{ord(secret[3]):04x}{secret[4:]}",
    "hex of both cases": lambda secret: secret[:4].encode().hex().upper() + secret[4:].encode().hex(),
    "base64 of an address": lambda secret: base64.b64encode(quote(secret, safe="").encode()).decode(),
    "base64 twice": lambda secret: base64.b64encode(base64.urlsafe_b64encode(secret.encode())).decode(),
    "in other company": lambda secret: base64.urlsafe_b64encode(f"me:{secret};you".encode()).decode(),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("profile", "secret"), [("token", TOKEN), ("basic", PASSWORD)])
def test_it_is_not_sent(
    house: Callable[..., Engine], seen: Callable[[], list[dict[str, Any]]], profile: str, secret: str, way: str
) -> None:
    engine = house(WRITES, auth=(profile,))
    for name in (WAYS[way](secret), f"x{WAYS[way](secret)}y"):
        with pytest.raises(ForbiddenError) as refused:
            engine.run_operation("createPet", body={"name": name})
        assert refused.value.code == "secret_in_arguments"
    assert seen() == []
