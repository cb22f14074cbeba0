"""The log in the database: changes are detected, the service cannot make any, added options make none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

import referee
from api.core.config import Settings, libpq
from api.store.database.encryption import pack, unpack
from referee.engine import loading
from referee.engine.shapes import Int, Option
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.forging import changed, places
from tests.support.stored import unencrypted


def failed(caller: Caller, game: dict[str, Any]) -> dict[str, int | None]:
    """Return the checks that fail, with the entry that each names."""
    answer = caller.get(f"/v1/games/{game['id']}/verification")
    assert answer.status_code == 200, answer.text
    checks = answer.json["checks"]
    assert answer.json["ok"] == all(check["ok"] for check in checks)
    return {check["name"]: check["seq"] for check in checks if not check["ok"]}


@pytest.fixture
def bendable(sql: psycopg.Connection) -> psycopg.Connection:
    """Return a superuser's connection with triggers disabled, which can change everything."""
    for trigger in ("append_only", "append_only_unless_resealed"):
        sql.execute(f"ALTER TABLE entries DISABLE TRIGGER {trigger}")
    return sql


@pytest.fixture
def settings(settings: Settings) -> Iterator[Settings]:
    """Yield settings without encryption, because these tests read and change stored values."""
    with unencrypted(settings) as plain:
        yield plain


