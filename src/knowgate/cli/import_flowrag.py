"""`knowgate import flowrag`: what FlowRAG has indexed, with its graph."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from knowgate.cli import failure
from knowgate.cli.call import Call
from knowgate.cli.progress import counting, progress
from knowgate.cli.sizes import counted

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.knowledge.portable.flowrag_import import FlowragReport

_MOST_DAMAGES = 20


def import_flowrag(call: Call, folder: Path, namespace: str) -> None:
    with call.engine() as engine:
        report = _bring_over(call, engine, folder, namespace)
        with progress(call.screen) as report_progress:
            engine.embed_pending(report_progress)
    if call.json:
        call.screen.answer(asdict(report))
    else:
        _tell(call, folder, report)
    if report.damages:
        raise typer.Exit(failure.INCOMPLETE)


def _bring_over(call: Call, engine: Engine, folder: Path, namespace: str) -> FlowragReport:
    from knowgate.knowledge.parse.reader import ParseOptions
    from knowgate.knowledge.parse.sandbox import Sandbox
    from knowgate.knowledge.portable.flowrag_import import Making, import_flowrag

    rules, embedder, options = engine.settings.parse, engine.embedder(), ParseOptions()
    with (
        Sandbox(rules.timeout_seconds, rules.memory_mb * 1024 * 1024, rules.workers) as sandbox,
        counting(call.screen, "importing") as report_progress,
        engine.passing("import", "admin", {"folder": folder, "namespace": namespace}, changes=True),
    ):
        making = Making(
            parse=lambda content, name: sandbox.parse(content, name, options),
            count=embedder.count,
            chunk_tokens=min(engine.settings.chunk.tokens, embedder.max_tokens),
            schema=engine.graph_schema(),
            owner=engine.settings.ingest.owner,
        )
        return import_flowrag(engine.store, folder, making, namespace=namespace, progress=report_progress)


def _tell(call: Call, folder: Path, report: FlowragReport) -> None:
    screen = call.screen
    rows = [
        ("documents added", report.added),
        ("documents replaced", report.replaced),
        ("documents unchanged", report.unchanged),
        ("documents ingested before, not touched", report.kept),
        ("passages", report.chunks),
        ("entities", report.entities),
        ("relations", report.relations),
        ("damaged", len(report.damages)),
    ]
    screen.table((f"Imported from {folder}", ""), [(name, str(count)) for name, count in rows], numbers=("",))
    for damage in report.damages[:_MOST_DAMAGES]:
        screen.warn(f"{damage.place}: {damage.reason}")
    if len(report.damages) > _MOST_DAMAGES:
        screen.warn(f"… and {len(report.damages) - _MOST_DAMAGES} more; --json names all of them.")
    if report.other_types:
        screen.note(f"Types that the schema does not have were kept: {', '.join(report.other_types)}.")
    if report.without_fields:
        screen.warn(
            f"Custom fields of {report.without_fields} entities and relations were left behind: "
            "there is no place for them."
        )
    if report.files:
        screen.note(
            f"{counted(len(report.files), 'file')} of these are still there. To follow their changes from now on, "
            f"ingest the folder; that reads them anew, without FlowRAG's graph: {call.command('ingest', 'FOLDER')}"
        )
