"""Whether the service can do its work."""

from __future__ import annotations

from api.core.context import Context
from api.core.errors import DISK_FULL, Unavailable
from api.store.database import schema
from api.store.outbox import queues
from api.streams.channels import AWAY


def ready(context: Context) -> dict[str, str]:
    """Answer that we are ready. Raises Unavailable for a full disk, or a schema older than this code needs.

    A newer one is right: while a new release is rolled out its migrations run first, and they keep what
    the release before needs.
    """
    if (schema.revision(context.session) or "") < schema.newest():
        raise Unavailable("The database's schema is older than this release needs; run: referee-api migrate.")
    if context.session.disk_is_full:
        raise Unavailable(DISK_FULL)
    return {"status": "ok"}


def waiting(context: Context) -> dict[str, int]:
    """Count what waits for the job worker; nothing is known of it while the database is away."""
    try:
        return queues.depths(context.session)
    except AWAY:
        return {}
