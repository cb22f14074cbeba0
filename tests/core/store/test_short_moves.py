"""A move writes little, and no entry exists without a game."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

import referee
from api.core.config import Settings
from api.core.json import stored
from api.store.database import encryption
from api.store.database.encryption import Cipher, private_place
from tests.support.callers import Caller, first_move, new_game

ROW = "SELECT seats, sitting FROM games WHERE id = %s"
LOG = "INSERT INTO entries (game_id, seq, public, hash) VALUES (%s, %s, '{}', '')"


def test_a_move_does_not_write_who_sits_where(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    before = sql.execute(ROW, (game["id"],)).fetchone()
    mover = four[game["to_act"][0]]
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    assert done.status_code == 201
    after = sql.execute(ROW, (game["id"],)).fetchone()
    assert before is not None
    assert after is not None
    assert after[1] == before[1]
    assert after[0] != before[0], "it is another seat's turn"
    for player in four[:3]:
        assert player.player in after[1]
        assert player.player not in after[0]


def test_a_move_passes_one_row_from_turn_to_turn(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    seats = "SELECT seat, xmin FROM game_seats WHERE game_id = %s ORDER BY seat"
    before = sql.execute(seats, (game["id"],)).fetchall()
    for _ in range(4):
        mover = four[game["to_act"][0]]
        done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
        game = done.json["game"]
        turns = sql.execute("SELECT seat, player_id::text, automatic FROM turns").fetchall()
        assert turns == [(seat, four[seat].player, False) for seat in game["to_act"]]
    assert sql.execute(seats, (game["id"],)).fetchall() == before, "no move writes who sits where"
    host.post(f"/v1/games/{game['id']}/cancellation", {})
    assert sql.execute("SELECT count(*) FROM turns").fetchone() == (0,)


def test_entries_need_a_game_and_games_keep_their_entries(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    with pytest.raises(psycopg.errors.IntegrityError):
        sql.execute(LOG, (uuid4(), 1))
    with pytest.raises(psycopg.errors.IntegrityError):
        sql.execute(LOG, (uuid4(), 2))
    for table in ("game_seats", "turns", "player_games", "tree_queue"):
        sql.execute(f"DELETE FROM {table} WHERE game_id = %s", (game["id"],))
    with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
        sql.execute("DELETE FROM games WHERE id = %s", (game["id"],))


def test_private_parts_of_entries_are_packed_and_older_ones_are_read(
    settings: Settings, auditor: Caller, host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    path = f"/v1/games/{new_game(host, four[:3])['id']}"
    before = auditor.get(f"{path}/record").json
    (shared,) = [entry for entry in before["entries"] if "private" in entry]
    text, cipher = stored(shared["private"]), Cipher(settings.encryption_secrets())
    rows = sql.execute("SELECT game_id, seq, private FROM entries WHERE private IS NOT NULL").fetchall()
    ((game, seq, private),) = rows
    assert len(private) < len(text) / 3
    sql.execute("SET card_referee.resealing = 'on'")
    old = cipher.seal_text(text, game.bytes, private_place(seq))
    sql.execute("UPDATE entries SET private = %s WHERE seq = %s", (old, seq))
    assert auditor.get(f"{path}/record").json == before
    assert host.get(f"{path}/verification").json["ok"]


@pytest.mark.parametrize("ruleset", [rules.ID for rules in referee.newest()])
def test_positions_are_packed(ruleset: str) -> None:
    seats = min(next(rules.SEATS for rules in referee.newest() if ruleset == rules.ID))
    state, _ = referee.deal(ruleset, seats, {}, referee.Seeded.from_seed(b"x" * 32, [""] * seats, 0))
    text = stored(referee.dump(state))
    packed = encryption.pack(text)
    assert encryption.unpack(packed) == text
    assert encryption.unpack(text.encode()) == text, "as it was stored before"
    assert len(packed) < len(text) / 2
    with pytest.raises(ValueError, match="unpacked"):
        encryption.unpack(packed[:1] + b"?" + packed[2:])
