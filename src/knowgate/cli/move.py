"""`knowgate export` and `knowgate import`: the knowledge as one portable file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.import_flowrag import import_flowrag
from knowgate.cli.progress import counting

if TYPE_CHECKING:
    from knowgate.knowledge.portable import ExportReport, ImportReport


def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="The archive to write, such as knowledge.knowgate.zip.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Take the vectors along, or make them again after import.")
    ] = True,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Write everything in the index to one portable file."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine, counting(call.screen, "exporting") as report_progress:
        report = engine.export(file.expanduser(), overwrite=overwrite, vectors=vectors, progress=report_progress)
    _tell(call, f"Exported to {file}", report)


def import_(
    ctx: typer.Context,
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="[flowrag] PATH",
            help="An archive that `knowgate export` wrote, or the word flowrag and FlowRAG's data folder.",
        ),
    ],
    namespace: Annotated[
        str, typer.Option("--namespace", metavar="NAME", help="Which namespace of FlowRAG's folder to bring over.")
    ] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Bring into the index what was exported, or what FlowRAG has indexed."""
    call = Call.of(ctx, config, data, json)
    match source:
        case ["flowrag", folder]:
            import_flowrag(call, Path(folder).expanduser(), namespace)
        case [file] if file != "flowrag" and not namespace:
            _import_archive(call, Path(file))
        case _:
            raise typer.BadParameter("Name one archive, or the word flowrag and one folder.", ctx)


def _import_archive(call: Call, file: Path) -> None:
    with call.engine() as engine, counting(call.screen, "importing") as report_progress:
        report = engine.import_(file.expanduser(), progress=report_progress)
    _tell(call, f"Imported from {file}", report)
    if report.advice:
        call.screen.note(report.advice)


def _tell(call: Call, what: str, report: ExportReport | ImportReport) -> None:
    values: dict[str, Any] = asdict(report)
    if call.json:
        call.screen.answer(values)
        return
    rows = [(name, str(value)) for name, value in values.items() if isinstance(value, int)]
    call.screen.table((what, ""), rows, numbers=("",))
