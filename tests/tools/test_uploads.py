from __future__ import annotations

import anyio
import pytest

from knowgate.tools.uploads import Uploads, uploading

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_quick_upload_is_known_by_its_task() -> None:
    async def upload() -> str:
        return "task"

    uploads = Uploads()
    assert await uploads.begin(upload(), patience=60) == "task"
    assert await uploads.task_of("task", 0) == "task"


async def test_a_slow_upload_has_a_name_until_it_is_done() -> None:
    arrived = anyio.Event()

    async def upload() -> str:
        await arrived.wait()
        return "task"

    uploads = Uploads()
    name = await uploads.begin(upload(), patience=0)
    assert name.startswith("upload-")
    assert await uploads.task_of(name, 0) is None
    assert (uploading(name).task_id, uploading(name).status, uploading(name).phase) == (name, "running", "uploading")
    arrived.set()
    assert await uploads.task_of(name, 60) == "task"


async def test_an_upload_that_fails_says_why() -> None:
    broken = anyio.Event()

    async def upload() -> str:
        await broken.wait()
        raise ValueError("no")

    uploads = Uploads()
    name = await uploads.begin(upload(), patience=0)
    broken.set()
    with pytest.raises(ValueError, match="no"):
        await uploads.task_of(name, 60)
    with pytest.raises(ValueError, match="no"):
        await uploads.begin(upload(), patience=60)


async def test_an_upload_that_is_taken_back_ends() -> None:
    ended = anyio.Event()

    async def upload() -> str:
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return "never"

    uploads = Uploads()
    name = await uploads.begin(upload(), patience=0)
    await anyio.sleep(0)
    uploads.stop(name)
    await ended.wait()
    uploads.stop("unknown")


async def test_a_call_that_is_taken_back_takes_its_upload_back() -> None:
    begun, ended = anyio.Event(), anyio.Event()

    async def upload() -> str:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return "never"

    async with anyio.create_task_group() as group:
        group.start_soon(Uploads().begin, upload(), 60)
        await begun.wait()
        group.cancel_scope.cancel()
    await ended.wait()


async def test_an_upload_that_was_taken_back_is_no_task() -> None:
    """Whoever asks for it is not taken back with it."""
    uploads = Uploads()
    name = await uploads.begin(anyio.sleep_forever(), patience=0)
    asking: list[str | None] = []

    async def ask() -> None:
        asking.append(await uploads.task_of(name, 600))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        uploads.stop(name)
    assert asking == [name]
    assert await uploads.task_of(name, 0) == name
