"""What becomes of a message: a heading, who wrote to whom, the body, the attachments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.about import fields_of
from knowgate.knowledge.parse.detect import detect
from knowgate.knowledge.parse.html import html_blocks
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.knowledge.parse.text import text_blocks
from knowgate.model import FieldValue

_DEEPEST = 3
_LARGEST = 20 * 1024 * 1024

AddMessage = Callable[["Letter", bytes, int], None]


class Letter:
    """Collects messages, also those attached to one another, in one text."""

    def __init__(self, options: ParseOptions) -> None:
        self.options = options
        self.builder = TextBuilder()
        self.fields: dict[str, FieldValue] = {}
        self.warnings: list[str] = []

    def begin(self, subject: str, headers: Mapping[str, str], depth: int) -> None:
        """The first message gives the fields."""
        if not self.fields:
            said = {key.replace("-", "_"): value for key, value in headers.items()}
            said["date"] = iso_date(said.get("date", ""))
            self.fields = fields_of(title=subject, subject=subject, **said)
        self.builder.add("heading", subject, level=min(depth + 1, 6))
        shown = (f"{key.title()}: {value}" for key, value in headers.items() if value and key != "message-id")
        self.builder.add("text", "\n".join(shown))

    def plain(self, text: str) -> None:
        for block in text_blocks(text):
            self.builder.add("text", text[block.start : block.end])

    def html(self, html: str) -> None:
        html_blocks(self.builder, html)

    def nested(self, add: Callable[[], None], depth: int) -> None:
        if depth < _DEEPEST:
            add()
        else:
            self.warnings.append("Messages attached to attached messages were left out: they are nested too deep.")

    def attach(self, name: str, data: bytes, depth: int, add_message: AddMessage) -> None:
        """Reads the attachment if it can be read, and names it in any case."""
        listed = self.fields.get("attachments")
        self.fields["attachments"] = f"{listed}, {name}" if listed else name
        try:
            self._read(name, data, depth, add_message)
        except DocumentError as error:
            self.warnings.append(f"The attachment {name} was left out: {error.message}")

    def _read(self, name: str, data: bytes, depth: int, add_message: AddMessage) -> None:
        from knowgate.knowledge.parse import parse  # it imports the readers, and so this one

        if len(data) > _LARGEST:
            raise DocumentError("too_large", "It is too large.", "Save it as a file and ingest that.")
        if detect(data, name).type == "email":
            self.nested(lambda: add_message(self, data, depth + 1), depth)
            return
        parsed = parse(data, name, self.options)
        self.builder.add("heading", f"Attachment: {name}", level=min(depth + 2, 6))
        for block in parsed.blocks:
            level = min(block.level + depth + 2, 6) if block.level else 0
            self.builder.add(block.kind, parsed.text[block.start : block.end], level=level)
        self.warnings += parsed.warnings


def iso_date(said: str) -> str:
    try:
        date = parsedate_to_datetime(said)
        return (date.astimezone(UTC) if date.tzinfo else date).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
