"""What a server writes on stderr: JSON lines for machines, short lines on a terminal."""

from __future__ import annotations

import json
import logging
import sys
import time
from datetime import UTC, datetime

_FIELDS = ("request_id", "method", "path", "status", "ms", "caller")


def start_logging() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Short() if sys.stderr.isatty() else Json())
    # Whatever a library has to say has the same form.
    logging.getLogger().addHandler(handler)
    logging.getLogger("knowgate").setLevel(logging.INFO)


class Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _FIELDS if getattr(record, name, "") != ""}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class Short(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%H:%M:%S", time.localtime(record.created))
        if hasattr(record, "status"):
            text = "{status}  {ms:>7} ms  {method:<6} {path}".format_map(vars(record))
            # A path can hold anything, also what a terminal obeys.
            text = "".join(each if each.isprintable() else f"%{ord(each):02X}" for each in text)
        else:
            text = f"{record.levelname.lower()}: {record.getMessage()}"
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return f"{at}  {text}{trace}"
