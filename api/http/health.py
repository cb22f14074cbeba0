"""Whether the service can do its work."""

from __future__ import annotations

from api.context import Context
from api.core.errors import DISK_FULL, Unavailable
from api.store.database import schema
from api.store.game import due_work
from api.streams.channels import AWAY

WITHIN = 2.5  # seconds in which the database answers, or we say that it does not


def ready(context: Context) -> dict[str, str]:
    """Return that the service is ready. Raises Unavailable if a disk is full or the schema is too old.

    A process that does not have the database's newest key cannot use the database at all: WrongKeys.

    A newer schema is accepted: during a rollout, the migrations run first, and they keep what the previous
    release needs.
    """
    context.session.expect_within(WITHIN)
    if (schema.revision(context.session) or "") < schema.newest():
        raise Unavailable("The database's schema is older than this release needs; run: referee-api migrate.")
    if context.session.disk_is_full:
        raise Unavailable(DISK_FULL)
    return {"status": "ok"}


def waiting(context: Context) -> dict[str, int]:
    """Return the lengths of the worker's queues; nothing is known while the database is down."""
    try:
        return due_work.depths(context.session)
    except AWAY:
        return {}
