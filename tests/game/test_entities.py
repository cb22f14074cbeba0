"""Games without a database: seats, clocks and endings follow from what a game is given."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

import referee
import referee.positions
import referee.table
from api.core.callers import APP, PLAYER, Caller
from api.core.errors import BadRequest, Forbidden, NotFound, StaleVersion
from api.games.game import FIRST_HASH, OPEN, RUNNING, Game, require_version
from api.games.loading import turns_of
from api.games.saving import Changed, is_alone
from api.games.seat import Seat
from api.games.views import acting_seat, visibility_of
from referee.table import commands

APP_ID = UUID(int=1)
AT = datetime(2026, 3, 2, 20, 0, tzinfo=UTC)
PLAYERS = [UUID(int=n) for n in (11, 12)]


def new_game(**more: Any) -> Game:
    rules = referee.find("bisca")
    given: dict[str, Any] = {
        "id": UUID(int=2),
        "app_id": APP_ID,
        "ruleset": rules.ID,
        "ruleset_version": rules.VERSION,
        "options": referee.positions.read_options(rules, 2, {})[1],
        "visibility": "private",
        "pace": None,
        "status": OPEN,
        "version": 0,
        "seats": [Seat()] * len(PLAYERS),
        "seed": bytes(32),
        "head": FIRST_HASH,
        "drawn": 0,
        "state": None,
        "result": None,
        "created_at": AT,
        "updated_at": AT,
    }
    game = Game(**(given | more))
    game.turns = turns_of(game)
    return game


def started(**more: Any) -> Game:
    game = new_game(**more)
    game.obey(commands.play.Create(game.visibility), AT)
    for seat, player in enumerate(PLAYERS):
        who = referee.table.Who(referee.table.PlayerName(str(player), player.hex))
        game.obey(commands.seats.Sit(seat, who), AT)
    game.go_on(AT)
    assert game.status == RUNNING
    return game


def first_move(game: Game) -> tuple[int, dict[str, Any]]:
    seat = game.to_act[0]
    return seat, next(iter(referee.legal_moves(game.state, seat)))


def test_a_game_deals_and_moves() -> None:
    game = started()
    assert [entry.public["type"] for entry in game.entries] == ["created", "joined", "joined", "started"]
    seat, move = first_move(game)
    game.play(AT, seat, move)
    entry = game.entries[-1]
    assert (entry.public["seat"], entry.public["seq"], game.head) == (seat, 5, entry.hash)


def test_only_the_holder_of_a_seat_acts_for_it() -> None:
    game = started()
    first = visibility_of(Caller(PLAYER, APP_ID, PLAYERS[0]), game)
    assert (first.seats, acting_seat(game, first, None)) == ((0,), 0)
    with pytest.raises(Forbidden):
        acting_seat(game, first, 1)
    with pytest.raises(NotFound):
        visibility_of(Caller(PLAYER, APP_ID, UUID(int=13)), game)
    maker = visibility_of(Caller(APP, APP_ID, scopes=frozenset({"write"})), game)
    assert acting_seat(game, maker, 1) == 1
    with pytest.raises(BadRequest):
        acting_seat(game, maker, None)


def test_an_expected_version_is_a_number_or_a_hash() -> None:
    game = started()
    require_version(game, frozenset({game.version}))
    require_version(game, frozenset({game.head.hex()}))
    with pytest.raises(StaleVersion):
        require_version(game, frozenset({game.version - 1}))


def test_only_a_change_of_the_game_alone_is_written_without_its_lock() -> None:
    game = started()
    Changed.of(game).saved()
    seat, move = first_move(game)
    game.play(AT, seat, move)
    assert is_alone(game)
    game.obey(commands.play.Resign(0), AT)
    game.go_on(AT)
    assert not is_alone(game), "it is over: seats, orders and results are written too"
