"""The parts of this room, made as the settings say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from knowgate.config.knowledge import Chat, CustomField
from knowgate.config.knowledge import Embedder as EmbedderSettings
from knowgate.config.knowledge import Extract as ExtractSettings
from knowgate.config.knowledge import Schema as SchemaSettings
from knowgate.config.settings import Settings
from knowgate.model import Schema, SchemaField

if TYPE_CHECKING:
    from knowgate.knowledge.chat.models import ChatModel
    from knowgate.knowledge.embed.port import Embedder
    from knowgate.knowledge.extract.llm.stage import ModelExtraction
    from knowgate.knowledge.leases import Leases
    from knowgate.knowledge.parse.sandbox import Sandbox
    from knowgate.knowledge.reading import ReadRules
    from knowgate.store.port import Store

_MB = 1024 * 1024


def embedder_of(chosen: EmbedderSettings) -> Embedder:
    from knowgate.knowledge.embed import create_embedder

    values = chosen.model_dump(exclude={"api_key"})
    return create_embedder(**values, api_key=chosen.api_key.get_secret_value() if chosen.api_key else None)


def model_of(chosen: Chat) -> ChatModel | None:
    if chosen.provider == "none":
        return None
    from knowgate.knowledge.chat.models import create_model

    return create_model(
        chosen.provider,
        chosen.model,
        base_url=chosen.base_url,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        timeout_seconds=chosen.timeout_seconds,
        region=chosen.region,
    )


def model_names(chosen: Chat) -> list[str]:
    """What the provider of chat offers."""
    from knowgate.knowledge.chat.listing import list_models

    key = chosen.api_key.get_secret_value() if chosen.api_key else None
    return list_models(chosen.provider, base_url=chosen.base_url, api_key=key)


def extraction_of(chosen: ExtractSettings, store: Store, leases: Leases, schema: Schema) -> ModelExtraction | None:
    if chosen.provider == "none":
        return None
    from knowgate.knowledge.extract.llm.ask import reach
    from knowgate.knowledge.extract.llm.stage import ModelExtraction

    connection = reach(
        chosen.provider,
        chosen.model,
        base_url=chosen.base_url,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        timeout_seconds=chosen.timeout_seconds,
        region=chosen.region,
    )
    how = {"gleaning": chosen.gleaning, "concurrency": chosen.concurrency}
    return ModelExtraction(store, leases, connection, schema, **how)


def sandbox_of(settings: Settings) -> Sandbox:
    from knowgate.knowledge.parse.sandbox import Sandbox

    return Sandbox(settings.parse.timeout_seconds, settings.parse.memory_mb * _MB, settings.parse.workers)


def read_rules_of(settings: Settings, embedder: Embedder, schema: Schema, extractor: str) -> ReadRules:
    from knowgate.knowledge.parse.reader import ParseOptions
    from knowgate.knowledge.reading import ReadRules
    from knowgate.net import NetRules

    fetch = settings.fetch
    return ReadRules(
        max_file_bytes=settings.parse.max_file_mb * _MB,
        # What is longer than the embedder reads would be cut off when it is embedded.
        chunk_tokens=min(settings.chunk.tokens, embedder.max_tokens),
        options=ParseOptions(ocr=settings.parse.ocr),
        schema=schema,
        extractor=extractor,
        net=NetRules(fetch.allow_private, fetch.allow_hosts, fetch.max_mb * _MB, fetch.timeout_seconds),
    )


def schema_of(chosen: SchemaSettings) -> Schema:
    return Schema(
        chosen.entity_types,
        chosen.relation_types,
        dict.fromkeys(chosen.backward, "backward"),
        _fields(chosen.document_fields),
        _fields(chosen.entity_fields),
        _fields(chosen.relation_fields),
    )


def _fields(chosen: Mapping[str, CustomField]) -> dict[str, SchemaField]:
    return {name: SchemaField(**field.model_dump()) for name, field in chosen.items()}
