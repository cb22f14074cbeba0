"""The results of players: stored as their games end."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import referee.records
from api.context import Context
from api.features.statistics import store
from api.features.statistics.store import Result
from api.games.game import FINISHED, Game
from api.store.database.session import Session


def keep(context: Context, games: Sequence[Game]) -> None:
    """Store the results of the games that have just ended, in the transaction that ends them."""
    over = [
        game for game in games if {entry.public["type"] for entry in game.entries} & {*referee.records.LAST}
    ]
    store.keep(context.session, of_games(context.session, over))


def of_games(session: Session, games: Sequence[Game]) -> list[Result]:
    """Return the results of the players of games that count: dealt here, in real time, and finished."""
    counted = [
        game for game in games if game.status == FINISHED and not (game.imported_by or game.test_clock)
    ]
    late = store.timeouts(session, [game.id for game in counted if game.pace])
    return [each for game in counted for each in _of_game(game, late.get(game.id, {}))]


def _of_game(game: Game, late: dict[str, int]) -> list[Result]:
    players = {seat.player.id for seat in game.seats if seat.player}
    return [_result(game, player, late.get(player, 0)) for player in sorted({*players, *late})]


def _result(game: Game, player: str, timeouts: int) -> Result:
    assert game.result is not None
    seats = [n for n, seat in enumerate(game.seats) if seat.player and seat.player.id == player]
    won = not {*game.result["winners"]}.isdisjoint(seats)
    points = sum(game.position.scores[n] for n in seats)
    return Result(game.id, UUID(player), game.app_id, game.ruleset, len(seats), won, points, timeouts)
