"""A profile opens what it is for, and nothing else; its secrets are seen nowhere."""

from __future__ import annotations

import pickle
import shutil
import traceback
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.apis.service import KEY, PASSWORD, TOKEN, USER, service

from knowgate.apis.credentials.profile import Profile, Source
from knowgate.apis.credentials.secret import Secret
from knowgate.apis.credentials.wallet import Wallet
from knowgate.apis.request import Request
from knowgate.apis.send import send
from knowgate.errors import ForbiddenError, KnowgateError, NotFoundError
from knowgate.net import NetRules

RULES = NetRules(allow_private=True)
ENVIRON = {"TOKEN": TOKEN, "KEY": KEY, "PASSWORD": PASSWORD}
CERTIFICATE = Path(__file__).parents[2] / "net" / "shop.test.pem"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with service() as url:
        yield url


def wallet(tmp_path: Path, *profiles: Profile, environ: dict[str, str] = ENVIRON, **more) -> Wallet:
    return Wallet(profiles, environ=environ, folder=tmp_path / "tokens", rules=RULES, **more)


def profile(url: str, type, env: str, **more) -> Profile:
    return Profile("mine", type, (url,), secret=Source(env=env), **more)


def request(url: str, operation: str = "op") -> Request:
    return Request("GET", url, operation=operation)


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("bearer", {"type": "bearer", "env": "TOKEN"}),
        ("basic", {"type": "basic", "env": "PASSWORD", "user": USER}),
        ("header", {"type": "api_key", "env": "KEY", "key_name": "X-API-Key"}),
        ("query", {"type": "api_key", "env": "KEY", "place": "query", "key_name": "api_key"}),
        ("cookie", {"type": "api_key", "env": "KEY", "place": "cookie", "key_name": "api_session"}),
    ],
)
def test_every_kind_opens_its_door(tmp_path: Path, url: str, path: str, more: dict) -> None:
    mine = wallet(tmp_path, profile(url, **more))
    asked = request(f"{url}/auth/{path}")
    assert send(asked, RULES).status in {401, 403}
    grant = mine.apply("mine", asked)
    received = send(asked, RULES, grant=grant)
    assert received.status == 200
    for secret in (TOKEN, KEY, PASSWORD):
        assert secret not in repr(grant) + repr(received) + received.url


def test_mutual_tls(tmp_path: Path) -> None:
    private = tmp_path / "mine.pem"
    shutil.copy(CERTIFICATE, private)
    private.chmod(0o600)
    with service(private) as url:
        url = url.replace("127.0.0.1", "shop.test")
        mine = wallet(tmp_path, Profile("mine", "mutual_tls", (url,), certificate=private, authority=private))
        asked = request(f"{url}/redirects/end")
        received = send(asked, RULES, grant=mine.apply("mine", asked), resolve=lambda name: ["127.0.0.1"])
        assert received.status == 200


@pytest.mark.parametrize("text", ["", "-----BEGIN nonsense"])
def test_a_certificate_that_is_none(tmp_path: Path, text: str) -> None:
    bad = tmp_path / "bad.pem"
    bad.write_text(text)
    bad.chmod(0o600)
    mine = wallet(tmp_path, Profile("mine", "mutual_tls", ("https://api.test",), certificate=bad))
    with pytest.raises(ForbiddenError) as caught:
        mine.apply("mine", request("https://api.test/"))
    assert caught.value.code == "credential_refused"


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://api.test/x", True),
        ("https://API.TEST:443/y?z", True),
        ("http://api.test/x", False),
        ("https://api.test:8443/x", False),
        ("https://api.test.evil.test/", False),
        ("https://evil.test/https://api.test/", False),
        ("https://sub.api.test/", False),
    ],
)
def test_it_is_bound_to_its_origin(tmp_path: Path, url: str, allowed: bool) -> None:
    mine = wallet(tmp_path, profile("https://api.test", "bearer", "TOKEN"))
    assert bool(mine.profiles_for(request(url))) is allowed
    if allowed:
        assert mine.apply("mine", request(url)).origin == "https://api.test"
    else:
        with pytest.raises(ForbiddenError) as caught:
            mine.apply("mine", request(url))
        assert caught.value.code == "profile_not_allowed"


