"""FlowRAG's files: `flowrag.config.json` of its server, and `flowrag.json` with the schema of its command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from knowgate.config.files import read_dotenv
from knowgate.config.flowrag_file import JsonFile, read_json
from knowgate.config.flowrag_model import FlowragAuth, FlowragConfig, FlowragSchema
from knowgate.config.problems import Problem, refusal
from knowgate.config.variables import BadReference, Variables

FILE_NAME = "flowrag.config.json"
SCHEMA_NAMES = ("flowrag.json", ".flowrag.json")
_CLI_SCHEMA = FlowragSchema(entity_types=("ENTITY",), relation_types=("RELATES_TO",))
_FIELDS = ("document_fields", "entity_fields", "relation_fields")
_VARIABLES = ("GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_REGION")


@dataclass(frozen=True, slots=True)
class Flowrag:
    """What FlowRAG would run with."""

    config: FlowragConfig
    """With absolute paths, and the token filled in."""
    file: Path | None
    variables: Mapping[str, str] = field(repr=False)
    """Those that FlowRAG reads, where they are set: the keys of the providers and AWS_REGION."""
    warnings: tuple[str, ...] = ()
    """Keys that mean nothing, each with its line."""


def read_flowrag(given: Path | None, environ: Mapping[str, str], cwd: Path) -> Flowrag:
    """`given`, or flowrag.config.json in `cwd`. Without the file all defaults hold, as with FlowRAG.

    Paths in it start at `cwd`, not at the file, because FlowRAG's do. The environment is stronger than `.env` beside
    the file, and that than `.env` in `cwd`.
    """
    path = cwd / (given or FILE_NAME)
    file = read_json(path)
    dotenv = {**read_dotenv(cwd).values, **(read_dotenv(path.parent).values if file else {})}
    config, warnings = file.parse(FlowragConfig) if file else (FlowragConfig(), list[str]())
    if given and not file:
        warnings.append(f"{path}: There is no such file, so FlowRAG's defaults are used. Check --config.")
    updates: dict[str, object] = {"data": cwd / config.data, "docs": cwd / config.docs if config.docs else None}
    if file and config.auth:
        updates["auth"] = _fill_token(config.auth, file, Variables(environ, dotenv))
    known = {**dotenv, **environ}
    variables = {name: known[name] for name in _VARIABLES if known.get(name)}
    return Flowrag(config.model_copy(update=updates), path if file else None, variables, tuple(warnings))


def read_flowrag_schema(folder: Path) -> tuple[FlowragSchema, tuple[str, ...]] | None:
    """The schema in flowrag.json or .flowrag.json and the warnings about it; None without such a file.

    What it leaves out is one type each, ENTITY and RELATES_TO, as on FlowRAG's command line.
    """
    file = next((found for name in SCHEMA_NAMES if (found := read_json(folder / name))), None)
    if file is None:
        return None
    schema, warnings = file.parse(FlowragSchema)
    missing = set(FlowragSchema.model_fields) - schema.model_fields_set
    return schema.model_copy(update={name: getattr(_CLI_SCHEMA, name) for name in missing}), tuple(warnings)


def as_settings(flowrag: Flowrag) -> tuple[dict[str, object], list[str]]:
    """Our settings by dotted key, and a sentence for each thing that has no counterpart.

    Transport and token are no settings of ours: who starts the server takes them as they are.
    """
    config, variables = flowrag.config, flowrag.variables
    settings: dict[str, object] = {
        "data": config.data,
        "server.port": config.port,
        "schema.entity_types": config.schema_.entity_types,
        "schema.relation_types": config.schema_.relation_types,
    }
    schema = config.schema_.model_dump(exclude_unset=True, include=set(_FIELDS))
    settings |= {f"schema.{name}": schema[name] for name in _FIELDS if schema.get(name)}
    if config.docs:
        settings["docs"] = (config.docs,)
    provider, model = config.embedder.provider, config.embedder.model
    settings["embedder.provider"] = "minilm" if provider == "local" else provider
    if model and provider != "local":
        settings["embedder.model"] = model
    if provider == "bedrock":
        settings["embedder.region"] = variables.get("AWS_REGION", "us-east-1")
    elif key := variables.get(f"{provider.upper()}_API_KEY"):
        settings["embedder.api_key"] = key
    extracting, warnings = _extractor(config, variables)
    return settings | extracting, [*warnings, *_without_counterpart(config)]


def _extractor(config: FlowragConfig, variables: Mapping[str, str]) -> tuple[dict[str, object], list[str]]:
    """Where FlowRAG could not run without the model's key, our rules extract alone."""
    provider, model = config.extractor.provider, config.extractor.model
    key = variables.get(f"{provider.upper()}_API_KEY")
    if provider == "local":
        return {}, []
    if not key and provider != "bedrock":
        told = f"extractor ({provider}) has no key, so only the built-in rules extract. Set {provider.upper()}_API_KEY."
        return {}, [told] if "extractor" in config.model_fields_set else []
    if not model:
        told = f"extractor ({provider}) has no model, so only the built-in rules extract. Name one in extractor.model."
        return {}, [told]
    access = {"extract.api_key": key} if key else {"extract.region": variables.get("AWS_REGION", "us-east-1")}
    return {"extract.provider": provider, "extract.model": model, **access}, []


def _without_counterpart(config: FlowragConfig) -> list[str]:
    warnings: list[str] = []
    if config.embedder.provider == "local" and config.embedder.model:
        warnings.append(
            f"embedder.model {config.embedder.model} is not used: the built-in model takes its place. "
            "Choose another provider to have another model."
        )
    if config.namespace:
        warnings.append("namespace is not used. Give each namespace a data folder of its own, with --data.")
    stores = {"kv": config.storage.kv, "vector": config.storage.vector, "graph": config.storage.graph}
    warnings += [
        f"storage.{name} ({store.provider}) is not used: everything is kept in the data folder {config.data}. "
        "Bring a FlowRAG data folder over with `knowgate import flowrag PATH`."
        for name, store in stores.items()
        if store
    ]
    return warnings


def _fill_token(auth: FlowragAuth, file: JsonFile, variables: Variables) -> FlowragAuth:
    """A variable that is not set is refused: it must not leave the door open."""
    try:
        return FlowragAuth(token=SecretStr(variables.expand(auth.token.get_secret_value())))
    except BadReference as bad:
        fix = bad.fix.replace("beside knowgate.toml", f"beside {file.path.name}")
        raise refusal([Problem(bad.code, file.origin(("auth", "token")), f"auth.token: {bad.text}", fix)]) from None
