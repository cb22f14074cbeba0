"""The database shows the service only one app's rows at a time, whatever its statements ask for."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings, StartError, libpq
from api.games import views
from api.games.views import Visibility
from api.http import tokens
from api.run import migrate, row_security
from api.store import credentials
from api.store.database.connections import written_out
from api.store.database.session import Database, Session
from tests.servers.serving import run
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.stored import whole_tables
from tests.support.tenants import OWNERS, Tenant
from tests.support.tenants import new_tenant as new_tenant
from tests.support.tenants import one as one
from tests.support.tenants import two as two

OF_NO_APP = {
    "alembic_version",
    "encryption",
    "installation",
    "restorations",
    "log_keys",
    "allowances",
    "heartbeat",
    "outages",
    "processes",
    "backups",
    "sign_ins",
    "ratings_read",
    *("tree_queue", "tree_leaves", "tree_tiles", "tree_heads", "tree_cosignatures"),
}


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """Return the service's own login, on a single connection."""
    made = Database(replace(settings, pool_size=1))
    yield made
    made.close()


def rows(connection: psycopg.Connection, table: str, condition: str = "true") -> set[str]:
    return {row[0] for row in connection.execute(f"SELECT t::text FROM {table} t WHERE {condition}")}


def test_every_table_shows_one_apps_rows(
    one: Tenant, two: Tenant, database: Database, sql: psycopg.Connection
) -> None:
    tables = whole_tables(sql)
    assert tables - OF_NO_APP == OWNERS.keys(), (
        "declare here, and in api/run/row_security.py, who owns its rows"
    )
    for tenant in (one, two, one):
        for table, owner in OWNERS.items():
            own = rows(sql, table, f"{owner} = '{tenant.id}'")
            assert own, table
            assert rows(sql, table) > own, table
            session = Session(database)
            assert tenant.key.token is not None
            assert credentials.holder(session, tokens.digest(tenant.key.token)) is not None
            assert rows(session.connection, table) == own, table
            session.close()
            for session in (Session(database), Session(database, None)):
                assert rows(session.connection, table) == set(), table
                session.close()


def test_an_unknown_token_shows_nothing(one: Tenant, database: Database) -> None:
    session = Session(database, one.id)
    assert rows(session.connection, "players")
    session.close()
    session = Session(database)
    assert credentials.holder(session, b"nothing") is None
    assert rows(session.connection, "players") == set()
    session.close()


WRITES = [
    "UPDATE games SET version = version + 1",
    "UPDATE game_seats SET bot = 'random'",
    "UPDATE turns SET deadline = now()",
    "DELETE FROM turns",
    "UPDATE players SET name = 'x'",
    "UPDATE credentials SET revoked_at = now()",
    "UPDATE webhooks SET url = 'https://example.org/2'",
    "UPDATE outbox SET tries = 9",
    "UPDATE contacts SET mailed_at = now()",
    "UPDATE standing_orders SET moves = ''",
    "UPDATE idempotency SET created_at = now()",
    "DELETE FROM webhooks",
    "DELETE FROM standing_orders",
    "DELETE FROM outbox",
    "DELETE FROM idempotency",
]


@pytest.mark.parametrize("statement", WRITES)
def test_no_other_apps_rows_are_written(
    one: Tenant, two: Tenant, database: Database, sql: psycopg.Connection, statement: str
) -> None:
    """This includes games that everybody may watch."""
    sql.execute("UPDATE games SET visibility = 'public'")
    table = statement.replace("DELETE FROM", "UPDATE").split()[1]
    own, others = (rows(sql, table, f"{OWNERS[table]} {how} '{one.id}'") for how in ("=", "<>"))
    session = Session(database, one.id)
    assert session.execute(statement).rowcount == len(own)
    session.close()
    assert rows(sql, table, f"{OWNERS[table]} <> '{one.id}'") == others


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO entries VALUES (%(game)s, %(next)s, '{}', NULL, '')",
        "INSERT INTO players (id, app_id, name, created_at) VALUES (gen_random_uuid(), %(app)s, 'x', now())",
        "INSERT INTO game_seats (game_id, seat) VALUES (%(game)s, 9)",
        "INSERT INTO turns (game_id, seat, app_id, automatic, since)"
        " VALUES (%(game)s, 9, %(app)s, false, now())",
        "INSERT INTO standing_orders (game_id, seat, player_id, moves) VALUES (%(game)s, 9, %(player)s, '')",
        "INSERT INTO imports VALUES (%(app)s, '\\x01', %(game)s)",
        "INSERT INTO credentials (id, app_id, hash, scopes, created_at)"
        " VALUES (gen_random_uuid(), %(app)s, '\\x01', '{audit}', now())",
    ],
)
def test_nothing_is_added_to_another_apps_rows(
    one: Tenant, two: Tenant, database: Database, sql: psycopg.Connection, statement: str
) -> None:
    sql.execute("UPDATE games SET visibility = 'public'")
    game = two.key.get(f"/v1/games/{two.game['id']}").json
    player = two.players[0].player
    values = {"game": game["id"], "next": game["version"] + 1, "app": two.id, "player": player}
    session = Session(database, one.id)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        session.connection.execute(statement, values)
    session.close()
    session = Session(database, two.id)
    session.connection.execute(statement, values)  # so we know that nothing else refused it
    session.close()


