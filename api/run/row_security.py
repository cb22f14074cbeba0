"""Whose rows the service sees: those of one app at a time, and the games that are not private.

A connection holds in the setting `card_referee.app` for which app it works (`store/database/connections.py`).
PostgreSQL leaves every other app's rows out of what the service reads and writes, should a statement of ours
forget to. The worker's role works for every app; the owner is held by no policy, so that backups are whole.

Every `migrate` puts the policies in place anew where they are not as they are declared here.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import psycopg
from sqlalchemy import Connection, text

from api.core.config import StartError, libpq
from api.run.embedded.roles import SERVICE, WORKER
from api.store.accounts.credentials import GUESTS
from api.store.database.connections import APP_SETTING

APP = f"nullif(current_setting('{APP_SETTING}', true), '')::uuid"
OF_APP = f"app_id = {APP}"
# A scalar subquery, so that it is one look-up by id: EXISTS lets the planner hash every game there is.
OF_OWN_GAME = f"(SELECT g.{OF_APP} FROM games g WHERE g.id = game_id)"
# Callers without a token: guests who take a seat of a game, or come to the server.
OF_OWNER = f"owner = {APP} OR (SELECT g.{OF_APP} FROM games g WHERE g.id = owner)"
OF_SEEN_GAME = "(SELECT true FROM games g WHERE g.id = game_id)"

OWN: dict[str, str] = {
    "apps": f"id = {APP} OR name = '{GUESTS}'",
    "players": OF_APP,
    "metadata_pairs": OF_APP,
    "credentials": OF_APP,
    "test_clocks": OF_APP,
    "games": OF_APP,
    "game_seats": OF_OWN_GAME,
    "player_games": OF_APP,
    "former_players": OF_APP,
    "player_results": OF_APP,
    "entries": OF_APP,  # which a trigger takes from the game
    "archived_games": OF_SEEN_GAME,  # a caller who sees a game reads its log
    "snapshots": OF_SEEN_GAME,  # reading an old version stores what was computed for it
    "standing_orders": OF_OWN_GAME,
    "looks": OF_OWN_GAME,
    "imports": OF_APP,
    "idempotency": f"coalesce((SELECT true FROM credentials c WHERE c.id = owner), {OF_OWNER})",
    "webhooks": OF_APP,
    "contacts": OF_APP,
    "notices": OF_APP,
    "push_subscriptions": OF_APP,
    "deliveries": "(SELECT true FROM webhooks w WHERE w.id = webhook_id)",
}
"""Which rows of a table the service writes, and reads unless that is said below."""

SEEN = f"{OF_APP} OR visibility = 'public' OR visibility = 'unlisted' AND {APP} IS NOT NULL"

READ: dict[str, str] = {
    "games": SEEN,
    "player_games": SEEN,
    "game_seats": OF_SEEN_GAME,
    "entries": f"{OF_APP} OR {OF_SEEN_GAME}",
}
"""Which rows it reads where it reads more than it writes."""

DELETED = ("player_games",)
"""Of these tables it deletes rows that it may write; of the others in READ none."""

TREE = ("tree_queue", "tree_leaves", "tree_tiles", "tree_heads")
WITHOUT = frozenset(("alembic_version", "encryption", "log_keys", "archives", *TREE))
"""Tables of no app."""

FUNCTIONS = (
    "token_holder(bytea)",
    "is_awaited(uuid)",
    "app_of_game(uuid)",
    "app_of_player(uuid)",
    "knows_commitment(bytea)",
    "queue_depths()",
    "make_parts_of_log()",  # for a worker without a role of its own
)
WORKERS_FUNCTIONS = ("make_parts_of_log()",)

PRESENT = """
    SELECT p.tablename, p.policyname, md5(p::text), coalesce(obj_description(o.oid, 'pg_policy'), '')
    FROM pg_policies p JOIN pg_policy o
        ON o.polrelid = format('public.%I', p.tablename)::regclass AND o.polname = p.policyname
    WHERE p.schemaname = 'public'
"""
BLIND = """
    SELECT row_security_active('games') AND NOT EXISTS (
        SELECT FROM pg_roles WHERE rolname = %(worker)s AND pg_has_role(oid, 'USAGE'))
"""
UNPROTECTED = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname = ANY(:tables) AND NOT relrowsecurity
"""


def protect(connection: Connection, roles: Sequence[str]) -> None:
    """Put the policies in place, in the transaction that is open; where the owner serves, none are needed.

    What is as it should be is not touched: a policy is changed under a lock that keeps every move waiting.
    """
    if SERVICE not in roles:
        return
    wanted = _policies(roles)
    present = _present(connection)
    for table, name in present.keys() - wanted.keys():
        connection.execute(text(f"DROP POLICY {name} ON {table}"))
    for place, definition in wanted.items():
        mark = sha256(definition.encode()).hexdigest()[:16]
        state, comment = present.get(place, ("", None))
        if comment != f"{mark} {state}":
            _put(connection, place, definition, mark, replaces=comment is not None)
    for (table,) in connection.execute(text(UNPROTECTED), {"tables": list(OWN)}).all():
        connection.execute(text(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"))
    for function in FUNCTIONS:
        connection.execute(text(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC"))
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {function} TO {SERVICE}"))
    for function in WORKERS_FUNCTIONS if WORKER in roles else ():
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {function} TO {WORKER}"))


def require_worker(address: str) -> None:
    """Raise StartError where the job worker would see no rows at this address. Silent while none answers."""
    try:
        with psycopg.connect(libpq(address), connect_timeout=10) as connection:
            row = connection.execute(BLIND, {"worker": WORKER}).fetchone()
    except psycopg.Error:
        return
    if row and row[0]:
        raise StartError(
            "The job worker works for every app, but its login sees one app's rows at a time: "
            f"let WORKER_DATABASE_URL be a login that is a member of {WORKER}."
        )


Place = tuple[str, str]


def _policies(roles: Sequence[str]) -> dict[Place, str]:
    found = {}
    for table, condition in OWN.items():
        if table in READ:  # one a command: each that applies is one more subquery in the plan of a move
            found[table, "read"] = f"FOR SELECT TO {SERVICE} USING ({READ[table]})"
            found[table, "add"] = f"FOR INSERT TO {SERVICE} WITH CHECK ({condition})"
            found[table, "change"] = f"FOR UPDATE TO {SERVICE} USING ({condition})"
            if table in DELETED:
                found[table, "remove"] = f"FOR DELETE TO {SERVICE} USING ({condition})"
        else:
            found[table, "own"] = f"TO {SERVICE} USING ({condition})"
    if WORKER in roles:
        found |= {(table, "worker"): f"TO {WORKER} USING (true)" for table in OWN}
    return found


def _present(connection: Connection) -> dict[Place, tuple[str, str]]:
    """Return what every policy amounts to now, as a hash, and its comment: what it amounted to when made."""
    rows = connection.execute(text(PRESENT)).all()
    return {(table, name): (state, comment) for table, name, state, comment in rows}


def _put(connection: Connection, place: Place, definition: str, mark: str, *, replaces: bool) -> None:
    table, name = place
    if replaces:
        connection.execute(text(f"DROP POLICY {name} ON {table}"))
    connection.exec_driver_sql(f"CREATE POLICY {name} ON {table} {definition}")
    state, _ = _present(connection)[place]
    connection.execute(text(f"COMMENT ON POLICY {name} ON {table} IS '{mark} {state}'"))
