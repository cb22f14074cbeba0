"""What the service's roles may do in the database: no more than their statements need.

Every `migrate` grants it anew, since a restored backup may come without rights. A table that is not named
here is closed to both roles; of a table's columns those alone may be updated that change in a row's life:
never a seed, a hash, a scope, or whose a row is.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

from api.run.embedded.roles import SERVICE, WORKER

GAMES = "SELECT, UPDATE (status, version, seats, head, drawn, position, result, updated_at)"
GAME_SEATS = "SELECT, UPDATE (player_id, bot, since, deadline, warn_at)"
ORDERS = "SELECT, INSERT, UPDATE (player_id, moves, cancelled, remaining), DELETE"
DELIVERIES = "SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, attempts)"

RIGHTS: dict[str, dict[str, str]] = {
    "alembic_version": {SERVICE: "SELECT", WORKER: "SELECT"},
    # Whoever counts an app's webhooks locks its row, and a lock needs a column that may be updated.
    "apps": {SERVICE: "SELECT, INSERT, UPDATE (name)", WORKER: "SELECT"},
    "players": {SERVICE: "SELECT, INSERT, UPDATE (name, deleted_at)", WORKER: "SELECT"},
    # The tokens of guests expire with their game, whoever ends it.
    "credentials": {
        SERVICE: "SELECT, INSERT, UPDATE (revoked_at, expires_at)",
        WORKER: "SELECT (player_id, expires_at), UPDATE (expires_at)",
    },
    "games": {SERVICE: f"{GAMES}, INSERT", WORKER: GAMES},
    "game_seats": {SERVICE: f"{GAME_SEATS}, INSERT", WORKER: GAME_SEATS},
    "entries": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, INSERT"},
    # Whoever reads an old version keeps what was made for it.
    "snapshots": {SERVICE: "SELECT, INSERT", WORKER: "SELECT, INSERT"},
    "standing_orders": {SERVICE: ORDERS, WORKER: ORDERS},
    "imports": {SERVICE: "SELECT, INSERT"},
    # Without a role of its own a worker uses the service's, so that one may tidy up as well.
    "idempotency": {
        SERVICE: "SELECT, INSERT, DELETE, UPDATE (fingerprint, final, status, headers, body, created_at)",
        WORKER: "SELECT, DELETE",
    },
    "webhooks": {
        SERVICE: "SELECT, INSERT, DELETE,"
        " UPDATE (url, events, secret, secret_before, secret_before_until, failing_since, disabled_at)",
        WORKER: "SELECT, UPDATE (failing_since, disabled_at)",
    },
    "encryption": {},
    "deliveries": {SERVICE: DELIVERIES, WORKER: DELIVERIES},
}


def grant(connection: Connection, roles: Sequence[str]) -> None:
    """Grant the roles that exist exactly these rights, in the transaction that is open."""
    for statement in _statements(roles):
        connection.execute(text(statement))


def _statements(roles: Sequence[str]) -> list[str]:
    found = ["REVOKE CREATE ON SCHEMA public FROM PUBLIC"]
    for role in roles:
        found.append(f"GRANT USAGE ON SCHEMA public TO {role}")
        # Releases before this one let the service write every table.
        found.append(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM {role}")
        found.append(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM {role}")
        found.append(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
        found.append(f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {role}")
        found += [f"GRANT {of[role]} ON {table} TO {role}" for table, of in RIGHTS.items() if role in of]
    return found