# --- over HTTP, with the filters of our statements removed ---------------------------------------------

FILTER = re.compile(r"(?:\w+\.)?(?:app_id|visibility) = (%s|%\(\w+\)s::\w+)")
LISTS = ("/v1/games", "/v1/players", "/v1/webhooks", "/v1/keys")


def careless(session: Session, statement: Any, values: Any = ()) -> psycopg.Cursor[tuple[Any, ...]]:
    """Return `Session.execute` with statements that do not filter by app."""
    if not isinstance(statement, str):
        statement, own = written_out(statement)
        values = {**own, **dict(values)}
    return session.connection.execute(FILTER.sub(r"(\1 IS NOT NULL)", statement), values)


@pytest.fixture
def without_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "execute", careless)
    seen = views.visibility_of
    for module in list(sys.modules.values()):
        if getattr(module, "visibility_of", None) is seen and module is not views:
            monkeypatch.setattr(module, "visibility_of", lambda caller, game: Visibility(whole=True))
    monkeypatch.setattr(views, "visibility_of", lambda caller, game: Visibility(whole=True))


def paths_of(tenant: Tenant) -> list[str]:
    """Return paths that nobody but this app may read."""
    game = f"/v1/games/{tenant.game['id']}"
    return [
        game,
        f"{game}/events",
        f"{game}/record",
        f"{game}/verification",
        f"/v1/players/{tenant.players[0].player}",
        f"/v1/players/{tenant.players[0].player}/tokens",
        f"/v1/webhooks/{tenant.webhook}",
        f"/v1/webhooks/{tenant.webhook}/deliveries",
    ]


def ids(caller: Caller, path: str) -> set[str]:
    answer = caller.get(path)
    assert answer.status_code == 200, answer.text
    return {item["id"] for item in answer.json["items"]}


def through(app: Flask, caller: Caller) -> Caller:
    return replace(caller, app=app)


def test_a_statement_without_its_filter_shows_no_other_apps_rows(
    one: Tenant, two: Tenant, settings: Settings, clock: Clock, without_filters: None
) -> None:
    """For the tables' owner, to whom policies do not apply, the same requests show another app's rows."""
    unprotected = create_app(replace(settings, database_url=settings.owner_database_url), clock=clock)
    try:
        for path in LISTS:
            mine, theirs = ids(one.key, path), ids(two.key, path)
            assert mine
            assert theirs
            assert not mine & theirs, path
            assert ids(through(unprotected, one.key), path) >= mine | theirs, "the test removes no filter"
        for path in paths_of(two):
            assert one.key.get(path).status_code == 404, path
            assert two.key.get(path).status_code == 200, path
            assert through(unprotected, one.key).get(path).status_code == 200, "the test removes no filter"
    finally:
        unprotected.extensions["card_referee"].database.close()


def test_a_connection_shared_by_apps_leaks_nothing_between_them(
    one: Tenant, two: Tenant, anyone: Caller, settings: Settings, clock: Clock, without_filters: None
) -> None:
    """One connection serves everybody, after answers, refusals, failures and rollbacks."""
    app = create_app(replace(settings, pool_size=1), clock=clock)
    first, second, nobody = (through(app, caller) for caller in (one.key, two.key, anyone))
    forged = Caller(app, "cra_forged")
    expected = {id(caller): ids(caller, "/v1/players") for caller in (first, second)}
    new = {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}

    def looks(caller: Caller) -> None:
        assert ids(caller, "/v1/players") == expected[id(caller)]

    def is_refused(caller: Caller) -> None:
        assert caller.get("/v1/players").status_code == 401

    def rolls_back(caller: Caller) -> None:
        for tenant, other in ((one, two), (two, one)):
            path = f"/v1/games/{tenant.game['id']}"
            status = 403 if caller.token == tenant.key.token else 404
            for player in (other.players[0].player, one.players[0].player):
                caller.post("/v1/games", {**new, "seats": [{"player": player}] * 2})
            assert caller.put(f"{path}/seats/0", {}).status_code in (status, 401, 404, 409)

    def watches(caller: Caller) -> None:
        for tenant in (one, two):
            known = caller.token == tenant.key.token
            answer = caller.get(f"/v1/games/{tenant.game['id']}")
            assert answer.status_code == (200 if known else 404)

    everybody = [first, second, nobody, forged]
    steps = {looks: everybody[:2], is_refused: everybody[2:], rolls_back: everybody, watches: everybody[:3]}
    try:
        for before, callers in steps.items():
            for who in callers:
                before(who)
                for after in (second, first):
                    looks(after)
                    watches(nobody)
    finally:
        app.extensions["card_referee"].database.close()


