"""A secret comes from the first source that has it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from knowgate.apis.credentials import sources
from knowgate.apis.credentials.profile import Profile, Source
from knowgate.apis.credentials.sources import find_secret, find_user
from knowgate.errors import ForbiddenError

posix_only = pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")


def profile(**source) -> Profile:
    return Profile("mine", "bearer", ("https://api.test",), secret=Source(**source))


def prints(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def private(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def refused(profile: Profile, environ: dict[str, str] | None = None) -> ForbiddenError:
    with pytest.raises(ForbiddenError) as caught:
        find_secret(profile, environ or {})
    assert caught.value.fix
    return caught.value


def test_the_order(tmp_path: Path) -> None:
    file = tmp_path / "token"
    mine = profile(env="TOKEN", file=file, command=prints("print('from command')"))
    assert find_secret(mine, {}) == "from command"
    private(file, "from file\n")
    assert find_secret(mine, {}) == "from file"
    assert find_secret(mine, {"TOKEN": ""}) == "from file"
    assert find_secret(mine, {"TOKEN": "from environment"}) == "from environment"


def test_the_command_gets_the_environment_handed_in_and_no_shell() -> None:
    mine = profile(command=prints("import os; print(os.environ['WHO'], '$WHO')"))
    assert find_secret(mine, {**os.environ, "WHO": "me"}) == "me $WHO"


@posix_only
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = private(tmp_path / "token", "canary")
    file.chmod(mode)
    error = refused(profile(file=file))
    assert error.code == "credential_unsafe"
    assert error.fix == f"Run: chmod 600 '{file}'"
    assert "canary" not in str(error)


def test_a_folder_or_a_large_file_is_no_secret(tmp_path: Path) -> None:
    assert refused(profile(file=tmp_path)).code in {"credential_missing", "credential_unsafe"}
    assert refused(profile(file=private(tmp_path / "large", "x" * 70_000))).code == "credential_refused"


def test_nothing_found_says_where_it_was_looked_for(tmp_path: Path) -> None:
    error = refused(profile(env="TOKEN", file=tmp_path / "token"))
    assert error.code == "credential_missing"
    assert "TOKEN" in error.fix
    assert "token" in error.fix


@pytest.mark.parametrize(
    "code",
    ["print('canary'); raise SystemExit(3)", "pass", "print('canary' * 100_000)", "import sys; sys.stdout.close()"],
)
def test_a_command_that_fails(code: str) -> None:
    error = refused(profile(command=prints(code)))
    assert error.code == "credential_missing"
    assert "canary" not in error.message


def test_a_command_that_is_not_there() -> None:
    assert refused(profile(command=("no-such-command-anywhere",))).code == "credential_missing"


@pytest.mark.parametrize("code", ["import time; time.sleep(99)", "import os, time; os.close(1); time.sleep(99)"])
def test_a_command_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(sources, "_COMMAND_SECONDS", 0.5)
    assert "did not end" in refused(profile(command=prints(code))).fix


def test_the_key_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend
    from keyring.errors import KeyringLocked

    class Ring(KeyringBackend):
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            if service == "locked":
                raise KeyringLocked("canary")
            return {("api", "me"): "from key ring"}.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None: ...

        def delete_password(self, service: str, username: str) -> None: ...

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    try:
        assert find_secret(profile(keyring="api/me"), {}) == "from key ring"
        assert refused(profile(keyring="api/you")).code == "credential_missing"
        assert refused(profile(keyring="locked/me")).code == "credential_missing"
        assert find_secret(profile(keyring="api/you", command=prints("print('later')")), {}) == "later"
    finally:
        keyring.set_keyring(before)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "pip install" in refused(profile(keyring="api/me")).fix


def test_the_user() -> None:
    told = Profile("mine", "basic", (), user="ada", user_env="WHO")
    assert find_user(told, {}) == "ada"
    assert find_user(told, {"WHO": "eve"}) == "eve"
    with pytest.raises(ForbiddenError):
        find_user(Profile("mine", "basic", (), user_env="WHO"), {})
