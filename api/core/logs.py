"""Logs: one JSON object a line, on standard error; of a fault, one line a minute.

Only fields that are named here are logged: ids, routes, numbers. Headers, bodies, paths and queries are not,
so there is no token and no card. Of an exception, only the type and the place are logged, because its message
may quote input.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict, Processor

FRAMES = 20
MINUTE = 60.0  # seconds
TIME = structlog.processors.TimeStamper(fmt="iso", utc=True, key="at")


def where(logger: Any, method: str, event: EventDict) -> EventDict:
    """Replace an exception's message with its type and place."""
    info = event.pop("exc_info", None)
    error = sys.exc_info()[1] if info is True else info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
        event["error"] = type(error).__name__
        event["trace"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return event


class OneAMinute(logging.Filter):
    """Lets one warning or error of a kind through in a minute; the next one says how many there were.

    A kind is the logger, the words without their values, and the type of the error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[str, str, str], list[float]] = {}  # when one came through, how many since

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info and record.exc_info[0]
        seen = self._kinds.setdefault(
            (record.name, str(record.msg), error.__name__ if error else ""), [-MINUTE, 0]
        )
        if record.created - seen[0] < MINUTE:
            seen[1] += 1
            return False
        if seen[1]:
            record.msg, record.args = f"{record.getMessage()} (and {seen[1]:.0f} more like this)", ()
        seen[:] = [record.created, 0]
        return True


def _log_crashes() -> None:
    """Log what nobody has caught, in threads too, where Python would print a traceback with its values."""
    log = logging.getLogger("card_referee.crash")
    sys.excepthook = lambda *error: log.critical("stopped", exc_info=error)
    threading.excepthook = lambda args: log.error(
        "a thread stopped", exc_info=(args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback)
    )
    sys.unraisablehook = lambda args: log.warning("%s", args.err_msg or "an error that nobody can catch")
    logging.captureWarnings(True)


def configure(level: str, *processors: Processor) -> None:
    """Send all logs of this process, ours and the libraries', to standard error as JSON lines.

    The processors add what only some processes know, such as a request's id: a worker loads no Flask.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [structlog.processors.add_log_level, TIME, *processors, where]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(serializer=_dumps)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=lambda value, **kw: _dumps(value).decode()),
            ],
        )
    )
    handler.addFilter(OneAMinute())
    _log_crashes()
    logging.root.handlers = [handler]
    logging.root.setLevel(max(number, logging.WARNING))
    for name in list(logging.root.manager.loggerDict):  # the web server has handlers of its own
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _dumps(value: Any, **kwargs: Any) -> bytes:
    return orjson.dumps(value, default=str)
