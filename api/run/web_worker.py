"""gunicorn's workers, which answer what is no request as the API answers everything else."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from gunicorn import util
from gunicorn.http import errors
from gunicorn.workers.ggevent import GeventWorker
from gunicorn.workers.sync import SyncWorker

SLUGS = {
    errors.LimitRequestLine: "uri-too-long",
    errors.ExpectationFailed: "expectation-failed",
    errors.LimitRequestHeaders: "header-fields-too-large",
    errors.UnsupportedTransferCoding: "not-implemented",
}
OURS = (errors.InvalidResponseHeader, errors.InvalidResponseHeaderName, errors.ConfigurationProblem)

log = logging.getLogger(__name__)


class Refusing:
    """Makes a worker's own refusals problems too; its log quotes no request."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that never came to the application, or an error that escaped from it."""
        if not isinstance(exc, Exception):  # we stop
            return
        try:
            util.write_nonblock(client, refusal(exc))
        except Exception:
            log.debug("nobody was left to read an answer")


class Worker(Refusing, GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    """A web process."""


class ComputeWorker(Refusing, SyncWorker):  # type: ignore[misc]
    """A compute process. One that is stopped sends nothing: whoever waits knows what that means."""


def refusal(error: BaseException) -> bytes:
    """Write the whole answer to a request that could not be read, or could not be answered."""
    from api.http import problems  # only here: the master, which imports this file, stays light
    from api.ops.hooks import HEADERS

    if isinstance(error, errors.ParseException) and not isinstance(error, OURS):
        slug = SLUGS.get(type(error), "malformed-request")
        detail = problems.TYPES[slug].about.replace("`", "")
        members = {}
        if slug == "malformed-request":
            detail = "This is no HTTP request that could be read."
            members = {"errors": {"request": [detail]}}
        log.warning("refused a request: %s", type(error).__name__)
    else:
        slug, detail, members = "internal-error", "This should not have happened.", {}
        log.error("unexpected %s", type(error).__name__, exc_info=error)
    body = problems.document(slug, detail, **members)
    status = problems.TYPES[slug].status
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"Date: {util.http_date()}",
        "Connection: close",
        f"Content-Type: {problems.CONTENT_TYPE}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in HEADERS),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body
