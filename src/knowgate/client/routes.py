"""Every call that the server knows, once, for both clients. A None is not sent: the server's default holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict, Unpack, cast
from urllib.parse import quote

from knowgate import model, wire
from knowgate.client.call import Call, Upload
from knowgate.client.errors import ValidationError
from knowgate.model import Scope, SearchMode

Values = Sequence[str]


class ChatOptions(TypedDict, total=False):
    chat_id: str | None
    """Goes on with this conversation."""
    filter_id: str | None
    limit: int | None
    """How many sources at most."""
    score_threshold: float | None
    filters: Mapping[str, Values] | None
    """data_sources, document_types and owners; they replace those of the saved filter."""


class SearchOptions(TypedDict, total=False):
    mode: SearchMode | None
    limit: int | None
    score_threshold: float | None
    filter_id: str | None
    data_sources: Values | None
    """Names or patterns such as `guides/*`; an empty list matches nothing."""
    document_types: Values | None
    owners: Values | None


class FilterScope(TypedDict, total=False):
    query: str | None
    data_sources: Values | None
    document_types: Values | None
    owners: Values | None
    limit: int | None
    score_threshold: float | None


class SettingsChange(TypedDict, total=False):
    llm_provider: str
    llm_model: str
    system_prompt: str
    embedding_provider: str
    embedding_model: str
    chunk_size: int
    chunk_overlap: int
    table_structure: bool
    ocr: bool
    picture_descriptions: bool


def chat(
    message: str,
    *,
    stream: bool = False,
    chat_id: str | None = None,
    filter_id: str | None = None,
    limit: int | None = None,
    score_threshold: float | None = None,
    filters: Mapping[str, Values] | None = None,
) -> Call[wire.ChatReply]:
    body = _given(
        message=message,
        stream=stream,
        chat_id=chat_id,
        filter_id=filter_id,
        limit=limit,
        score_threshold=score_threshold,
        filters=None if filters is None else _dimensions(**filters),
    )
    return Call("POST", "/chat", wire.ChatReply, body=body)


def chats(*, limit: int | None = None, cursor: str = "") -> Call[wire.ConversationList]:
    params = _params(limit=limit, cursor=cursor or None)
    return Call("GET", "/chat", wire.ConversationList, params=params, safe=True)


def one_chat(chat_id: str) -> Call[wire.ConversationDetail]:
    return Call("GET", f"/chat/{_part(chat_id, 'chat id')}", wire.ConversationDetail, safe=True)


def delete_chat(chat_id: str) -> Call[wire.Done]:
    return Call("DELETE", f"/chat/{_part(chat_id, 'chat id')}", wire.Done)


def search(
    query: str,
    *,
    mode: SearchMode | None = None,
    limit: int | None = None,
    score_threshold: float | None = None,
    filter_id: str | None = None,
    data_sources: Values | None = None,
    document_types: Values | None = None,
    owners: Values | None = None,
    cursor: str = "",
) -> Call[wire.SearchAnswer]:
    filters = _dimensions(data_sources=data_sources, document_types=document_types, owners=owners)
    body = _given(
        query=query,
        mode=mode,
        limit=limit,
        score_threshold=score_threshold,
        filter_id=filter_id,
        filters=filters or None,
        cursor=cursor or None,
    )
    return Call("POST", "/search", wire.SearchAnswer, body=body, safe=True)


def ingest_files(uploads: Sequence[Upload]) -> Call[wire.IngestAnswer]:
    return Call("POST", "/documents/ingest", wire.IngestAnswer, uploads=tuple(uploads))


def ingest_url(url: str) -> Call[wire.IngestAnswer]:
    return Call("POST", "/documents/ingest", wire.IngestAnswer, body={"url": url})


def ingest_text(text: str, filename: str) -> Call[wire.IngestAnswer]:
    return Call("POST", "/documents/ingest", wire.IngestAnswer, body={"text": text, "filename": filename})


def index(*, force: bool = False) -> Call[wire.IngestAnswer]:
    return Call("POST", "/documents/index", wire.IngestAnswer, body={"force": force})


def documents(query: str = "", *, limit: int | None = None, cursor: str = "") -> Call[wire.DocumentsAnswer]:
    params = _params(query=query or None, limit=limit, cursor=cursor or None)
    return Call("GET", "/documents", wire.DocumentsAnswer, params=params, safe=True)


def one_document(filename: str, *, limit: int | None = None, cursor: str = "") -> Call[wire.DocumentAnswer]:
    path = f"/documents/{_part(filename, 'filename')}"
    params = _params(limit=limit, cursor=cursor or None)
    return Call("GET", path, wire.DocumentAnswer, params=params, safe=True)


def delete_document(filename: str) -> Call[wire.DeleteAnswer]:
    return Call("DELETE", "/documents", wire.DeleteAnswer, body={"filename": filename}, refusal=404)


def delete_matching(filter_id: str) -> Call[wire.DeleteAnswer]:
    return Call("DELETE", "/documents", wire.DeleteAnswer, body={"filter_id": filter_id})


def tasks(*, limit: int | None = None) -> Call[wire.TaskList]:
    return Call("GET", "/tasks", wire.TaskList, params=_params(limit=limit), safe=True)


def one_task(task_id: str, *, wait_seconds: int = 0) -> Call[wire.TaskAnswer]:
    path = f"/tasks/{_part(task_id, 'task id')}"
    params = _params(wait_seconds=wait_seconds)
    return Call("GET", path, wire.TaskAnswer, params=params, safe=True, held=wait_seconds)


def cancel_task(task_id: str) -> Call[wire.TaskAnswer]:
    return Call("POST", f"/tasks/{_part(task_id, 'task id')}/cancel", wire.TaskAnswer)


def retry_task(task_id: str) -> Call[wire.TaskAnswer]:
    return Call("POST", f"/tasks/{_part(task_id, 'task id')}/retry", wire.TaskAnswer)


def create_filter(name: str, scope: FilterScope, *, description: str = "") -> Call[wire.FilterCreated]:
    body = {"name": name, "description": description, "queryData": _query_data(**scope)}
    return Call("POST", "/knowledge-filters", wire.FilterCreated, body=body)


def search_filters(query: str = "", *, limit: int | None = None) -> Call[wire.FilterList]:
    return Call("POST", "/knowledge-filters/search", wire.FilterList, body=_given(query=query, limit=limit), safe=True)


def one_filter(filter_id: str) -> Call[wire.FilterAnswer]:
    return Call("GET", f"/knowledge-filters/{_part(filter_id, 'filter id')}", wire.FilterAnswer, safe=True)


def update_filter(
    filter_id: str, scope: FilterScope, *, name: str | None = None, description: str | None = None
) -> Call[wire.FilterAnswer]:
    body = _given(name=name, description=description, queryData=_query_data(**scope) or None)
    return Call("PUT", f"/knowledge-filters/{_part(filter_id, 'filter id')}", wire.FilterAnswer, body=body)


def delete_filter(filter_id: str) -> Call[wire.Done]:
    return Call("DELETE", f"/knowledge-filters/{_part(filter_id, 'filter id')}", wire.Done)


def settings() -> Call[wire.SettingsAnswer]:
    return Call("GET", "/settings", wire.SettingsAnswer, safe=True)


def update_settings(change: SettingsChange) -> Call[wire.SettingsChanged]:
    return Call("POST", "/settings", wire.SettingsChanged, body=dict(change))


def models(provider: str) -> Call[wire.ModelsAnswer]:
    return Call("GET", f"/models/{_part(provider, 'provider')}", wire.ModelsAnswer, safe=True)


def keys() -> Call[wire.KeyList]:
    return Call("GET", "/keys", wire.KeyList, safe=True)


def create_key(
    name: str,
    *,
    scopes: Sequence[Scope] | None = None,
    filter_id: str | None = None,
    expires_at: datetime | str | None = None,
) -> Call[wire.KeyCreated]:
    if isinstance(expires_at, datetime):
        expires_at = _moment(expires_at)
    body = _given(name=name, scopes=_listed(scopes), filter_id=filter_id, expires_at=expires_at)
    return Call("POST", "/keys", wire.KeyCreated, body=body)


def revoke_key(key_id: str) -> Call[wire.Done]:
    return Call("DELETE", f"/keys/{_part(key_id, 'key id')}", wire.Done)


class AuditFilter(TypedDict, total=False):
    """Tools and operations may be patterns with `*`."""

    tool: str
    operation: str
    principal: str
    decision: Literal["allow", "deny", "ask", "dry_run"]
    status: str
    since: datetime | str
    until: datetime | str


def audit(*, limit: int | None = None, cursor: str = "", **only: Unpack[AuditFilter]) -> Call[wire.AuditPage]:
    given = {name: _moment(value) if isinstance(value, datetime) else value for name, value in only.items()}
    params = _params(limit=limit, cursor=cursor or None, **cast("dict[str, str]", given))
    return Call("GET", "/audit", wire.AuditPage, params=params, safe=True)


def audit_record(id: str) -> Call[wire.AuditRecord]:
    return Call("GET", f"/audit/{_part(id, 'record id')}", wire.AuditRecord, safe=True)


def verify_audit() -> Call[wire.AuditVerdict]:
    return Call("GET", "/audit/verify", wire.AuditVerdict, safe=True)


def approvals(*, all: bool = False) -> Call[wire.ApprovalList]:
    return Call("GET", "/approvals", wire.ApprovalList, params=_params(all=int(all) or None), safe=True)


def answer_approval(
    id: str, answer: Literal["give", "refuse", "clear"], *, reason: str = ""
) -> Call[wire.ApprovalItem]:
    body = {"reason": reason} if answer == "refuse" else {}
    return Call("POST", f"/approvals/{_part(id, 'approval id')}/{answer}", wire.ApprovalItem, body=body)


def entities(query: str = "", *, type: str = "", limit: int | None = None, cursor: str = "") -> Call[model.EntityPage]:
    params = _params(query=query or None, type=type or None, limit=limit, cursor=cursor or None)
    return Call("GET", "/graph/entities", model.EntityPage, params=params, safe=True)


def search_entities(query: str, *, type: str = "", limit: int | None = None) -> Call[wire.EntitySearchAnswer]:
    params = _params(query=query, type=type or None, limit=limit)
    return Call("GET", "/graph/entities/search", wire.EntitySearchAnswer, params=params, safe=True)


def relations(entity: str, *, direction: model.Direction = "both", limit: int | None = None) -> Call[model.Relations]:
    params = _params(entity=entity, direction=direction, limit=limit)
    return Call("GET", "/graph/relations", model.Relations, params=params, safe=True)


def trace(entity: str, *, direction: model.Stream, depth: int | None = None) -> Call[model.Trace]:
    params = _params(entity=entity, direction=direction, depth=depth)
    return Call("GET", "/graph/trace", model.Trace, params=params, safe=True)


def path(start: str, end: str, *, max_depth: int | None = None, any_direction: bool = False) -> Call[model.Path]:
    ends = {"from": start, "to": end}
    params = ends | _params(max_depth=max_depth, any_direction="true" if any_direction else None)
    return Call("GET", "/graph/path", model.Path, params=params, safe=True)


def graph_stats() -> Call[model.GraphStats]:
    return Call("GET", "/graph/stats", model.GraphStats, safe=True)


def graph_schema() -> Call[model.Schema]:
    return Call("GET", "/graph/schema", model.Schema, safe=True)


def merge_entities(names: Values, into: str) -> Call[wire.Done]:
    return Call("POST", "/graph/merge", wire.Done, body={"names": _listed(names), "into": into})


def rename_entity(name: str, to: str) -> Call[wire.Done]:
    return Call("POST", "/graph/rename", wire.Done, body={"name": name, "to": to})


def forget_entity_name(name: str) -> Call[wire.Done]:
    return Call("POST", "/graph/forget", wire.Done, body={"name": name})


def alias_entity(name: str, alias: str) -> Call[wire.Done]:
    return Call("POST", "/graph/alias", wire.Done, body={"name": name, "alias": alias})


def apis() -> Call[list[model.ApiInfo]]:
    return Call("GET", "/apis", list[model.ApiInfo], safe=True)


def operations(
    query: str = "", *, api: str = "", tag: str = "", method: str = "", limit: int | None = None, cursor: str = ""
) -> Call[model.OperationPage]:
    params = _params(
        query=query or None,
        api=api or None,
        tag=tag or None,
        method=method or None,
        limit=limit,
        cursor=cursor or None,
    )
    return Call("GET", "/operations", model.OperationPage, params=params, safe=True)


def one_operation(operation_id: str) -> Call[model.OperationDetail]:
    return Call("GET", f"/operations/{_part(operation_id, 'operation id')}", model.OperationDetail, safe=True)


def run_operation(
    operation_id: str,
    parameters: Mapping[str, Any] | None = None,
    body: Any = None,
    *,
    fields: Values = (),
    dry_run: bool = False,
    auth_profile: str = "",
    environment: str = "",
    max_pages: int = 1,
) -> Call[model.OperationAnswer]:
    sent = _given(
        parameters=parameters,
        body=body,
        fields=_listed(fields) or None,
        dry_run=dry_run or None,
        auth_profile=auth_profile or None,
        environment=environment or None,
        max_pages=max_pages if max_pages > 1 else None,
    )
    return Call("POST", f"/operations/{_part(operation_id, 'operation id')}/run", model.OperationAnswer, body=sent)


def more_of(cursor: str) -> Call[model.OperationAnswer]:
    return Call("GET", "/operations/more", model.OperationAnswer, params=_params(cursor=cursor), safe=True)


def stats() -> Call[wire.StatsAnswer]:
    return Call("GET", "/stats", wire.StatsAnswer, safe=True)


def _query_data(
    query: str | None = None,
    data_sources: Values | None = None,
    document_types: Values | None = None,
    owners: Values | None = None,
    limit: int | None = None,
    score_threshold: float | None = None,
) -> dict[str, object]:
    filters = _dimensions(data_sources=data_sources, document_types=document_types, owners=owners)
    return _given(query=query, filters=filters or None, limit=limit, scoreThreshold=score_threshold)


def _dimensions(**values: Values | None) -> dict[str, list[str]]:
    return {name: each for name, given in values.items() if (each := _listed(given)) is not None}


def _listed(values: Values | None) -> list[str] | None:
    # A string is a sequence of its letters, which is never what was meant.
    return None if values is None else [values] if isinstance(values, str) else list(values)


def _moment(value: datetime) -> str:
    """One without a zone is meant in the zone of this machine."""
    return value.astimezone(UTC).isoformat()


def _given(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _params(**values: str | int | None) -> dict[str, str | int]:
    return {name: value for name, value in values.items() if value is not None}


def _part(value: str, what: str) -> str:
    """One part of a path. Empty or dots would make it the path of something else."""
    if not value.strip("."):
        raise ValidationError("bad_name", f"{value!r} is no {what}.", f"Give the {what} as the server lists it.")
    return quote(value, safe="", errors="replace")
