"""The rights of the service's roles in the database: only what their statements need.

Every `migrate` grants them again, because a restored backup may have no rights. Tables that are not named
here are closed to both roles. Only columns that change during a row's life may be updated: never a seed, a
hash, a scope, or the owner of a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import psycopg
from sqlalchemy import Connection, text

from api.core.config import Settings, StartError, libpq
from api.run.embedded.roles import SERVICE, WORKER
from api.store.database.connections import set_up
from api.store.database.schema import newest

DEALING = "dealing, reveal_by, draw_at"
ENDED = "ended_at, reason"
MOVED = "status, version, seats, head, drawn, position, result, updated_at, sitting"
GAMES = f"SELECT, UPDATE ({MOVED}, {ENDED}, {DEALING})"
LABELS = "external_id, metadata"  # what an app writes on its own resources
GAME_SEATS = "SELECT, UPDATE (player_id, bot)"
TURNS = "SELECT, INSERT, UPDATE (seat, player_id, bot, since, deadline, warn_at), DELETE"
PLAYER_GAMES = "SELECT, INSERT, UPDATE (status, reason, ended_at, won), DELETE"
ORDERS = "SELECT, INSERT, UPDATE (player_id, moves, cancelled, remaining), DELETE"
NOTICES = "SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, held, urgent, attempts)"
DELIVERIES = "SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, attempts, in_order, skipped_at)"

RIGHTS: dict[str, dict[str, str]] = {
    "alembic_version": {SERVICE: "SELECT", WORKER: "SELECT"},
    # Counting an app's webhooks locks its row, and a lock needs a column that may be updated.
    "apps": {SERVICE: "SELECT, INSERT, UPDATE (name)", WORKER: "SELECT"},
    "players": {SERVICE: f"SELECT, INSERT, UPDATE (name, deleted_at, {LABELS})", WORKER: "SELECT"},
    # Triggers write these, with the owner's rights.
    "metadata_pairs": {SERVICE: "SELECT"},
    # The tokens of guests expire with their game, whichever process ends it.
    "credentials": {
        SERVICE: "SELECT, INSERT, UPDATE (revoked_at, expires_at)",
        WORKER: "SELECT (id, player_id, scopes, expires_at, revoked_at), UPDATE (expires_at)",
    },
    "key_uses": {SERVICE: "SELECT, INSERT, UPDATE (at)"},
    # The worker deletes old rows; this locks them, and a lock needs a column that may be updated.
    "seeks": {
        SERVICE: "SELECT, INSERT, DELETE, UPDATE (game_id)",
        WORKER: "SELECT, DELETE, UPDATE (game_id)",
    },
    "refused_requests": {
        SERVICE: "SELECT, INSERT, DELETE, UPDATE (at)",
        WORKER: "SELECT, DELETE, UPDATE (at)",
    },
    "sign_ins": {
        SERVICE: "SELECT, INSERT, DELETE, UPDATE (codes, used_at, tries, next_at)",
        WORKER: "SELECT, DELETE, UPDATE (codes, tries, next_at)",
    },
    # A worker that continues for bots reads the time of their game's test clock.
    "test_clocks": {SERVICE: "SELECT, INSERT, UPDATE (time, deleted_at)", WORKER: "SELECT"},
    "games": {
        SERVICE: f"{GAMES}, INSERT,"
        f" UPDATE (title, pace, chat, asked, rematch, series_id, series_number, {LABELS})",
        WORKER: GAMES,
    },
    "game_seats": {SERVICE: f"{GAME_SEATS}, INSERT", WORKER: GAME_SEATS},
    "turns": {SERVICE: TURNS, WORKER: TURNS},
    "player_games": {SERVICE: PLAYER_GAMES, WORKER: PLAYER_GAMES},
    # A worker gives the seats of players who are out to bots.
    "former_players": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, INSERT"},
    # Only a command rebuilds these results, with the worker's rights.
    "player_results": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, INSERT, DELETE"},
    "entries": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, INSERT"},
    # The owner writes archives; everybody reads them.
    "archives": {SERVICE: "SELECT", WORKER: "SELECT"},
    "archived_games": {SERVICE: "SELECT", WORKER: "SELECT"},
    # Reading an old version stores the snapshot that was made for it.
    "snapshots": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, INSERT"},
    "standing_orders": {SERVICE: ORDERS, WORKER: ORDERS},
    "looks": {SERVICE: "SELECT, INSERT", WORKER: "SELECT"},
    "imports": {SERVICE: "SELECT, INSERT"},
    # A worker without a role of its own uses the service's, which may therefore delete old rows as well. This
    # locks them, and a lock needs a column that may be updated.
    "idempotency": {
        SERVICE: "SELECT, INSERT, DELETE, UPDATE (fingerprint, final, headers, body, signature, created_at)",
        WORKER: "SELECT, DELETE, UPDATE (final)",
    },
    "webhooks": {
        SERVICE: "SELECT, INSERT, DELETE,"
        " UPDATE (url, events, include, ordered, secret, secret_before, secret_before_until, failing_since,"
        f" disabled_at, ended_at, {LABELS})",
        # Webhooks of one game end with it, and are deleted when their deliveries are.
        WORKER: "SELECT, DELETE, UPDATE (failing_since, disabled_at, ended_at)",
    },
    # Every process checks that it has the key, and that it is still the same database.
    "encryption": {SERVICE: "SELECT", WORKER: "SELECT"},
    "cursor_key": {SERVICE: "SELECT", WORKER: "SELECT"},
    "restorations": {SERVICE: "SELECT", WORKER: "SELECT"},
    # Web processes say that they are up; workers give games the time of outages back.
    "heartbeat": {SERVICE: "SELECT, INSERT, UPDATE (at)", WORKER: "SELECT"},
    "outages": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, UPDATE (settled)"},
    # The keys with which web processes sign receipts.
    "log_keys": {SERVICE: "SELECT"},
    # A trigger queues leaves, and only the job worker adds them.
    "tree_queue": {WORKER: "SELECT, DELETE"},
    "tree_leaves": {SERVICE: "SELECT (number, commitment, data)", WORKER: "SELECT, INSERT"},
    "tree_tiles": {SERVICE: "SELECT", WORKER: "SELECT, INSERT, UPDATE (hashes)"},
    "tree_heads": {SERVICE: "SELECT", WORKER: "SELECT, INSERT"},
    # Web processes accept what witnesses publish.
    "tree_cosignatures": {SERVICE: "SELECT, INSERT", WORKER: "SELECT"},
    "contacts": {
        SERVICE: "SELECT, INSERT, DELETE,"
        " UPDATE (key, email, confirmed_at, refused_at, preferences, awaited, mailed_at, calendar, account,"
        " bounces, bounced_at, refused_because, mailbox)",
        WORKER: "SELECT, UPDATE (refused_at, refused_because, awaited, mailed_at)",
    },
    "allowances": {SERVICE: "SELECT, INSERT, DELETE, UPDATE (used_until)", WORKER: "SELECT, DELETE"},
    "push_subscriptions": {
        SERVICE: "SELECT, INSERT, DELETE, UPDATE (credential_id)",
        WORKER: "SELECT, DELETE",
    },
    "notices": {SERVICE: NOTICES, WORKER: NOTICES},
    "deliveries": {SERVICE: DELIVERIES, WORKER: DELIVERIES},
    # A new listener locks its app's row, and a lock needs a column that may be updated.
    "notice_positions": {
        SERVICE: "SELECT, INSERT, UPDATE (app_id)",
        WORKER: "SELECT, DELETE, UPDATE (tick, game_id, seq)",
    },
}


def grant(connection: Connection, roles: Sequence[str]) -> None:
    """Grant the roles that exist exactly these rights, in the transaction that is open."""
    for statement in _statements(roles):
        connection.execute(text(statement))


def _statements(roles: Sequence[str]) -> list[str]:
    statements = ["REVOKE CREATE ON SCHEMA public FROM PUBLIC"]
    for role in roles:
        statements.append(f"GRANT USAGE ON SCHEMA public TO {role}")
        # Earlier releases let the service write every table.
        statements.append(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM {role}")
        statements.append(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM {role}")
        statements.append(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
        statements.append(f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {role}")
        statements += [f"GRANT {of[role]} ON {table} TO {role}" for table, of in RIGHTS.items() if role in of]
    return statements


PRIVILEGES = """
    SELECT c.relname, p.name, '' FROM pg_class c, unnest(%(whole)s::text[]) AS p(name)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND has_table_privilege(c.oid, p.name)
    UNION ALL
    SELECT c.relname, p.name, a.attname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    CROSS JOIN unnest(%(parts)s::text[]) AS p(name)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND has_column_privilege(c.oid, a.attnum, p.name) AND NOT has_table_privilege(c.oid, p.name)
