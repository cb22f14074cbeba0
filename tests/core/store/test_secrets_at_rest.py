"""A leaked backup shows no hand, seed or secret, and values that were moved in it are detected."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import product
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from psycopg.types.string import TextLoader

from api.app import create_app
from api.core.config import Settings, StartError
from api.run import encryption_keys, migrate, resealing
from api.store.database.encryption import PACKED, unpack
from tests.support.callers import Caller, first_move, new_game
from tests.support.stored import stored_game

pytestmark = pytest.mark.usefixtures("no_pause")

LOGGED = ("game_id", "seq", "public", "hash", "app_id", "tick", "request", "fingerprint")
OTHER_KEY = base64.b64encode(b"another key of thirty-two bytes!").decode()


def dump(sql: psycopg.Connection) -> bytes:
    """Return every value of every table; bytes as they are, and in every form in which text shows them."""
    sql.adapters.register_loader("timestamptz", TextLoader)  # Python's datetime has no infinity
    tables = [row[0] for row in sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    parts: list[bytes] = []
    for table in tables:
        for row in sql.execute(f"SELECT * FROM {table}"):
            for value in row:
                if isinstance(value, bytes):
                    parts += [value, value.hex().encode(), base64.b64encode(value)]
                    with contextlib.suppress(ValueError):  # a hash may happen to begin like a packed position
                        parts += [unpack(value).encode()] if value[:1] == PACKED else []
                else:
                    parts.append(str(value).encode())
    return b"\n".join(parts)


def secrets_of(settings: Settings, game: str) -> list[bytes]:
    seed = stored_game(settings, UUID(game)).seed
    return [seed, seed.hex().encode(), base64.b64encode(seed)]


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.fixture
def played(host: Caller, four: list[Caller]) -> tuple[dict[str, Any], list[list[bytes]]]:
    """Return a running game with hidden cards in every possible place, and all hands, then and now."""
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    hands = [_hand(player, path) for player in four[:3]]
    mover = four[game["to_act"][0]]
    move = first_move(mover, game)
    done = mover.post(f"{path}/moves", {"move": move}, headers={"Idempotency-Key": "once"})
    assert done.status_code == 201
    waiting = next(player for seat, player in enumerate(four[:3]) if seat not in done.json["game"]["to_act"])
    seat = four.index(waiting)
    card = waiting.get(path).json["view"]["zones"][f"hand.{seat}"][0]
    order = {"type": "play", "card": card}
    left = waiting.put(f"{path}/orders", {"seat": seat, "orders": [{"move": order}]})
    assert left.status_code == 200, left.text
    hands += [_hand(player, path) for player in four[:3]]
    return game, [*hands, [compact(order), compact(dict(reversed(order.items())))]]


def _hand(player: Caller, path: str) -> list[bytes]:
    """Return every form in which a hand could be written."""
    view = player.get(path).json
    hand = view["view"]["zones"][f"hand.{view['viewer']['seats'][0]}"]
    assert len(hand) > 2
    return [compact(hand), compact(hand[:3])[:-1], json.dumps(hand).encode()]


def test_a_backup_shows_no_hand_no_seed_and_no_secret(
    settings: Settings, sql: psycopg.Connection, host: Caller, played: Any
) -> None:
    game, hands = played
    webhook = host.post("/v1/webhooks", {"url": "https://example.org/"}).json
    replaced = host.post(f"/v1/webhooks/{webhook['id']}/secret").json
    backup = dump(sql)
    for hand in hands:
        assert not [form for form in hand if form in backup]
    for seed in secrets_of(settings, game["id"]):
        assert seed not in backup
    for secret in (webhook["secret"], replaced["secret"], host.token):
        assert secret.encode() not in backup
        assert secret.partition("_")[2].encode() not in backup


def test_the_fingerprint_of_a_request_does_not_reveal_a_move(
    sql: psycopg.Connection, host: Caller, four: list[Caller]
) -> None:
    """A secret move is one of a few dozen: the owner of the backup could try them all."""
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}/moves", four[game["to_act"][0]]
    body = {"move": first_move(mover, game)}
    assert mover.post(path, body, headers={"Idempotency-Key": "once"}).status_code == 201
    content = json.dumps(["POST", f"{path}?", body, mover.player], sort_keys=True, separators=(",", ":"))
    assert sql.execute("SELECT fingerprint FROM idempotency").fetchall() != [
        (sha256(content.encode()).digest(),)
    ]


def test_every_sealed_column_is_sealed(sql: psycopg.Connection, host: Caller, played: Any) -> None:
    """This includes columns for which no test knows a text to look for."""
    host.post("/v1/webhooks", {"url": "https://example.org/"}, headers={"Idempotency-Key": "whole"})
    app = host.app
    site = app.extensions["card_referee"]
    mailing = replace(site.settings, mail_from="a@example.org", guests=True)
    app.extensions["card_referee"] = replace(site, settings=mailing)
    assert Caller(app).post("/v1/sign-ins", {"address": "anna@example.org"}).status_code == 202
    anna = host.post("/v1/players", {"name": "Anna"}).json["id"]
    put = host.put("/v1/me/email", {"address": "anna@example.org"}, headers={"Card-Referee-Player": anna})
    assert put.status_code == 200
    for part in resealing.sealed_parts():
        sealed = part.sealed
        for column in sealed.columns:
            values = sql.execute(f"SELECT {column} FROM {part.table}").fetchall()
            found = [bytes(value) for (value,) in values if value]  # kept responses may be empty
            assert found or column in ("cancelled", "secret_before", "state", "subscription")
            assert all(value[:1] == b"\x01" for value in found), (part.table, column)


def test_values_cannot_be_moved(
    settings: Settings, sql: psycopg.Connection, host: Caller, auditor: Caller, four: list[Caller]
) -> None:
    """A hand of another game, or of an earlier version, cannot be decrypted in another place."""
    games = [new_game(host, four[:3]) for _ in range(2)]
    before = sql.execute("SELECT position FROM games WHERE id = %s", (games[0]["id"],)).fetchone()
    mover = four[games[0]["to_act"][0]]
    moved = mover.post(f"/v1/games/{games[0]['id']}/moves", {"move": first_move(mover, games[0])})
    assert moved.status_code == 201
    for taken in (
        before,
        sql.execute("SELECT position FROM games WHERE id = %s", (games[1]["id"],)).fetchone(),
    ):
        sql.execute("UPDATE games SET position = %s WHERE id = %s", (*taken, games[0]["id"]))
        checks = auditor.get(f"/v1/games/{games[0]['id']}/verification").json["checks"]
        assert [check["name"] for check in checks if not check["ok"]] == ["position"]


def make_plain(settings: Settings, sql: psycopg.Connection) -> None:
    """Turn a database into one of a release that did not encrypt."""
    sql.execute("SET card_referee.resealing = 'on'")
    from api.store.database.encryption import Cipher

    cipher = Cipher(settings.encryption_secrets())
    for part in resealing.sealed_parts():
        sealed = part.sealed
        names = (*part.key, *sealed.more, *sealed.columns)
        for values in sql.execute(f"SELECT {', '.join(names)} FROM {part.table}").fetchall():
            named = values[: len(part.key) + len(sealed.more)]
            row, place = sealed.row(*named), sealed.place(*named)
            plain = [v and cipher.open(v, row, place) for v in values[len(named) :]]
            sets = ", ".join(f"{name} = %s" for name in sealed.columns)
            where = " AND ".join(f"{name} = %s" for name in part.key)
            sql.execute(
                f"UPDATE {part.table} SET {sets} WHERE {where}",
                (*plain, *values[: len(part.key)]),
            )
    sql.execute("DELETE FROM encryption")


def test_migrate_encrypts_plain_values_and_games_continue(
    settings: Settings,
    sql: psycopg.Connection,
    host: Caller,
    auditor: Caller,
    four: list[Caller],
    played: Any,
) -> None:
    game, hands = played
    path = f"/v1/games/{game['id']}"
    before = [player.get(path).json for player in four[:3]]
    make_plain(settings, sql)
    plain = dump(sql)
    for hand in hands[3:]:  # the current values
        assert [form for form in hand if form in plain], "the test would find a plain value"
    assert [player.get(path).json for player in four[:3]] == before, "plain rows can still be read"
    migrate.upgrade(settings)
    assert not [form for hand in hands for form in hand if form in dump(sql)]
    assert [player.get(path).json for player in four[:3]] == before
    assert auditor.get(f"{path}/verification").json["ok"]


def test_keys_are_rotated(
    settings: Settings, sql: psycopg.Connection, app: Flask, auditor: Caller, four: list[Caller], played: Any
) -> None:
    game, _ = played
    path = f"/v1/games/{game['id']}"
    before = [player.get(path).json for player in four[:3]]
    both = replace(settings, encryption_keys=(OTHER_KEY, *settings.encryption_keys))
    assert encryption_keys.rotate(both) > 4
    assert encryption_keys.rotate(both) == 0
    new = replace(settings, encryption_keys=(OTHER_KEY,))
    rotated = create_app(new, clock=app.extensions["card_referee"].clock)
    try:
        assert [Caller(rotated, p.token).get(path).json for p in four[:3]] == before
        assert Caller(rotated, auditor.token).get(f"{path}/verification").json["ok"]
    finally:
        rotated.extensions["card_referee"].database.close()
    with pytest.raises(StartError, match="encrypted with a key"):
        migrate.upgrade(settings)
    with pytest.raises(StartError, match="encrypted with a key"):
        migrate.upgrade(replace(settings, encryption_keys=()))


def test_the_log_stays_append_only_while_it_is_resealed(
    sql: psycopg.Connection, played: Callable[..., Any]
) -> None:
    for setting in ("off", "on"):
        sql.execute(f"SET card_referee.resealing = '{setting}'")
        for part, column in product(("entries", "entries_rest"), LOGGED):
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
                sql.execute(f"UPDATE {part} SET {column} = {column}")
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
            sql.execute("DELETE FROM entries")
    sql.execute("SET card_referee.resealing = 'off'")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        sql.execute("UPDATE entries SET private = NULL")
