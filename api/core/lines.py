"""Log lines as JSON with the standard library alone, for processes that must import nothing else."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any


class JsonLines(logging.Formatter):
    """One JSON object a line, as `api.core.logs` writes them."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Of an exception only its type is in it."""
        line: dict[str, Any] = {
            # gunicorn's guess; what has really happened is in a line of our own
            "event": record.getMessage().replace(" Perhaps out of memory?", ""),
            "level": record.levelname.lower(),
            "logger": record.name,
            "at": datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z"),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


def logger(name: str) -> logging.Logger:
    """Return a logger that writes such lines to standard error at once, from the level `info` on."""
    found = logging.getLogger(name)
    if not found.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        found.addHandler(handler)
        found.setLevel(logging.INFO)
        found.propagate = False
    return found
