"""Row-level security: the service sees the rows of one app at a time, and the games that are not private.

The setting `card_referee.app` of a connection names the app for which it works
(`store/database/connections.py`). PostgreSQL hides the rows of every other app from the service's reads and
writes, even if one of our statements forgets to. The worker's role works for every app. No policy restricts
the owner, so that backups are complete.

Every `migrate` restores the policies that differ from those declared here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256

import psycopg
from sqlalchemy import Connection, text

from api.core.config import StartError, libpq
from api.run.embedded.roles import SERVICE, WORKER
from api.store.accounts.credentials import GUESTS
from api.store.database.connections import APP_SETTING

APP = f"nullif(current_setting('{APP_SETTING}', true), '')::uuid"
OF_APP = f"app_id = {APP}"
# A scalar subquery, so that it is one look-up by id: with EXISTS, the planner may hash all games.
OF_OWN_GAME = f"(SELECT g.{OF_APP} FROM games g WHERE g.id = game_id)"
# For callers without a token: guests who take a seat of a game, or come to the server.
OF_OWNER = f"owner = {APP} OR (SELECT g.{OF_APP} FROM games g WHERE g.id = owner)"
OF_SEEN_GAME = "(SELECT true FROM games g WHERE g.id = game_id)"

OWN: dict[str, str] = {
    "apps": f"id = {APP} OR name = '{GUESTS}'",
    "players": OF_APP,
    "metadata_pairs": OF_APP,
    "credentials": OF_APP,
    "key_uses": "(SELECT true FROM credentials c WHERE c.id = credential_id)",
    "seeks": OF_APP,
    "refused_requests": OF_APP,
    "test_clocks": OF_APP,
    "games": OF_APP,
    "game_seats": OF_OWN_GAME,
    "turns": OF_APP,
    "player_games": OF_APP,
    "former_players": OF_APP,
    "player_results": OF_APP,
    "entries": OF_APP,  # which a trigger copies from the game
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
    "notice_positions": OF_APP,
}
"""The rows of each table that the service may write, and may read unless READ says otherwise."""

SEEN = f"{OF_APP} OR visibility = 'public' OR visibility = 'unlisted' AND {APP} IS NOT NULL"

READ: dict[str, str] = {
    "games": SEEN,
    "player_games": SEEN,
    "game_seats": OF_SEEN_GAME,
    "turns": f"{OF_APP} OR {OF_SEEN_GAME}",
    "entries": f"{OF_APP} OR {OF_SEEN_GAME}",
}
"""The rows that it may read, for tables of which it may read more than it may write."""

DELETED = ("turns", "player_games")
"""The tables in READ from which it may delete the rows that it may write."""

TREE = ("tree_queue", "tree_leaves", "tree_tiles", "tree_heads", "tree_cosignatures")
OF_THE_SERVER = (
    *("encryption", "cursor_key", "restorations", "log_keys", "archives", "allowances"),
    *("heartbeat", "outages", "sign_ins"),
)
WITHOUT = frozenset(("alembic_version", *OF_THE_SERVER, *TREE))
"""Tables that belong to no app."""

FUNCTIONS = (
    "token_holder(bytea)",
    "is_awaited(uuid)",
    "app_of_game(uuid)",
    "app_of_player(uuid)",
    "knows_commitment(bytea)",
    "queue_depths()",
    "rest_of_log()",
    "make_parts_of_log()",  # for a worker without a role of its own
    "move_rest_of_log(integer)",
)
WORKERS_FUNCTIONS = ("make_parts_of_log()", "move_rest_of_log(integer)")

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
SEES_ALL = """
    SELECT NOT row_security_active('games') AND EXISTS (SELECT FROM pg_roles WHERE rolname = %(service)s)
"""
UNPROTECTED = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname = ANY(:tables) AND NOT relrowsecurity
"""