"""
ROLES = """
    SELECT array(SELECT rolname::text FROM pg_roles
        WHERE rolname = ANY(%(roles)s) AND pg_has_role(oid, 'USAGE'))
    FROM pg_tables
    WHERE schemaname = 'public' AND tablename = 'games' AND NOT pg_has_role(tableowner, 'USAGE')
"""
WHOLE, PARTS = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"], ["SELECT", "INSERT", "UPDATE"]
Right = tuple[str, str, str]  # table, privilege, column ("": the whole table)


def require(address: str) -> None:
    """Raise StartError if the login at this address has more or fewer rights than its role needs.

    Do nothing for the owner, who has all rights, while the database does not answer, and if its schema is of
    another release, which readiness reports.
    """
    known: tuple[str, ...] | None = (newest(),)
    try:
        with psycopg.connect(libpq(address), autocommit=True, connect_timeout=10) as connection:
            row = connection.execute(ROLES, {"roles": [SERVICE, WORKER]}).fetchone()
            granted: set[Right] = {
                *connection.execute(PRIVILEGES, {"whole": WHOLE, "parts": PARTS}).fetchall()
            }
            with suppress(psycopg.errors.InsufficientPrivilege):
                known = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except psycopg.Error:
        return
    if row is None or known != (newest(),):
        return
    declared = _declared(row[0])
    wrong = [f"{'no ' if right in declared else ''}{_named(right)}" for right in sorted(granted ^ declared)]
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        raise StartError(
            "The service has other rights in the database than it needs"
            f" ({', '.join(wrong[:3])}{more}); run referee-api migrate, as after every restore."
        )


def require_direct(settings: Settings) -> None:
    """Raise StartError if there is a pooler between us and the notices that we wait for.

    Do nothing while the database does not answer. A pooler that passes on whole sessions cannot be detected.
    """
    address = settings.direct_database_url or settings.database_url
    try:
        with psycopg.connect(libpq(address), autocommit=True, connect_timeout=10) as connection:
            direct = set_up(connection).direct
    except psycopg.Error:
        return
    if not direct:
        raise StartError(
            "A pooler such as PgBouncer stands before the database, and notices do not pass it: "
            "let DIRECT_DATABASE_URL lead to the database itself."
        )


def _declared(roles: Sequence[str]) -> set[Right]:
    rights = set()
    for table, of in RIGHTS.items():
        for role in roles:
            for what, columns in re.findall(r"(\w+)(?: \(([^)]*)\))?", of.get(role, "")):
                rights |= {(table, what, column) for column in columns.split(", ")}
    return {right for right in rights if not right[2] or (*right[:2], "") not in rights}


def _named(right: Right) -> str:
    table, what, column = right
    return f"{what} of {table}.{column}" if column else f"{what} on {table}"
