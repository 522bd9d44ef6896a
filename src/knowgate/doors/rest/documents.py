"""Documents: in, listed, read and out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

import orjson
from fastapi import Query, Request, Response
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from knowgate import answers, calls
from knowgate.doors.rest.callers import Bringer, Caller
from knowgate.doors.rest.given import Given, Limit
from knowgate.doors.rest.refusals import in_words
from knowgate.doors.rest.requests import request_id
from knowgate.doors.rest.routes import refusals, subject
from knowgate.doors.rest.tasks import wait as wait_for
from knowgate.engine import Engine
from knowgate.errors import InputError, KnowgateError
from knowgate.knowledge.inbox import plain_name
from knowgate.knowledge.sources import is_url
from knowgate.model import SavedFilter, Task
from knowgate.wire import DeleteAnswer, DocumentAnswer, DocumentsAnswer, IngestAnswer, StatsAnswer, TaskAnswer

router = subject("documents")
_WAIT_SECONDS = 25.0
"""A caller who asked to wait is answered within the half minute that clients have patience for."""
_FILES = 1000
_NOT_DELETED: dict[int | str, dict[str, Any]] = {404: {"model": DeleteAnswer, "description": "There is no such thing."}}
_FORM_FIELDS = {"settings", "tweaks", "session_id", "replace_duplicates", "create_filter", "wait", "file"}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1},
                        "replace_duplicates": {"type": "string", "enum": ["true", "false"], "default": "true"},
                        "create_filter": {"type": "string", "enum": ["true", "false"], "default": "false"},
                        "session_id": {"type": "string"},
                        "settings": {"type": "string"},
                        "tweaks": {"type": "string"},
                    },
                }
            },
            "application/json": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "url": {"type": "string"},
                        "text": {"type": "string"},
                        "filename": {"type": "string"},
                    },
                }
            },
        },
    }
}


class Handed(Given):
    """An address, or a text with its name."""

    url: str | None = None
    text: str | None = None
    filename: str = ""
    wait: bool = False


class Index(Given):
    force: bool = False
    """Read every document again, changed or not."""


class Deletion(Given):
    """One of the two."""

    filename: str | None = None
    filter_id: str | None = None


class DocumentsQuery(Given):
    query: str = ""
    limit: Limit = 100
    cursor: str = ""


@router.post("/documents/ingest", status_code=202, openapi_extra=_BODY, responses=refusals(409))
async def ingest(engine: Bringer, request: Request) -> IngestAnswer:
    """Hand over files, an address or a text. They are brought in by a task; ask for its status by the id."""
    answer, _, _ = await _bring_in(engine, request)
    return answer


@router.post("/documents/upload", include_in_schema=False)
async def upload(
    engine: Bringer, request: Request, response: Response, wait: bool = False
) -> IngestAnswer | TaskAnswer:
    """The same; with `wait` the answer is what became of it."""
    answer, task, asked_to_wait = await _bring_in(engine, request)
    if not (wait or asked_to_wait):
        response.status_code = 202
        return answer
    done = await wait_for(engine, request, task.id, _WAIT_SECONDS)
    response.status_code = 200 if done.finished else 202
    return answers.task(done, await run_in_threadpool(engine.task_files, task.id))


@router.post("/documents/index", status_code=202)
def index(engine: Bringer, asked: Index) -> IngestAnswer:
    """Bring the folders that the server is configured with up to date, by a task."""
    task = engine.index(asked.force)
    return IngestAnswer(task.id, "The folders are being indexed.", 0)


@router.get("/documents")
def documents(engine: Caller, asked: Annotated[DocumentsQuery, Query()]) -> DocumentsAnswer:
    """Documents by name; the query is a part of the name, or a pattern with `*`."""
    return calls.documents(engine, asked.query, asked.limit, asked.cursor)


@router.delete("/documents", responses={**refusals(413), **_NOT_DELETED})
def delete_documents(engine: Caller, asked: Deletion, request: Request, response: Response) -> DeleteAnswer:
    """All documents of a name, or all that a saved filter names."""
    if (asked.filename is None) == (asked.filter_id is None):
        raise InputError("bad_request", "Exactly one of filename and filter_id must be given.", "Send one of them.")
    if asked.filename is not None:
        return delete_document(engine, asked.filename, request, response)
    return _told(calls.delete_matching(engine, asked.filter_id or ""), request, response)


@router.delete("/documents/{filename:path}", responses=_NOT_DELETED)
def delete_document(engine: Caller, filename: str, request: Request, response: Response) -> DeleteAnswer:
    """All documents of a name."""
    return _told(calls.delete(engine, filename), request, response)


@router.get("/stats")
def stats(engine: Caller) -> StatsAnswer:
    """How much there is."""
    return calls.stats(engine)


@router.get("/documents/{filename:path}", responses=refusals(404, 409))
def document(
    engine: Caller, filename: str, limit: Annotated[Limit, Query()] = 100, cursor: Annotated[str, Query()] = ""
) -> DocumentAnswer:
    """A document and its passages in order."""
    return calls.document(engine, filename, limit, cursor)


def _told(answer: DeleteAnswer, request: Request, response: Response) -> DeleteAnswer:
    """A refusal that has the form of a success is a refusal, too."""
    if answer.success:
        return answer
    response.status_code = 404
    return replace(answer, request_id=request_id(request.scope))


async def _bring_in(engine: Engine, request: Request) -> tuple[IngestAnswer, Task, bool]:
    # Before anything is read: who may not write has nothing to send.
    await run_in_threadpool(engine.may, "write", "ingest")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data":
        async with request.form(max_files=_FILES, max_fields=_FILES) as form:
            return await run_in_threadpool(_from_form, engine, form)
    handed = _read(await request.body())
    return await run_in_threadpool(_from_json, engine, handed)


def _read(body: bytes) -> Handed:
    try:
        return TypeAdapter(Handed).validate_python(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        fix = "Send files as multipart/form-data in the field `file`, or a JSON object with url, or text and filename."
        raise InputError("bad_request", "The body is neither a form with files nor JSON.", fix) from error
    except ValidationError as error:
        wrong: dict[str, Any] = {**error.errors()[0], "loc": ("body", *error.errors()[0]["loc"])}
        raise in_words(wrong, "application/json") from error


def _from_json(engine: Engine, handed: Handed) -> tuple[IngestAnswer, Task, bool]:
    if (handed.url is None) == (handed.text is None):
        raise InputError("bad_request", "Exactly one of url and text must be given.", "Send one of them, or files.")
    if handed.url is not None:
        # A path of this machine is no business of whoever calls from elsewhere.
        if not is_url(handed.url.strip()):
            raise InputError("bad_url", "The url must start with http:// or https://.", "Upload files of your own.")
        task, name = engine.submit([handed.url.strip()]), handed.url
    else:
        task = engine.submit(text=handed.text, filename=handed.filename)
        name = plain_name(handed.filename)
    return IngestAnswer(task.id, "Queued for ingestion.", 1, name), task, handed.wait


def _from_form(engine: Engine, form: FormData) -> tuple[IngestAnswer, Task, bool]:
    for name in form:
        if name not in _FORM_FIELDS:
            raise InputError("bad_request", f"The field {name!r} is unknown.", "Send files in the field `file`.")
    given = form.getlist("file")
    files = [each for each in given if isinstance(each, UploadFile)]
    if not files or len(files) != len(given):
        raise InputError("nothing_to_ingest", "There is no file in the field `file`.", "Send at least one there.")
    contents = [(plain_name(each.filename or ""), cast("Any", each.file)) for each in files]
    names = [name for name, _ in contents]
    replacing, waiting = _flag(form, "replace_duplicates", True), _flag(form, "wait", False)
    saved = _filter_of(engine, names) if _flag(form, "create_filter", False) else None
    try:
        task = engine.submit_contents(contents, replacing=replacing)
    except KnowgateError:
        if saved:
            engine.delete_filter(saved.id)
        raise
    filename = names[0] if len(files) == 1 else None
    filter_id = saved.id if saved else None
    answer = IngestAnswer(task.id, "Queued for ingestion.", len(files), filename, saved is not None, filter_id)
    return answer, task, waiting


def _filter_of(engine: Engine, names: Sequence[str]) -> SavedFilter:
    for name in names:
        if "*" in name or "?" in name:
            raise InputError(
                "bad_name", f"A filter takes {name!r} for a pattern.", "Rename the file, or make no filter."
            )
    title = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    return engine.create_filter(title[:100], "Made with an upload.", {"filters": {"data_sources": names}})


def _flag(form: FormData, name: str, default: bool) -> bool:
    value = form.get(name)
    if value is None:
        return default
    if not isinstance(value, str) or value.lower() not in ("true", "false"):
        raise InputError("bad_request", f"{name} must be true or false.", "Send one of the two words.")
    return value.lower() == "true"
