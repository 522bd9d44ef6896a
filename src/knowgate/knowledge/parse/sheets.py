"""Spreadsheets (XLSX, XLSB, XLS, ODS): a heading per sheet, tables in groups of rows that each read on their own."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator

from knowgate.errors import DocumentError
from knowgate.knowledge.parse import odf
from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.archive import Archive, corrupt, encrypted
from knowgate.knowledge.parse.ole import SIGNATURE, CompoundFile, wrap
from knowgate.knowledge.parse.opc import Package
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_texts
from knowgate.knowledge.parse.sheet_size import check_xls, check_xlsx
from knowgate.knowledge.parse.xml import attribute, child, children, inner_text, local
from knowgate.model import BlockKind, FieldValue, Parsed

MAX_TEXT = 50_000_000

Cell = int | float | str | bool | datetime.time | datetime.date | datetime.datetime | datetime.timedelta
Row = list[str]


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    kind, fields, comments = _look_inside(data, options)
    out = TextBuilder()
    warnings: list[str] = []
    left = MAX_TEXT
    for sheet, rows in _sheets(data if kind != "xls" else _clean_xls(data)):
        tables = list(_tables(rows))
        if tables:
            out.add("heading", sheet, level=1)
        for table in tables:
            for block_kind, text in _blocks(table):
                left -= len(text)
                if left >= 0:
                    out.add(block_kind, text)
        for comment in comments.get(sheet, ()):
            out.add("text", comment)
    if left < 0:
        warnings.append(f"Only the first {MAX_TEXT} characters were read. Split the workbook into smaller files.")
    return finished(out, kind, fields, warnings)


def _look_inside(data: bytes, options: ParseOptions) -> tuple[str, dict[str, FieldValue], dict[str, list[str]]]:
    """Which kind of workbook it is, what it says of itself, and the comments on its cells; unpacks it once to see that
    it is no bomb."""
    if not data.startswith(b"PK"):
        return "xls", {}, {}
    archive = Archive(data, "spreadsheet", options.max_expanded_bytes)
    archive.check()
    if "mimetype" in archive or "content.xml" in archive:
        odf.refuse_encrypted(archive)
        return "ods", odf.properties(archive), {}
    package = Package(data, "spreadsheet", options.max_expanded_bytes)
    if "xl/workbook.bin" in archive:
        return "xlsb", package.properties(), {}
    for name in archive.names:
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            check_xlsx(package.archive.read(name))
    return "xlsx", package.properties(), _comments(package)


def _comments(package: Package) -> dict[str, list[str]]:
    main = package.main_part()
    sheets = package.relations(main)
    found: dict[str, list[str]] = {}
    for sheet in children(child(package.part(main), "sheets"), "sheet"):
        part = sheets.get(attribute(sheet, "id"), ("", ""))[1]
        # Newer programs keep the real text in a thread and leave a notice in the old place.
        place = package.related(part, "threadedComment") or package.related(part, "comments")
        root = package.optional_part(place)
        for each in root.iter() if root is not None else ():
            if local(each) in ("comment", "threadedComment") and (text := " ".join(inner_text(each).split())):
                found.setdefault(attribute(sheet, "name"), []).append(f"Comment on {attribute(each, 'ref')}: {text}")
    return found


def _clean_xls(data: bytes) -> bytes:
    """The reader behind believes a compound file's own sizes and chains, and takes all memory there is if they lie."""
    if not data.startswith(SIGNATURE):
        # The oldest workbooks are a bare stream.
        check_xls(data)
        return wrap("Book", data)
    file = CompoundFile(data, "spreadsheet")
    file.refuse_encrypted()
    name = "Workbook" if "Workbook" in file else "Book"
    stream = file.stream(name)
    check_xls(stream)
    return wrap(name, stream)


def _sheets(data: bytes) -> Iterator[tuple[str, list[list[Cell]]]]:
    import python_calamine as calamine

    try:
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        for meta in workbook.sheets_metadata:
            if meta.typ in (calamine.SheetTypeEnum.WorkSheet, calamine.SheetTypeEnum.MacroSheet):
                yield meta.name, workbook.get_sheet_by_name(meta.name).to_python()
    except calamine.PasswordError as error:
        raise encrypted("spreadsheet") from error
    except (calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        raise corrupt("spreadsheet") from error
    except DocumentError:
        raise
    except BaseException as error:
        # The Rust reader panics on some damaged files, and its PanicException is no Exception.
        if type(error).__name__ == "PanicException":
            raise corrupt("spreadsheet") from error
        raise


def _tables(rows: list[list[Cell]]) -> Iterator[list[Row]]:
    """An empty row ends a table; columns that are empty all the way are left out."""
    table: list[Row] = []
    for row in rows:
        cells = [cell_text(cell) for cell in row]
        if any(cells):
            table.append(cells)
        elif table:
            yield _narrow(table)
            table = []
    if table:
        yield _narrow(table)


def _narrow(table: list[Row]) -> list[Row]:
    used = [column for column in range(max(map(len, table))) if any(column < len(row) and row[column] for row in table)]
    return [[row[column] if column < len(row) else "" for column in used] for row in table]


def _blocks(table: list[Row]) -> Iterator[tuple[BlockKind, str]]:
    # One line above the real header is a caption, not the header of a wide table.
    while len(table) > 1 and len(table[0]) > 1 and sum(map(bool, table[0])) == 1:
        yield "text", " ".join(filter(None, table[0]))
        table = _narrow(table[1:])
    if len(table) == 1 or len(table[0]) == 1:
        yield "text", "\n".join(" ".join(filter(None, row)) for row in table)
        return
    for text in table_texts(table):
        yield "table", text


def cell_text(cell: Cell) -> str:
    """A cell as people read it: whole numbers without `.0`, dates without midnight."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return format(cell, ".15g")
    if isinstance(cell, datetime.datetime):
        if (cell.hour, cell.minute, cell.second, cell.microsecond) == (0, 0, 0, 0):
            return cell.date().isoformat()
        return cell.isoformat(" ", "seconds")
    return " ".join(str(cell).split())
