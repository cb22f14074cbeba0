"""What tells whether the service works."""

from __future__ import annotations

from api.callers.answers import Health
from api.context import Context
from api.core.errors import DISK_FULL, Unavailable
from api.http import auth
from api.http.operation import Operations
from api.store import watch

WITHIN = 2.5  # seconds in which the database answers, or we say that it does not


def ready(context: Context) -> dict[str, str]:
    """Return that the service is ready. Raises Unavailable if the disk is full or the schema does not fit.

    A process that does not have the database's newest key cannot use the database at all: WrongKeys.

    A newer schema is accepted if it still fits: during a rollout, the migrations run first, and they keep
    what the previous release needs. Where a write found the disk full, another one is tried here.
    """
    session = context.session
    session.expect_within(WITHIN)
    revision, own = watch.revision(session) or "", watch.newest()
    if revision < own:
        raise Unavailable("The database's schema is older than this release needs; run: referee-api migrate.")
    if revision > own and own < watch.oldest_code(session):
        raise Unavailable("A newer release has changed the database; this one no longer works with it.")
    if session.disk_is_full and not session.finds_space():
        raise Unavailable(DISK_FULL)
    return {"status": "ok"}


SYSTEM = Operations("system", __name__, "For operators.")


@SYSTEM.GET("/healthz", auth.ANYBODY, checks=True)
def healthz(context: Context) -> Health:
    """Check that the process is alive."""
    return {"status": "ok"}


@SYSTEM.GET("/readyz", auth.ANYBODY, Health, checks=True)
def readyz(context: Context) -> object:
    """Check that the service is ready: the database answers, has disk space and the right schema."""
    return ready(context)
