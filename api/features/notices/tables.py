"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, Table, Uuid

from api.store.tables.columns import MANAGED, OF_APP, access, metadata, needed, of

# Up to which entry the log of an app was announced; only for apps with webhooks, or with players who can be
# reached.
notice_positions = Table(
    "notice_positions",
    metadata,
    of("app_id", "apps", key=True),
    needed("tick", BigInteger),
    needed("game_id", Uuid),
    needed("seq", Integer),
    # A new listener locks its app's row, and a lock needs a column that may be updated.
    info=access(
        service="SELECT, INSERT, UPDATE (app_id)",
        worker="SELECT, DELETE, UPDATE (tick, game_id, seq)",
        own=OF_APP,
        citus=MANAGED,
    ),
)
