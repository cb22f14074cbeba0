"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Integer, Table

from api.store.tables.columns import MANAGED, access, metadata, needed, of

# Days after which finished games of an app go; without a row they stay. Only the owner of the tables reads
# and writes this, so no login of the service can have a log deleted earlier.
retentions = Table(
    "retentions",
    metadata,
    of("app_id", "apps", key=True),
    needed("days", Integer),
    info=access(citus=MANAGED),
)
