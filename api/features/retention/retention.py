"""Deletes finished games whose app keeps them only for a time.

The worker may not delete a log. It calls a function of the database that runs as the owner of the tables and
finds by itself what has to go.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from api.context import Context
from api.core.config import Settings, StartError
from api.features import opened
from api.features.retention.tables import retentions
from api.store import credentials, removal
from api.store.database.locks import DELETING
from api.store.database.session import Session, scalar

PIECE = 100  # games of one transaction
LONGEST = 36_500  # days

# Logins of the service may write when a game ended, and a test clock or an imported log may say any time. So
# the leaf of the end counts, too: no login can write one before the first leaf that is younger than the time.
# What is not announced yet still reads the log.
OLD = "(SELECT app_id, now() - make_interval(days => days) AS until FROM retentions) AS old"


DUE = f"""
WITH g AS (
    SELECT g.id, g.app_id, g.commitment, old.until,
        (SELECT e.tick FROM entries e WHERE e.game_id = g.id ORDER BY e.seq DESC LIMIT 1) AS tick
    FROM {OLD} JOIN games g ON g.app_id = old.app_id
    WHERE g.status IN ('finished', 'cancelled') AND g.ended_at <= old.until AND g.created_at <= old.until
)
SELECT g.id FROM g LEFT JOIN LATERAL (
    SELECT l.number FROM tree_leaves l WHERE l.added_at > g.until ORDER BY l.added_at, l.number LIMIT 1
) AS young ON true
WHERE EXISTS (SELECT FROM tree_leaves l WHERE l.commitment = g.commitment AND l.game_id = g.id AND l.ended
        AND l.added_at <= g.until AND l.number >= 0 AND coalesce(l.number < young.number, true))
    AND NOT EXISTS (SELECT FROM tree_queue q WHERE q.game_id = g.id)
    AND NOT EXISTS (SELECT FROM notice_positions p WHERE p.app_id = g.app_id AND p.tick < g.tick)
LIMIT {PIECE}
"""


def definition() -> str:
    """Return the definition of the function that deletes some of the games that are due; it counts them."""
    statements = "; ".join(removal.of_games("due"))
    return (
        "CREATE OR REPLACE FUNCTION forget_games() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER"
        " SET search_path = pg_catalog, public, pg_temp AS $$"
        f" DECLARE due CONSTANT uuid[] := array(SELECT id FROM games WHERE id = ANY (array({DUE}))"
        # Not by the function's own SET, which asks for a superuser.
        f" FOR UPDATE SKIP LOCKED); BEGIN SET LOCAL {DELETING} = 'on'; {statements};"
        f" SET LOCAL {DELETING} = ''; RETURN cardinality(due); END $$;"
        " REVOKE ALL ON FUNCTION forget_games FROM PUBLIC"
    )


def forget(context: Context) -> None:
    """Delete the games that are due, some in each transaction."""
    session = context.session
    if not session.distributed:
        while scalar(session, "SELECT forget_games()"):
            pass
        return
    # There is only the owner's login, and a function cannot lock games of several shards.
    while due := [row[0] for row in session.execute(DUE)]:
        removal.delete_games(session, due)


def keep_for(settings: Settings, app: str, days: int | None) -> None:
    """Let finished games of an app go after so many days; None: never. Raises StartError."""
    with opened(settings.for_owner()) as context:
        app_id = _app(context.session, app)
        if days is None:
            context.session.execute(retentions.delete().where(retentions.c.app_id == app_id))
        else:
            new = insert(retentions).values(app_id=app_id, days=days)
            context.session.execute(new.on_conflict_do_update(index_elements=["app_id"], set_={"days": days}))


def _app(session: Session, app: str) -> UUID:
    app_id = credentials.app_named(session, app)
    if app_id is None:
        raise StartError(f"There is no app {app}.")
    return app_id
