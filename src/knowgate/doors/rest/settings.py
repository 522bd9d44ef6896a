"""Settings in OpenRAG's words, and the models that a provider has."""

from __future__ import annotations

from knowgate import adjust
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Given
from knowgate.doors.rest.routes import refusals, subject
from knowgate.wire import ModelsAnswer, SettingsAnswer, SettingsChanged

router = subject("settings")


class SettingsChange(Given):
    llm_provider: str | None = None
    llm_model: str | None = None
    system_prompt: str | None = None
    embedding_provider: str | None = None
    embedding_model: str | None = None
    chunk_size: int | None = None
    chunk_overlap: int | None = None
    table_structure: bool | None = None
    ocr: bool | None = None
    picture_descriptions: bool | None = None


@router.get("/settings")
def settings(engine: Caller) -> SettingsAnswer:
    """What is in force, or will be after the next start. `chunk_size` is in tokens."""
    return adjust.in_force(engine)


@router.post("/settings")
def change(engine: Caller, asked: SettingsChange) -> SettingsChanged:
    """Change settings, for those who may administrate."""
    return adjust.change(engine, asked.model_dump(exclude_none=True))


@router.get("/models/{provider:path}", responses=refusals(502))
def models(engine: Caller, provider: str) -> ModelsAnswer:
    """What a provider offers. Its server is asked when it is the one that chat is configured for."""
    return adjust.models(engine, provider)
