"""Whether the service can do its work."""

from __future__ import annotations

from api.core.context import Context
from api.core.errors import Unavailable
from api.store import queues
from api.store.database import schema
from api.streams.channels import AWAY


def ready(context: Context) -> dict[str, str]:
    """Answer that we are ready. Raises Unavailable for another schema than this code knows."""
    if schema.revision(context.session) != schema.newest():
        raise Unavailable("The database's schema is not the one of this release; run: referee-api migrate.")
    return {"status": "ok"}


def waiting(context: Context) -> dict[str, int]:
    """Count what waits for the job worker; nothing is known of it while the database is away."""
    try:
        return queues.depths(context.session)
    except AWAY:
        return {}
