"""What many tests need: the examples, an engine on a folder of its own, and the evaluation data if it is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.embedding_server import embeddings

from knowgate import Engine
from knowgate.config.settings import Settings

# A busy machine is not a failure: no test measures time. CI judges a change, so it draws the same examples every time;
# new ones are drawn wherever people work.
settings.register_profile(
    "knowgate", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("knowgate")

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "shop"


def pytest_configure(config: pytest.Config) -> None:
    about = "embedded: about the file in the data folder; left out where all indexes are on a cluster"
    config.addinivalue_line("markers", about)


@pytest.fixture(scope="session")
def examples() -> Path:
    return EXAMPLES


@pytest.fixture(autouse=True, scope="session")
def own_trust(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests trust is nobody else's business."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(autouse=True, scope="session")
def any_terminal() -> Iterator[None]:
    """What is printed does not hang on the terminal of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(Settings(data=tmp_path / "data")) as engine:
        yield engine


@pytest.fixture
def open_engine(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """More engines on the same folder, closed at the end."""
    opened: list[Engine] = []

    def open_one(**changes: object) -> Engine:
        opened.append(Engine(Settings(data=tmp_path / "data", **changes)))
        return opened[-1]

    yield open_one
    for engine in opened:
        engine.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "guides").mkdir(parents=True)
    (folder / "refunds.md").write_text("# Refunds\n\nMoney goes back to the card within five days.\n", encoding="utf-8")
    (folder / "guides" / "parcels.md").write_text(
        "# Parcels\n\nThe courier collects every parcel at noon.\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def embedding_server() -> Iterator[str]:
    with embeddings() as url:
        yield url
