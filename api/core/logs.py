"""Logs: one JSON object a line, on standard error.

Only fields that are named here are logged: ids, routes, numbers. Headers, bodies, paths and queries are not,
so there is no token and no card. Of an exception, only the type and the place are logged, because its message
may quote input.
"""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict, Processor

FRAMES = 20
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
    logging.root.handlers = [handler]
    logging.root.setLevel(max(number, logging.WARNING))
    for name in list(logging.root.manager.loggerDict):  # the web server has handlers of its own
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _dumps(value: Any, **kwargs: Any) -> bytes:
    return orjson.dumps(value, default=str)