def test_the_app_of_a_connection_does_not_change_in_a_transaction(one: Tenant, database: Database) -> None:
    """A rollback would silently restore the former app."""
    session = Session(database)
    with session.transaction(), pytest.raises(RuntimeError):
        session.see(one.id)
    assert rows(session.connection, "players") == set()
    session.see(one.id)
    assert rows(session.connection, "players")
    session.close()


def test_a_connection_in_an_unknown_state_is_set_again(one: Tenant, database: Database) -> None:
    session = Session(database, one.id)
    assert rows(session.connection, "players")
    with pytest.raises(psycopg.Error):
        session.enter("NULL", "1 / 0", ())
    assert rows(session.connection, "players")
    session.close()


# --- what remains possible -----------------------------------------------------------------------------


def test_games_that_may_be_watched_are_seen_by_others_and_not_played(
    one: Tenant, two: Tenant, anyone: Caller
) -> None:
    game = new_game(two.key, two.players, visibility="public")
    path = f"/v1/games/{game['id']}"
    for caller in (one.key, one.players[0], anyone):
        assert caller.get(path).status_code == 200
        assert len(caller.get(f"{path}/events").json["items"]) == game["version"]
        assert caller.get(f"{path}?version=2").status_code == 200
    assert ids(one.key, "/v1/games?visibility=public") == {game["id"]}
    move = {"move": first_move(two.players[game["to_act"][0]], game)}
    for refused in (one.key, one.players[0]):
        assert refused.post(f"{path}/moves", {"seat": 0, **move}).status_code == 403
    unlisted = new_game(two.key, two.players, visibility="unlisted")
    assert one.key.get(f"/v1/games/{unlisted['id']}").status_code == 200
    assert anyone.get(f"/v1/games/{unlisted['id']}").status_code == 404


def test_a_web_process_that_sees_every_app_says_so(settings: Settings) -> None:
    """It would otherwise do so unnoticed; a wrong port ends the process before it serves."""
    for address, is_said in ((settings.owner_database_url, True), (settings.database_url, False)):
        done = run("web", "--host", "192.0.2.1", DATABASE_URL=libpq(address))
        assert ("sees the rows of every app" in done.stderr) == is_said


def test_the_worker_needs_a_login_that_works_for_every_app(settings: Settings) -> None:
    row_security.require_worker(settings.worker_database_url)
    row_security.require_worker(settings.owner_database_url)
    with pytest.raises(StartError, match="WORKER_DATABASE_URL"):
        row_security.require_worker(settings.database_url)
    done = run("worker", DATABASE_URL=libpq(settings.database_url))
    assert done.returncode == 1
    assert "WORKER_DATABASE_URL" in done.stderr


def policies(sql: psycopg.Connection) -> list[tuple[Any, ...]]:
    return sql.execute(
        "SELECT o.oid, p.*, c.relrowsecurity FROM pg_policies p JOIN pg_class c ON c.relname = p.tablename"
        " JOIN pg_policy o ON o.polrelid = c.oid AND o.polname = p.policyname ORDER BY 1"
    ).fetchall()


def test_migrate_keeps_correct_policies_and_restores_the_others(
    settings: Settings, sql: psycopg.Connection
) -> None:
    before = policies(sql)
    assert before
    migrate.upgrade(settings)
    assert policies(sql) == before, "moves had to wait"
    sql.execute("DROP POLICY own ON players")
    sql.execute("ALTER POLICY change ON games USING (true)")
    sql.execute("ALTER POLICY read ON entries TO PUBLIC")
    sql.execute("CREATE POLICY more ON webhooks USING (true)")
    sql.execute("ALTER TABLE games DISABLE ROW LEVEL SECURITY")
    sql.execute("REVOKE EXECUTE ON FUNCTION token_holder FROM card_referee_app")
    migrate.upgrade(settings)
    assert {row[1:] for row in map(str_lists, policies(sql))} == {row[1:] for row in map(str_lists, before)}
    granted = sql.execute(
        "SELECT has_function_privilege('card_referee_app', 'token_holder(bytea)', 'EXECUTE'),"
        " has_function_privilege('card_referee_worker', 'token_holder(bytea)', 'EXECUTE')"
    )
    assert granted.fetchone() == (True, False)


def str_lists(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(str(value) if isinstance(value, list) else value for value in row)


def test_no_policy_is_bypassed_by_the_services_role(settings: Settings, sql: psycopg.Connection) -> None:
    for name in ("card_referee_app", "card_referee_worker"):
        role = sql.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = %s", (name,))
        assert role.fetchone() == (False, False)
        owned = sql.execute("SELECT count(*) FROM pg_tables WHERE tableowner = %s", (name,))
        assert owned.fetchone() == (0,)