@pytest.fixture
def game(host: Caller, four: list[Caller]) -> dict[str, Any]:
    seats = [{"player": four[0].player, "entropy": "abc"}, {"player": four[1].player}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    four[0].post(f"/v1/games/{game['id']}/messages", {"text": "Good luck"})
    finished: dict[str, Any] = play_on(four, game)
    return finished


class Stored:
    """What a statement changed, and how to restore it."""

    def __init__(self, sql: psycopg.Connection, game: str, seq: int) -> None:
        self.sql, self.key = sql, (game, seq)
        row = sql.execute(
            "SELECT public, private, hash FROM entries WHERE game_id = %s AND seq = %s", self.key
        )
        found = row.fetchone()
        assert found is not None
        public, private, digest = found
        self.before = public, private and unpack(private), digest

    def write(self, column: str, value: Any) -> None:
        value = value.encode() if column == "private" and value is not None else value
        self.sql.execute(
            f"UPDATE entries SET {column} = %s WHERE game_id = %s AND seq = %s", (value, *self.key)
        )

    def restore(self) -> None:
        for column, value in zip(("public", "private", "hash"), self.before, strict=True):
            self.write(column, value)


def entries(sql: psycopg.Connection, game: dict[str, Any]) -> Iterator[Stored]:
    for seq in range(1, game["version"] + 1):
        yield Stored(sql, game["id"], seq)


def with_change(text: str, path: tuple[Any, ...]) -> str:
    value = place = json.loads(text)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = changed(place[path[-1]])
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_every_game_verifies_at_every_moment(host: Caller, four: list[Caller], anyone: Caller) -> None:
    game = host.post(
        "/v1/games", {"ruleset": "pies", "visibility": "public", "seats": [{"open": True}] * 4}
    ).json
    assert failed(host, game) == {}
    for seat, player in enumerate(four):
        player.put(f"/v1/games/{game['id']}/seats/{seat}", {"entropy": "ü" * seat})
    assert failed(four[2], game) == {}
    running = four[0].get(f"/v1/games/{game['id']}").json
    assert running["status"] == "running"
    play_on(four, running, 25)
    assert failed(anyone, game) == {}
    answer = anyone.get(f"/v1/games/{game['id']}/verification").json
    assert [check["name"] for check in answer["checks"]][-3:] == ["stored", "head", "position"]
    four[3].post(f"/v1/games/{game['id']}/resignation")
    assert failed(anyone, game) == {}


def test_games_of_bots_and_games_with_other_ends_verify(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    for ruleset, seats in (("truco", 6), ("bisca", 3), ("landlord", 4)):
        bots: list[dict[str, Any]] = [{"bot": "random"}] * (seats - 1)
        game = host.post("/v1/games", {"ruleset": ruleset, "seats": [{"player": four[0].player}, *bots]}).json
        clock.move(hours=1)
        assert failed(host, game) == {}
        four[0].post(f"/v1/games/{game['id']}/resignation")
        assert failed(host, game) == {}


def test_verification_is_for_those_who_see_the_game(game: Any, four: list[Caller], anyone: Caller) -> None:
    path = f"/v1/games/{game['id']}/verification"
    assert anyone.get(path).status_code == 404
    assert four[3].get(path).status_code == 404
    assert four[0].get(path).status_code == 200
    assert four[0].get(path + "?x=1").status_code == 400


@pytest.mark.long
def test_every_field_of_every_entry(game: Any, host: Caller, bendable: psycopg.Connection) -> None:
    assert failed(host, game) == {}
    tried = 0
    for seq, entry in enumerate(entries(bendable, game), 1):
        public, private, digest = entry.before
        for path in places(json.loads(public)):
            entry.write("public", with_change(public, path))
            assert failed(host, game)["chain"] == seq, path
            entry.restore()
            tried += 1
        if private:
            first, *_, last = places(json.loads(private))
            for path in (first, last):
                entry.write("private", with_change(private, path))
                assert failed(host, game)["sealed"] == seq
            entry.write("private", None)
            assert failed(host, game)["sealed"] == seq
        else:
            entry.write("private", '{"0":{}}')
            assert failed(host, game)["sealed"] == seq
        entry.restore()
        entry.write("hash", bytes([digest[0] ^ 1]) + digest[1:])
        assert failed(host, game)["chain"] == seq
        entry.restore()
    assert tried > 400
    assert failed(host, game) == {}


@pytest.mark.long
def test_every_byte_of_an_entry(game: Any, host: Caller, bendable: psycopg.Connection) -> None:
    started = next(e for e in entries(bendable, game) if '"type":"started"' in e.before[0])
    for column, text in (("public", started.before[0]), ("private", started.before[1])):
        data = text.encode()
        for i in range(0, len(data), 3):
            for bit in (1, 32):
                try:
                    bent = (data[:i] + bytes([data[i] ^ bit]) + data[i + 1 :]).decode()
                except UnicodeDecodeError:
                    continue
                if "\0" not in bent:
                    started.write(column, bent)
                    assert failed(host, game), (column, i, bent)
        started.restore()
    started.write("public", started.before[0].replace('"type"', ' "type"'))
    assert failed(host, game) == {"stored": started.key[1]} or "order" in failed(host, game)
    started.restore()
    assert failed(host, game) == {}


def test_swapped_dropped_and_renumbered_entries(
    game: Any, host: Caller, bendable: psycopg.Connection
) -> None:
    key, last = game["id"], game["version"]

    def number(old: int, new: int) -> None:
        bendable.execute("UPDATE entries SET seq = %s WHERE game_id = %s AND seq = %s", (new, key, old))

    for old, new in ((7, 0), (8, 7), (0, 8)):
        number(old, new)
    found = failed(host, game)
    assert found["sequence"] == found["chain"] == 7
    for old, new in ((7, 0), (8, 7), (0, 8)):
        number(old, new)
    number(last, last + 1)
    assert failed(host, game)["stored"] == last
    number(last + 1, last)
    assert failed(host, game) == {}
    bendable.execute("DELETE FROM entries WHERE game_id = %s AND seq = %s", (key, last))
    assert {"head", "result", "order"} <= failed(host, game).keys()
    head = bendable.execute(
        "SELECT hash FROM entries WHERE game_id = %s AND seq = %s", (key, last - 1)
    ).fetchone()
    assert head is not None
    bendable.execute("UPDATE games SET version = version - 1, head = %s WHERE id = %s", (head[0], key))
    assert failed(host, game).keys() >= {"result", "order"}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("seed = sha256(seed)", {"commitment", "sealed", "shuffles", "result"}),
        ("result = replace(result, '[0]', '[1]')", {"result"}),
        ("result = NULL", {"result"}),
        ("position = %(bent)s", {"position"}),
        ("position = NULL", {"position"}),
        ("drawn = drawn + 1", {"position"}),
        ("head = sha256(head)", {"head"}),
        ("version = version - 1", {"head"}),
        ("sitting = replace(sitting, '\"abc\"', '\"abd\"')", {"seats"}),
    ],
)
def test_changes_of_data_stored_beside_the_log_are_found(
    change: str, found: set[str], game: Any, host: Caller, bendable: psycopg.Connection
) -> None:
    (kept,) = bendable.execute("SELECT position FROM games WHERE id = %s", (game["id"],)).fetchone()
    bent = pack(unpack(kept).replace('"out"', '"aut"'))
    assert bent != kept
    done = bendable.execute(f"UPDATE games SET {change} WHERE id = %(id)s", {"id": game["id"], "bent": bent})
    assert done.rowcount == 1
    assert found <= failed(host, game).keys()


