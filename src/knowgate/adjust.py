"""Settings in OpenRAG's words, and the models that a provider has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from knowgate.errors import InputError
from knowgate.wire import AgentSettings, KnowledgeSettings, ModelOption, ModelsAnswer, SettingsAnswer, SettingsChanged

if TYPE_CHECKING:
    from knowgate.engine import Engine

_KEYS = {
    "llm_provider": "chat.provider",
    "llm_model": "chat.model",
    "system_prompt": "chat.system_prompt",
    "embedding_provider": "embedder.provider",
    "embedding_model": "embedder.model",
    "chunk_size": "chunk.tokens",
    "ocr": "parse.ocr",
}
_OURS = {"chunk_overlap": 0, "table_structure": True, "picture_descriptions": False}
"""How it is here: passages end where sentences and sections do, tables are kept, pictures are not described."""
_EMBEDDING_MODELS = {
    "openai": ("text-embedding-3-small", "text-embedding-3-large"),
    "ollama": ("nomic-embed-text", "mxbai-embed-large"),
    "gemini": ("gemini-embedding-001",),
    "bedrock": ("amazon.titan-embed-text-v2:0",),
    "anthropic": (),
}


def in_force(engine: Engine) -> SettingsAnswer:
    """What is in force, or will be after the next start. `chunk_size` is in tokens."""
    chosen = engine.wanted_settings()
    # What an operator tells the model about the whole house is not for those who see a part of it.
    prompt = chosen.chat.system_prompt if engine.principal.filter_id is None else ""
    model = chosen.embedder.model or ("all-MiniLM-L6-v2" if chosen.embedder.provider == "minilm" else "")
    return SettingsAnswer(
        AgentSettings(chosen.chat.provider, chosen.chat.model, prompt),
        KnowledgeSettings(chosen.embedder.provider, model, chosen.chunk.tokens, 0, True, chosen.parse.ocr, False),
    )


def change(engine: Engine, given: Mapping[str, str | int | bool]) -> SettingsChanged:
    """Change settings, for those who may administrate."""
    size, overlap = given.get("chunk_size"), given.get("chunk_overlap")
    if isinstance(size, int) and isinstance(overlap, int) and overlap >= size:
        raise InputError("bad_setting", "chunk_overlap must be smaller than chunk_size.", "Use 0.")
    later = engine.change_settings({_KEYS[name]: value for name, value in given.items() if name in _KEYS})
    message = "Settings updated."
    if later:
        names = sorted(name for name, key in _KEYS.items() if key in later)
        message += f" In force after the next start: {', '.join(names)}."
    unused = sorted(name for name, value in given.items() if name in _OURS and value != _OURS[name])
    if unused:
        message += f" Not used here: {', '.join(unused)}."
    return SettingsChanged(message)


def models(engine: Engine, provider: str) -> ModelsAnswer:
    """What a provider offers. Its server is asked when it is the one that chat is configured for."""
    engine.may("read")
    if provider not in _EMBEDDING_MODELS:
        raise InputError(
            "unknown_provider",
            f"There is no provider {provider}.",
            f"Use one of {', '.join(sorted(_EMBEDDING_MODELS))}.",
        )
    chat, embedder = engine.settings.chat, engine.settings.embedder
    names: list[str] = []
    if provider == chat.provider:
        names = engine.model_names()
    elif provider != embedder.provider:
        raise InputError(
            "provider_not_configured", f"{provider} is not configured here.", "Set chat.provider in knowgate.toml."
        )
    if provider == chat.provider and chat.model and chat.model not in names:
        names = [chat.model, *names]
    embedding = list(_EMBEDDING_MODELS[provider])
    if provider == embedder.provider and embedder.model and embedder.model not in embedding:
        embedding.insert(0, embedder.model)
    return ModelsAnswer(
        [ModelOption(name, name, name == chat.model) for name in names],
        [ModelOption(name, name, provider == embedder.provider and name == embedder.model) for name in embedding],
    )
