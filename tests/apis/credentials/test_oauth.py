"""Tokens are asked for once, kept in private, renewed in time, and never told."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from tests.apis.service import CLIENT_ID, CLIENT_SECRET, service
from tests.serving import unclaimed_port

from knowgate.apis.credentials.profile import Profile, Source
from knowgate.apis.credentials.wallet import Wallet
from knowgate.apis.request import Request
from knowgate.apis.send import send
from knowgate.doors.serve import listen
from knowgate.errors import ConflictError, ForbiddenError, NetworkError
from knowgate.net import NetRules

RULES = NetRules(allow_private=True)
ENVIRON = {"SECRET": CLIENT_SECRET}


@pytest.fixture
def url() -> Iterator[str]:
    with service() as url:
        yield url


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def machine(url: str) -> Profile:
    return Profile(
        "mine",
        "oauth2_client_credentials",
        (url,),
        secret=Source(env="SECRET"),
        user=CLIENT_ID,
        token_url=f"{url}/oauth/token",
        scopes=("read",),
    )


def person(url: str) -> Profile:
    return replace(
        machine(url),
        type="oauth2_authorization_code",
        authorization_url=f"{url}/oauth/authorize",
        redirect_port=unclaimed_port(),
    )


def wallet(tmp_path: Path, profile: Profile, clock: Clock, environ: dict[str, str] = ENVIRON) -> Wallet:
    return Wallet([profile], environ=environ, folder=tmp_path / "tokens", rules=RULES, clock=clock)


def token(mine: Wallet, url: str) -> str:
    asked = Request("GET", f"{url}/auth/oauth", operation="oauthOnly")
    grant = mine.apply("mine", asked)
    assert send(asked, RULES, grant=grant).status == 200
    return grant.headers[0][1].reveal().removeprefix("Bearer ")


def asked(url: str) -> int:
    return sum(entry["path"] == "/oauth/token" for entry in httpx2.get(f"{url}/seen", timeout=60).json())


def browser(address: str) -> Thread:
    """Somebody who opens the address and comes back."""
    thread = Thread(target=lambda: httpx2.get(address, follow_redirects=True, timeout=60))
    thread.start()
    return thread


def test_a_client_token_is_asked_for_once_and_shared_between_processes(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, machine(url), clock)
    first = token(mine, url)
    assert token(mine, url) == first
    assert token(wallet(tmp_path, machine(url), clock), url) == first
    assert asked(url) == 1
    assert set(mine.secrets_of("mine")) == {first, CLIENT_SECRET}


def test_it_is_renewed_before_it_expires(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, machine(url), clock)
    first = token(mine, url)
    clock.now += 539
    assert token(mine, url) == first
    clock.now += 1
    assert token(mine, url) != first


def test_another_account_does_not_find_the_token(tmp_path: Path, url: str, clock: Clock) -> None:
    first = token(wallet(tmp_path, machine(url), clock), url)
    other = replace(machine(url), scopes=("write",))
    assert token(wallet(tmp_path, other, clock), url) != first


def test_many_at_once_ask_once(tmp_path: Path, url: str, clock: Clock) -> None:
    wallets = [wallet(tmp_path, machine(url), clock) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda mine: token(mine, url), wallets * 2))
    assert len(found) == 1
    assert asked(url) == 1


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_the_file_is_private(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, machine(url), clock)
    token(mine, url)
    [file] = (tmp_path / "tokens").glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o077 == 0
    file.chmod(0o644)
    with pytest.raises(ForbiddenError) as caught:
        token(wallet(tmp_path, machine(url), clock), url)
    assert caught.value.code == "credential_unsafe"


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, url: str, clock: Clock) -> None:
    token(wallet(tmp_path, machine(url), clock), url)
    [file] = (tmp_path / "tokens").glob("*.json")
    for text in ("", "{", "[]", '{"access": 3}', '{"access": "x", "refresh": "", "expires_at": "soon", "early": 0}'):
        file.write_text(text)
        token(wallet(tmp_path, machine(url), clock), url)


def test_a_person_signs_in_and_stays_so_with_rotating_refresh_tokens(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, profile := person(url), clock)
    with pytest.raises(ForbiddenError) as caught:
        token(mine, url)
    assert caught.value.code == "credential_missing"
    shown: list[str] = []
    mine.sign_in("mine", lambda address: (shown.append(address), browser(address))[0])
    query = parse_qs(urlsplit(shown[0]).query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [f"http://127.0.0.1:{profile.redirect_port}/callback"]
    first = token(mine, url)
    other = wallet(tmp_path, profile, clock)
    for _ in range(3):
        clock.now += 600
        renewed = token(mine, url)
        assert renewed != first
        # Another process has the old refresh token in its memory and takes the new one from the file.
        assert token(other, url) == renewed
    assert any(secret.startswith("canary-refresh") for secret in mine.secrets_of("mine"))
    mine.sign_out("mine")
    with pytest.raises(ForbiddenError):
        token(mine, url)


def test_whether_it_can_be_used_is_told_without_asking_for_a_token(tmp_path: Path, url: str, clock: Clock) -> None:
    asked = Request("GET", url, operation="op")
    # Nobody listens there, and nobody has to.
    wallet(tmp_path, replace(machine(url), token_url="http://127.0.0.1:9/token"), clock).check_ready("mine", asked)
    mine = wallet(tmp_path, person(url), clock)
    with pytest.raises(ForbiddenError, match="Nobody is signed in") as caught:
        mine.check_ready("mine", asked)
    assert caught.value.code == "credential_missing"
    mine.sign_in("mine", lambda address: browser(address) and None)
    mine.check_ready("mine", asked)


def test_a_public_client_signs_in_without_a_secret(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, replace(person(url), secret=Source()), clock)
    mine.sign_in("mine", lambda address: browser(address) and None)
    assert token(mine, url)


def test_a_sign_in_that_ended_has_to_be_done_again(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, person(url), clock)
    mine.sign_in("mine", lambda address: browser(address) and None)
    with service() as other:
        # The same account at a server that does not know the refresh token.
        moved = replace(mine.profile("mine"), token_url=f"{other}/oauth/token")
        [file] = (tmp_path / "tokens").glob("*.json")
        kept = file.read_bytes()
        away = wallet(tmp_path / "away", moved, clock)
        with pytest.raises(ForbiddenError):
            away.apply("mine", Request("GET", url, operation="op"))
        from knowgate.apis.credentials.tokens import TokenFiles

        target = TokenFiles(tmp_path / "away" / "tokens")._path(moved)
        target.write_bytes(kept)
        target.chmod(0o600)
        clock.now += 600
        with pytest.raises(ForbiddenError) as caught:
            away.apply("mine", Request("GET", url, operation="op"))
    assert caught.value.code == "credential_expired"
    assert "canary" not in "".join(traceback.format_exception(caught.value))


def test_a_denied_sign_in_and_a_stranger_at_the_door(tmp_path: Path, url: str, clock: Clock) -> None:
    profile = person(url)
    mine = wallet(tmp_path, profile, clock)
    with pytest.raises(ForbiddenError) as caught:
        mine.sign_in("mine", lambda address: browser(address + "&deny=true") and None)
    assert caught.value.code == "credential_missing"

    def stranger_first(address: str) -> None:
        callback = f"http://127.0.0.1:{profile.redirect_port}"

        def knock() -> None:
            httpx2.get(f"{callback}/callback?code=evil&state=guessed", timeout=60)
            httpx2.get(f"{callback}/favicon.ico", timeout=60)
            httpx2.get(address, follow_redirects=True, timeout=60)

        Thread(target=knock).start()

    mine.sign_in("mine", stranger_first)
    assert token(mine, url)


def test_nobody_comes_back(tmp_path: Path, url: str, clock: Clock) -> None:
    with pytest.raises(ForbiddenError):
        wallet(tmp_path, person(url), clock).sign_in("mine", lambda address: None, seconds=0.1)


def test_the_port_is_taken(tmp_path: Path, url: str, clock: Clock) -> None:
    profile = person(url)
    with listen("127.0.0.1", profile.redirect_port), pytest.raises(ConflictError) as caught:
        wallet(tmp_path, profile, clock).sign_in("mine", lambda address: None)
    assert caught.value.code == "port_taken"


def test_a_refusal_repeats_nothing_of_what_the_server_says(tmp_path: Path, url: str, clock: Clock) -> None:
    mine = wallet(tmp_path, machine(url), clock, {"SECRET": "canary-wrong"})
    with pytest.raises(ForbiddenError) as caught:
        mine.apply("mine", Request("GET", url, operation="op"))
    assert caught.value.code == "credential_refused"
    assert "invalid_client" in caught.value.message
    assert "canary" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("path", ["/answers/text", "/answers/broken", "/redirects/post", "/none", "/trouble/cut"])
def test_a_server_that_speaks_no_oauth(tmp_path: Path, url: str, clock: Clock, path: str) -> None:
    mine = wallet(tmp_path, replace(machine(url), token_url=url + path), clock)
    with pytest.raises((ForbiddenError, NetworkError)) as caught:
        mine.apply("mine", Request("GET", url, operation="op"))
    assert CLIENT_SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_token_server_inside_is_not_asked_unless_allowed(tmp_path: Path, url: str) -> None:
    strict = Wallet([machine(url)], environ=ENVIRON, folder=tmp_path, rules=NetRules())
    with pytest.raises(ForbiddenError) as caught:
        strict.apply("mine", Request("GET", url, operation="op"))
    assert caught.value.code == "private_address"


def test_two_processes_ask_one_after_the_other(tmp_path: Path, url: str) -> None:
    script = """
import sys
from pathlib import Path
from knowgate.apis.credentials.profile import Profile, Source
from knowgate.apis.credentials.wallet import Wallet
from knowgate.apis.request import Request
from knowgate.net import NetRules
url, secret, client, folder = sys.argv[1:]
profile = Profile("mine", "oauth2_client_credentials", (url,), secret=Source(env="S"), user=client,
                  token_url=url + "/oauth/token")
wallet = Wallet([profile], environ={"S": secret}, folder=Path(folder), rules=NetRules(allow_private=True))
print(wallet.apply("mine", Request("GET", url, operation="op")).headers[0][1].reveal())
"""
    command = [sys.executable, "-c", script, url, CLIENT_SECRET, CLIENT_ID, str(tmp_path / "tokens")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {process.communicate()[0] for process in started}
    assert len(said) == 1
    assert "canary-access" in said.pop()
    assert asked(url) == 1