def test_verifying_a_running_game_reveals_nothing_hidden(
    host: Caller, four: list[Caller], bendable: psycopg.Connection
) -> None:
    game = play_on(four, new_game(host, four), 3)
    moved = [e for e in entries(bendable, game) if '"type":"moved"' in e.before[0]]
    text = moved[-1].before[0]
    moved[-1].write("public", text.replace('"cats_and_dogs', "").replace('"card":"', '"card":"X'))
    answer = four[0].get(f"/v1/games/{game['id']}/verification").json
    broken = {check["name"]: check["detail"] for check in answer["checks"] if not check["ok"]}
    assert broken["verdicts"] == "not so: every move is legal"
    assert all(detail.startswith("not so: ") for detail in broken.values())


REFUSED = ("UPDATE entries SET hash = hash", "DELETE FROM entries", "TRUNCATE entries")
GAP = "INSERT INTO entries SELECT game_id, seq + %s, public, private, hash FROM entries WHERE seq = 3 LIMIT 1"


@pytest.mark.parametrize("role", ["service", "owner"])
def test_the_database_refuses_every_change_of_the_log(role: str, game: Any, settings: Settings) -> None:
    """Missing privileges stop the service; triggers stop even the owner of the tables."""
    address = settings.database_url if role == "service" else settings.owner_database_url
    error: Callable[..., Any] = psycopg.errors.InsufficientPrivilege
    with psycopg.connect(libpq(address), autocommit=True) as connection:
        for statement in REFUSED:
            with pytest.raises(error if role == "service" else psycopg.errors.IntegrityConstraintViolation):
                connection.execute(statement)
        if role == "service":  # the service sees one app's rows at a time
            connection.execute(
                "SELECT set_config('card_referee.app', app_of_game(%s)::text, false)", (game["id"],)
            )
        for step in (1, 1000, -10, 0):
            with pytest.raises((psycopg.errors.IntegrityConstraintViolation, psycopg.errors.UniqueViolation)):
                connection.execute(GAP, (step,))
        if role == "service":
            for statement in (
                "ALTER TABLE entries DISABLE TRIGGER ALL",
                "DROP TRIGGER append_only ON entries",
                "DROP TABLE entries CASCADE",
                "SET session_replication_role = replica",
                "DELETE FROM games",
            ):
                with pytest.raises(psycopg.Error):
                    connection.execute(statement)
        count = connection.execute("SELECT count(*), max(seq) FROM entries").fetchone()
    assert count == (game["version"], game["version"])


SEATS = {"cats_and_dogs": 2, "pies": 4, "palace": 2, "bisca": 2, "truco": 4, "landlord": 4, "pedro": 4}


@pytest.mark.parametrize("ruleset", SEATS)
def test_games_from_before_an_option_verify(
    host: Caller, four: list[Caller], ruleset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = new_game(host, four[: SEATS[ruleset]], ruleset)
    finished = play_on(four, new_game(host, four[: SEATS[ruleset]], ruleset), 8)
    assert four[0].post(f"/v1/games/{finished['id']}/resignation").status_code == 201
    options = {**referee.find(ruleset).options(SEATS[ruleset]), "newer": Option(Int(0, 9), 0, "new")}
    monkeypatch.setattr(loading, "_declared", lambda rules, seats: options)
    for game in (finished, running):
        found = host.get(f"/v1/games/{game['id']}/verification").json
        assert found["ok"], [check for check in found["checks"] if not check["ok"]]
