"""`referee-api apps`: an app is exported, and deleted with everything that is its own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from click.testing import CliRunner, Result

from api.core.config import Settings, libpq
from api.run.cli import cli
from api.store import removal
from tests.servers.commands import run as referee
from tests.support.callers import Caller, new_game, play_on
from tests.support.stored import ids_of, stored, without
from tests.support.tenants import OWNERS, Tenant
from tests.support.tenants import new_tenant as new_tenant
from tests.support.tenants import one as one
from tests.support.tenants import two as two


@pytest.fixture
def command(settings: Settings) -> Callable[..., Result]:
    def call(*words: object, answer: str = "") -> Result:
        given = settings.environment()
        return CliRunner(env=given).invoke(cli, ["apps", *map(str, words)], input=answer)

    return call


def test_everything_of_an_app_goes_and_nothing_of_another(
    one: Tenant,
    two: Tenant,
    worker: Callable[[], None],
    sql: psycopg.Connection,
    command: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(removal, "GAMES", 2)
    monkeypatch.setattr(removal, "BATCH", 2)
    waits = new_game(one.key, one.players, visibility="public")
    for tenant in (one, two):
        answer = tenant.key.get(f"/v1/games/{tenant.game['id']}").json
        sql.execute(
            "INSERT INTO idempotency (owner, key, created_at, fingerprint)"
            " VALUES (%s, gen_random_uuid(), now(), '')",
            (answer["id"],),
        )
    worker()
    sql.execute(
        "INSERT INTO tree_queue (game_id, ended) VALUES (%s, true), (%s, true)",
        (one.game["id"], two.game["id"]),
    )
    before, own = stored(sql), ids_of(sql, one.id)
    after = without(before, own)
    for table in OWNERS.keys() | {"tree_queue"}:
        assert after[table] < before[table], f"the test has no rows of the app in {table}"
        assert after[table], f"the test has no rows of another app in {table}"

    done = command("delete", "one", "--yes", "--abandon")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("one is deleted, with 4 games\n")
    assert stored(sql) == after
    named = sql.execute("SELECT count(game_id), count(*) FROM tree_leaves").fetchone()
    assert named
    assert 0 < named[0] < named[1]
    assert sql.execute(
        "SELECT count(*) FROM tree_leaves WHERE game_id::text = ANY(%s)", (list(own),)
    ).fetchone() == (0,)
    assert one.key.get("/v1/me").status_code == 401
    assert two.key.get(f"/v1/games/{waits['id']}").status_code == 404
    assert command("delete", "one", "--yes").exit_code == 1


def test_proofs_of_other_games_stay_valid(
    one: Tenant,
    two: Tenant,
    worker: Callable[[], None],
    anyone: Caller,
    command: Callable[..., Result],
    tmp_path: Path,
) -> None:
    worker()
    assert command("delete", one.id, "--yes", "--abandon").exit_code == 0
    over = play_on(two.players, new_game(two.key, two.players))["id"]
    worker()
    file, keys = tmp_path / "game.json", tmp_path / "keys.json"
    keys.write_text(anyone.get("/v1/log-keys").text)
    file.write_text(two.key.get(f"/v1/games/{over}/record").text)
    verified = referee("verify", str(file), "--keys", str(keys))
    assert verified.returncode == 0, verified.stdout
    assert "NOTE  verdict: proved" in verified.stdout


def test_a_deleted_game_can_be_imported(
    one: Tenant,
    two: Tenant,
    worker: Callable[[], None],
    command: Callable[..., Result],
    tmp_path: Path,
) -> None:
    over = play_on(one.players, new_game(one.key, one.players))
    worker()
    record = one.key.get(f"/v1/games/{over['id']}/record").json
    assert command("delete", "one", "--yes", "--abandon").exit_code == 0
    imported = two.key.post("/v1/records", record)
    assert imported.status_code == 201
    worker()
    leaves = two.key.get(f"/v1/games/{imported.json['id']}/record").json["inclusion"]["leaves"]
    assert [json.loads(leaf["data"])["origin"] for leaf in leaves] == ["imported", "imported"]
    file = tmp_path / "games.ndjson"
    assert command("export", "two", file).exit_code == 0
    verified = referee("verify", str(file), "--jobs", "1")
    assert "FAIL" not in verified.stdout, verified.stdout


def test_what_receipts_promise_is_kept(
    one: Tenant, sql: psycopg.Connection, command: Callable[..., Result]
) -> None:
    waiting = sql.execute("SELECT count(*) FROM tree_queue").fetchone()
    assert waiting
    assert waiting[0] > 3
    assert command("delete", "one", "--yes", "--abandon").exit_code == 0
    assert sql.execute("SELECT count(*) FROM tree_leaves").fetchone() == waiting
    assert sql.execute("SELECT count(*) FROM tree_queue").fetchone() == (0,)


def test_a_deletion_is_asked_for_twice(
    one: Tenant, sql: psycopg.Connection, command: Callable[..., Result]
) -> None:
    before = stored(sql)
    for words, answer, said in (
        (["one"], "", "2 games of one are not over: cancel them first"),
        (["one", "--abandon"], "two\n", "Aborted"),
        (["one", "--abandon"], "", "Aborted"),
        (["nobody", "--yes"], "", "There is no app nobody."),
        (["guests", "--yes"], "", "it stays"),
    ):
        sql.execute("INSERT INTO apps VALUES (gen_random_uuid(), 'guests', now()) ON CONFLICT DO NOTHING")
        done = command("delete", *words, answer=answer)
        assert done.exit_code == 1
        assert said in f"{done.output}{done.exception}"
    sql.execute("DELETE FROM apps WHERE name = 'guests'")
    assert stored(sql) == before
    done = command("delete", "one", "--abandon", answer="one\n")
    assert "one is deleted" in done.output


@pytest.mark.parametrize("what", ["delete", "export"])
def test_a_name_that_is_the_id_of_another_app_means_neither(
    new_key: Callable[..., Caller],
    sql: psycopg.Connection,
    command: Callable[..., Result],
    tmp_path: Path,
    what: str,
) -> None:
    first = new_key("first").get("/v1/me").json["app"]["id"]
    named = new_key(first).get("/v1/me").json["app"]["id"]
    more = ["--yes"] if what == "delete" else [tmp_path / "app.ndjson"]
    done = command(what, first, *more)
    assert done.exit_code == 1
    assert f"first ({first}) and {first} ({named})" in str(done.exception)
    assert not [*tmp_path.glob("app.*")]
    assert sql.execute("SELECT count(*) FROM apps").fetchone() == (2,)
    if what == "delete":
        assert command("delete", named, "--yes").exit_code == 0
        assert command("delete", first, "--yes").output.startswith("first is deleted")


def test_an_interrupted_deletion_is_called_again(
    one: Tenant,
    sql: psycopg.Connection,
    anyone: Caller,
    command: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Meanwhile a game is whole or gone, and nobody has a key."""
    games = [new_game(one.key, one.players, visibility="public")["id"] for _ in range(3)]
    monkeypatch.setattr(removal, "GAMES", 1)
    delete, statuses = removal._delete, set()
    for _ in range(3):
        left = iter(range(2))

        def interrupted(*given: Any, left: Iterator[int] = left) -> None:
            delete(*given)
            if next(left, None) is None:
                raise KeyboardInterrupt

        monkeypatch.setattr(removal, "_delete", interrupted)
        assert command("delete", "one", "--yes", "--abandon").exit_code == 1
        assert one.key.get("/v1/me").status_code == 401
        for game in games:
            answer = anyone.get(f"/v1/games/{game}/verification")
            statuses.add(answer.status_code)
            assert answer.status_code == 404 or answer.json["ok"], answer.json
    assert statuses == {200, 404}
    monkeypatch.setattr(removal, "_delete", delete)
    assert "one is deleted" in command("delete", "one", "--yes", "--abandon").output
    assert not without(stored(sql), {str(one.id)})["games"]


