"""openrag_get_settings, openrag_update_settings and openrag_list_models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.text import cut
from knowgate.tools.tool import Answer, Call, Given, Hints, Tool
from knowgate.wire import ModelOption, ModelsAnswer, SettingsAnswer, SettingsChanged

_LONGEST_PROMPT = 200


class SettingsInput(Given):
    pass


class UpdateInput(Given):
    llm_provider: str | None = None
    llm_model: str | None = None
    system_prompt: str | None = None
    embedding_provider: str | None = None
    embedding_model: str | None = None
    chunk_size: Annotated[int | None, Field(ge=1)] = None
    chunk_overlap: Annotated[int | None, Field(ge=0)] = None
    table_structure: bool | None = None
    ocr: bool | None = None
    picture_descriptions: bool | None = None


class ModelsInput(Given):
    provider: Annotated[str, Field(min_length=1, description="openai, anthropic, ollama, gemini or bedrock.")]


async def _get(backend: Backend, _given: SettingsInput, _: Call) -> Answer:
    settings = await backend.settings()
    return Answer(settings, settings_text(settings))


async def _update(backend: Backend, given: UpdateInput, _: Call) -> Answer:
    changes = given.model_dump(exclude_none=True)
    if not changes:
        return Answer(None, "No settings to update. Provide at least one option.", failed=True)
    changed = await backend.change_settings(changes)
    return Answer(changed, changed.message)


async def _models(backend: Backend, given: ModelsInput, _: Call) -> Answer:
    models = await backend.models(given.provider)
    return Answer(models, models_text(models, given.provider))


def settings_text(settings: SettingsAnswer) -> str:
    agent, knowledge = settings.agent, settings.knowledge
    lines = [
        "**Current OpenRAG settings**",
        "",
        "**Agent (LLM)**",
        f"- Provider: {agent.llm_provider}",
        f"- Model: {agent.llm_model or '-'}",
    ]
    if agent.system_prompt:
        lines.append(f"- System prompt: {cut(agent.system_prompt, _LONGEST_PROMPT)}")
    lines += [
        "",
        "**Knowledge (embeddings & ingestion)**",
        f"- Embedding provider: {knowledge.embedding_provider}",
        f"- Embedding model: {knowledge.embedding_model}",
        f"- Chunk size: {knowledge.chunk_size}",
        f"- Chunk overlap: {knowledge.chunk_overlap}",
        f"- Table structure: {knowledge.table_structure}",
        f"- OCR: {knowledge.ocr}",
        f"- Picture descriptions: {knowledge.picture_descriptions}",
    ]
    return "\n".join(lines)


def models_text(models: ModelsAnswer, provider: str) -> str:
    return "\n".join(
        [
            f"**Available models for {provider}**",
            "",
            "**Language models**",
            *_options(models.language_models),
            "",
            "**Embedding models**",
            *_options(models.embedding_models),
        ]
    )


def _options(options: list[ModelOption]) -> list[str]:
    return [f"- {each.value}{' (default)' if each.default else ''}" for each in options] or ["- None"]


GET_SETTINGS = Tool(
    name="openrag_get_settings",
    does="knowgate_settings",
    title="Settings",
    description="Which models are used and how documents are cut into chunks.",
    input=SettingsInput,
    output=SettingsAnswer,
    run=_get,
)
UPDATE_SETTINGS = Tool(
    name="openrag_update_settings",
    does="knowgate_edit_settings",
    title="Change settings",
    description=(
        "Change models or how documents are read, when the user asked for it. "
        'Example: {"llm_provider": "ollama", "llm_model": "llama3.2"}'
    ),
    input=UpdateInput,
    output=SettingsChanged,
    run=_update,
    scope="admin",
    hints=Hints(read_only=False, destructive=True),
)
LIST_MODELS = Tool(
    name="openrag_list_models",
    does="knowgate_settings",
    title="List models",
    description='Which models a configured provider has. Example: {"provider": "ollama"}',
    input=ModelsInput,
    output=ModelsAnswer,
    run=_models,
    hints=Hints(open_world=True),
)