def test_it_is_bound_to_its_operations(tmp_path: Path) -> None:
    mine = wallet(tmp_path, profile("https://api.test", "bearer", "TOKEN", operations=("get*", "listPets")))
    for operation in ("getPet", "listPets"):
        assert mine.apply("mine", request("https://api.test/", operation))
    for operation in ("deletePet", "listpets", "Getpet", ""):
        with pytest.raises(ForbiddenError):
            mine.apply("mine", request("https://api.test/", operation))


def test_a_profile_without_origins_is_for_nothing(tmp_path: Path) -> None:
    mine = wallet(tmp_path, Profile("mine", "bearer", (), secret=Source(env="TOKEN")))
    with pytest.raises(ForbiddenError, match="origins"):
        mine.apply("mine", request("https://api.test/"))


def test_no_such_profile(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        wallet(tmp_path).apply("other", request("https://api.test/"))
    assert caught.value.code == "unknown_profile"
    assert "Write [auth." in caught.value.fix


def test_the_secrets_to_look_for(tmp_path: Path) -> None:
    basic = profile("https://api.test", "basic", "PASSWORD", user=USER)
    encoded = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    assert set(wallet(tmp_path, basic).secrets_of("mine")) == {PASSWORD, encoded}
    bearer = profile("https://api.test", "bearer", "TOKEN")
    assert wallet(tmp_path, bearer).secrets_of("mine") == (TOKEN,)
    assert wallet(tmp_path, bearer, environ={}).secrets_of("mine") == ()


def test_a_changed_secret_is_noticed_and_the_old_one_still_hidden(tmp_path: Path) -> None:
    now, environ = [0.0], {"TOKEN": "first-token"}
    mine = wallet(tmp_path, profile("https://api.test", "bearer", "TOKEN"), environ=environ, clock=lambda: now[0])
    asked = request("https://api.test/")
    assert mine.apply("mine", asked).headers[0][1].reveal() == "Bearer first-token"
    environ["TOKEN"] = "second-token"
    now[0] = 61
    assert mine.apply("mine", asked).headers[0][1].reveal() == "Bearer second-token"
    assert mine.secrets_of("mine") == ("first-token", "second-token")


@pytest.mark.parametrize("secret", ["canary\r\nX-Evil: 1", "canary\0", "canary\u2028x", "canaryß"])
def test_a_secret_that_cannot_be_sent_is_not_shown(tmp_path: Path, secret: str) -> None:
    mine = wallet(tmp_path, profile("https://api.test", "bearer", "TOKEN"), environ={"TOKEN": secret})
    with pytest.raises(ForbiddenError) as caught:
        mine.apply("mine", request("https://api.test/"))
    assert caught.value.code == "credential_refused"
    assert "canary" not in "".join(traceback.format_exception(caught.value))


def test_a_key_that_does_not_fit_into_a_cookie(tmp_path: Path) -> None:
    cookie = profile("https://api.test", "api_key", "KEY", place="cookie", key_name="s")
    with pytest.raises(ForbiddenError):
        wallet(tmp_path, cookie, environ={"KEY": "a; admin=1"}).apply("mine", request("https://api.test/"))


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("canary")
    shown = f"{secret} {secret!r} {[secret]} {Profile('p', 'bearer', ())}" + "%s" % secret  # noqa: UP031
    assert "canary" not in shown
    assert secret == Secret("canary")
    assert len({secret, Secret("canary"), Secret("other")}) == 2
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_errors_are_typed_and_have_a_fix(tmp_path: Path) -> None:
    mine = wallet(tmp_path, profile("https://api.test", "bearer", "TOKEN"), environ={})
    with pytest.raises(KnowgateError) as caught:
        mine.apply("mine", request("https://api.test/"))
    assert (caught.value.code, bool(caught.value.fix)) == ("credential_missing", True)