def test_what_is_added_meanwhile_goes_too(
    one: Tenant, sql: psycopg.Connection, command: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    delete, begun = removal._delete, list[str]()
    late = "INSERT INTO players (id, app_id, name, created_at) VALUES (%s, %s, 'x', now())"

    def adding(session: Any, table: Any, ids: Any) -> None:
        begun.append(table.name)
        delete(session, table, ids)
        if table.name == "players" and begun.count("players") == 1:
            sql.execute(late, (UUID(int=1), one.id))  # of a page that is done

    monkeypatch.setattr(removal, "_delete", adding)
    assert "one is deleted" in command("delete", "one", "--yes", "--abandon").output
    assert begun.count("apps") == 2
    assert sql.execute("SELECT count(*) FROM players").fetchone() == (0,)


@pytest.mark.parametrize("kind", ["ndjson", "ndjson.gz"])
def test_an_export_has_all_that_its_app_may_see(
    one: Tenant,
    two: Tenant,
    anyone: Caller,
    worker: Callable[[], None],
    sql: psycopg.Connection,
    command: Callable[..., Result],
    tmp_path: Path,
    kind: str,
) -> None:
    over = play_on(one.players, new_game(one.key, one.players, external_id="final"))
    assert one.players[0].post(f"/v1/games/{over['id']}/messages", {"text": "Well played"}).status_code == 201
    worker()
    file, keys = tmp_path / f"one.{kind}", tmp_path / "keys.json"
    done = command("export", "one", file)
    assert done.output == "4 games and 3 players\n", repr(done.exception)
    data = file.read_bytes()
    if kind.endswith("gz"):
        data = gzip.decompress(data)
    first, *lines = [json.loads(line) for line in data.splitlines()[:-1]]
    assert [key["scopes"] for key in first["app"]["keys"]] == [["keys", "read", "write"]]
    assert [hook["id"] for hook in first["app"]["webhooks"]] == [one.webhook]
    names = [line["player"]["name"] for line in lines if "player" in line]
    assert sorted(names) == ["Anna", "Ben", "Eve"]
    games = {line["game"]: line for line in lines if "game" in line}
    assert games.keys() == {game["id"] for game in one.key.get("/v1/games").json["items"]}
    said = games[over["id"]]
    assert said["chat"][0]["text"] == "Well played"
    assert said["record"]["external_id"] == "final"
    for game, line in games.items():
        shown = one.key.get(f"/v1/games/{game}/record").json
        assert (
            line["record"] == shown | {"inclusion": line["record"].get("inclusion")}
            or line["record"] == shown
        )
    running = games[one.game["id"]]["record"]
    assert running["seed"] is None
    assert not any("private" in entry for entry in running["entries"])
    secrets = [one.key.token, *(player.token for player in one.players), "whsec_", 'hash":null']
    assert not any(str(secret) in data.decode() for secret in secrets)

    keys.write_text(anyone.get("/v1/log-keys").text)
    verified = referee("verify", str(file), "--jobs", "1", "--keys", str(keys))
    assert verified.returncode == 2, verified.stdout + verified.stderr
    cut = tmp_path / "cut.ndjson"
    if kind == "ndjson":
        cut.write_bytes(data.replace(b'"Anna"', b'"Hanna"', 1))
        assert referee("verify", str(cut)).returncode == 1
    assert "already exists" in str(command("export", "one", file).exception)


STATEMENTS = (
    "DELETE FROM entries",
    "DELETE FROM games",
    "UPDATE tree_leaves SET game_id = NULL",
    "DELETE FROM tree_leaves",
)


@pytest.mark.parametrize("login", ["database_url", "worker_database_url"])
def test_no_login_of_the_service_deletes_a_log(
    one: Tenant, worker: Callable[[], None], settings: Settings, sql: psycopg.Connection, login: str
) -> None:
    """It has no right to, and with the right, the triggers still ask who owns the tables."""
    worker()
    with psycopg.connect(libpq(getattr(settings, login)), autocommit=True) as service:
        service.execute("SET card_referee.deleting_app = 'on'")
        service.execute("SELECT set_config('card_referee.app', %s, false)", (str(one.id),))
        for statement in STATEMENTS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)
        role = "card_referee_app" if login == "database_url" else "card_referee_worker"
        sql.execute(f"GRANT SELECT, DELETE ON entries, games TO {role}")
        before = stored(sql)
        for statement in STATEMENTS[:2]:
            with suppress(psycopg.errors.IntegrityError):
                service.execute(statement)
        assert stored(sql) == before
        sql.execute(f"REVOKE DELETE ON entries, games FROM {role}")


def test_the_owner_deletes_a_log_only_on_purpose(
    one: Tenant, worker: Callable[[], None], sql: psycopg.Connection
) -> None:
    worker()
    for setting in ("off", "on"):
        sql.execute("SELECT set_config('card_referee.deleting_app', %s, false)", (setting,))
        for statement in (
            "DELETE FROM entries" if setting == "off" else "TRUNCATE entries",
            "UPDATE entries SET public = ''",
            "DELETE FROM games",
            "DELETE FROM tree_leaves",
            "UPDATE tree_leaves SET game_id = gen_random_uuid()",
            "UPDATE tree_leaves SET data = '\\x00', game_id = NULL",
        ):
            with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
                sql.execute(statement)
