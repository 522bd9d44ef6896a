"""Credentials that are more than a word: a client certificate and a person's sign-in, through `knowgate mcp`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.apis.service import CLIENT_ID, create_service, service
from tests.doors.mcp.talking import talking, text
from tests.serving import unclaimed_port

from knowgate.apis.credentials.profile import Profile
from knowgate.apis.credentials.wallet import Wallet
from knowgate.net import NetRules

pytestmark = pytest.mark.anyio
CERTIFICATE = """
[apis.shop]
spec = "{spec}"
base_url = "{url}"
allow_private = true
auth = ["mine"]
[auth.mine]
type = "mutual_tls"
cert_file = "{certificate}"
ca_file = "{certificate}"
"""
PERSON = """
[apis.shop]
spec = "{url}/openapi.json"
allow_private = true
auth = ["mine"]
[auth.mine]
type = "oauth2_authorization_code"
client_id = "{client}"
token_url = "{url}/oauth/token"
authorization_url = "{url}/oauth/authorize"
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def run(folder: Path, config: str, operation: str) -> Any:
    file = folder / "knowgate.toml"
    file.write_text(config, encoding="utf-8")
    async with talking("mcp", "--config", file, "--data", folder / "data") as client:
        return await client.call_tool("knowgate_run_operation", {"operation_id": operation})


async def test_a_client_certificate_opens_the_door_and_without_it_there_is_none(tmp_path: Path):
    certificate, spec = tmp_path / "mine.pem", tmp_path / "shop.json"
    certificate.write_bytes(certificate_of_this_machine())
    certificate.chmod(0o600)
    spec.write_text(json.dumps(create_service().openapi()), encoding="utf-8")
    with service(certificate) as url:
        told = CERTIFICATE.format(spec=spec.as_posix(), url=url, certificate=certificate.as_posix())
        answer = await run(tmp_path, told, "redirectEnd")
        assert answer.structured_content["data"] == {"arrived": True}, text(answer)
        refused = await run(tmp_path, told.replace('auth = ["mine"]\n', ""), "redirectEnd")
        assert refused.is_error


def certificate_of_this_machine() -> bytes:
    """One that vouches for itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop")])
    start = datetime.now(UTC) - timedelta(days=1)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*plain) + made.public_bytes(serialization.Encoding.PEM)


async def test_a_person_who_signed_in_is_let_in_and_nobody_else(tmp_path: Path):
    with service() as url:
        config = PERSON.format(url=url, client=CLIENT_ID)
        nobody = await run(tmp_path, config, "oauthOnly")
        assert nobody.is_error
        assert "Nobody is signed in" in text(nobody)
        sign_in(tmp_path / "data" / "apis" / "tokens", url)
        answer = await run(tmp_path, config, "oauthOnly")
        assert answer.structured_content["data"] == {"welcome": True}, text(answer)
        assert "canary-access" not in repr(answer)


def sign_in(tokens: Path, url: str) -> None:
    profile = Profile(
        "mine",
        "oauth2_authorization_code",
        (url,),
        user=CLIENT_ID,
        token_url=f"{url}/oauth/token",
        authorization_url=f"{url}/oauth/authorize",
        redirect_port=unclaimed_port(),
    )
    wallet = Wallet([profile], environ={}, folder=tokens, rules=NetRules(allow_private=True))
    browsers: list[Thread] = []

    def browser(address: str) -> None:
        browsers.append(Thread(target=lambda: httpx2.get(address, follow_redirects=True, timeout=60)))
        browsers[0].start()

    wallet.sign_in("mine", browser)
    browsers[0].join()