def is_current(connection: Connection, roles: Sequence[str]) -> bool:
    """Return whether `protect` has no table to change."""
    if SERVICE not in roles:
        return True
    present = _present(connection)
    return not (
        present.keys() - _policies(roles).keys() or _missing(present, roles) or _unprotected(connection)
    )


def protect(connection: Connection, roles: Sequence[str]) -> None:
    """Create the policies, in the open transaction; none are needed if the service runs as the owner.

    Correct policies are not touched, because changing one takes a lock that makes every move wait.
    """
    if SERVICE not in roles:
        return
    present = _present(connection)
    missing = _missing(present, roles)
    for table, name in present.keys() - _policies(roles).keys() | present.keys() & missing.keys():
        connection.execute(text(f"DROP POLICY {name} ON {table}"))
    for place, definition in missing.items():
        _put(connection, place, definition)
    for table in _unprotected(connection):
        connection.execute(text(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"))
    for function in FUNCTIONS:
        connection.execute(text(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC"))
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {function} TO {SERVICE}"))
    for function in WORKERS_FUNCTIONS if WORKER in roles else ():
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {function} TO {WORKER}"))


def require_worker(address: str) -> None:
    """Raise StartError if the job worker would see no rows at this address; not if the database is down."""
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


def say_if_off(address: str) -> None:
    """Print a warning if a web process sees the rows of all apps although the service has a role."""
    with suppress(psycopg.Error), psycopg.connect(libpq(address), connect_timeout=10) as connection:
        row = connection.execute(SEES_ALL, {"service": SERVICE}).fetchone()
        if row and row[0]:
            print(
                "referee-api: The login of DATABASE_URL sees the rows of every app, so the database does not "
                f"keep apps apart: let it be a login that is a member of {SERVICE}, not the owner.",
                file=sys.stderr,
                flush=True,
            )


Place = tuple[str, str]


def _policies(roles: Sequence[str]) -> dict[Place, str]:
    policies = {}
    for table, condition in OWN.items():
        if table in READ:  # one for each command: every policy that applies adds a subquery to a move's plan
            policies[table, "read"] = f"FOR SELECT TO {SERVICE} USING ({READ[table]})"
            policies[table, "add"] = f"FOR INSERT TO {SERVICE} WITH CHECK ({condition})"
            policies[table, "change"] = f"FOR UPDATE TO {SERVICE} USING ({condition})"
            if table in DELETED:
                policies[table, "remove"] = f"FOR DELETE TO {SERVICE} USING ({condition})"
        else:
            policies[table, "own"] = f"TO {SERVICE} USING ({condition})"
    if WORKER in roles:
        policies |= {(table, "worker"): f"TO {WORKER} USING (true)" for table in OWN}
    return policies


def _present(connection: Connection) -> dict[Place, tuple[str, str]]:
    """Return each policy's current state, as a hash, and its comment, which has that from its creation."""
    rows = connection.execute(text(PRESENT)).all()
    return {(table, name): (state, comment) for table, name, state, comment in rows}


def _missing(present: Mapping[Place, tuple[str, str]], roles: Sequence[str]) -> dict[Place, str]:
    """Return the policies that are not there, or are not as they were created."""
    policies = {}
    for place, definition in _policies(roles).items():
        state, comment = present.get(place, ("", None))
        if comment != f"{_mark(definition)} {state}":
            policies[place] = definition
    return policies


def _mark(definition: str) -> str:
    return sha256(definition.encode()).hexdigest()[:16]


def _unprotected(connection: Connection) -> list[str]:
    return list(connection.execute(text(UNPROTECTED), {"tables": list(OWN)}).scalars())


def _put(connection: Connection, place: Place, definition: str) -> None:
    table, name = place
    connection.exec_driver_sql(f"CREATE POLICY {name} ON {table} {definition}")
    state, _ = _present(connection)[place]
    connection.execute(text(f"COMMENT ON POLICY {name} ON {table} IS '{_mark(definition)} {state}'"))
