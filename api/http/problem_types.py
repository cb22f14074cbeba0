"""All problem types: those of errors, and of what HTTP alone refuses."""

from __future__ import annotations

from operator import attrgetter

from api.core import errors
from api.core.errors import ProblemType, ServiceError
from api.feature import Features, Hook

refused: Hook[[str, str, str, tuple[int, str, str]], None] = Hook()
"""Hears of each refused request: its id, method and path, and the status, type and detail of the problem."""
OF_HTTP = (
    ProblemType(
        405,
        "method-not-allowed",
        "Method not allowed",
        "`Allow` lists the methods of this resource.",
        {"Allow": ""},
    ),
    ProblemType(
        406, "not-acceptable", "Not acceptable", "`Accept` excludes every form that this resource has."
    ),
    ProblemType(
        408,
        "request-timeout",
        "The body did not arrive in time",
        "The server stopped waiting for the rest of the body.",
    ),
    ProblemType(
        413,
        "content-too-large",
        "The body is too large",
        "The limit is 256 KiB and 50,000 values; for records 16 MiB and 1,000,000 values.",
    ),
    ProblemType(
        414,
        "uri-too-long",
        "The address is too long",
        "The first line of a request is limited to 8,190 bytes.",
    ),
    ProblemType(
        417,
        "expectation-failed",
        "The expectation cannot be met",
        "`Expect` may only be `100-continue`.",
    ),
    ProblemType(
        431,
        "header-fields-too-large",
        "The headers are too large",
        "A request may have 100 headers of 8,190 bytes each.",
    ),
    ProblemType(
        500,
        "internal-error",
        "Internal server error",
        "The error is in the server's log. `detail` says whether something may have been changed.",
    ),
    ProblemType(
        501,
        "not-implemented",
        "The transfer coding is not supported",
        "`Transfer-Encoding` may only be `chunked`.",
    ),
)
# Not those of features, which may have been imported before.
OF_ERRORS = [each.problem for each in ServiceError.__subclasses__() if each.__module__ == errors.__name__]
TYPES = {kind.slug: kind for kind in (*OF_HTTP, *OF_ERRORS)}
BY_STATUS = {kind.status: kind for kind in TYPES.values() if kind.status not in (409, 422)}


def types(features: Features) -> dict[str, ProblemType]:
    """Return the problem types of a service with some features, by their slugs."""
    kinds = sorted((*TYPES.values(), *features.problems), key=attrgetter("status"))
    return {kind.slug: kind for kind in kinds}
