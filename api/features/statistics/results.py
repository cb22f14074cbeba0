"""The results of players: stored as their games end, and rebuilt by the same rule from the stored games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

import referee.records
from api.context import Context
from api.core.config import Settings
from api.features import opened
from api.features.statistics import store
from api.features.statistics.store import Result
from api.games.game import FINISHED, Game
from api.games.loading import load_all
from api.store.database.session import Session

FIRST = UUID(int=0)


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


def rebuild_some(context: Context, after: UUID) -> tuple[UUID, int, int] | None:
    """Rebuild the results of the next games after a given one, in a separate transaction.

    Games that cannot be read keep theirs. Return the last of these games, their
    number, and in how many the results were different; None if there are none.
    """
    session = context.session
    with session.transaction():
        ids = store.next_games(session, after)
        if not ids:
            return None
        # Read before the games: a game that ends in between only looks as if its results were missing.
        stored = store.of_games(session, ids)
        games = [game for game in load_all(context, ids) if isinstance(game, Game)]
        made: dict[UUID, set[Result]] = {game.id: set() for game in games}
        for result in of_games(session, games):
            made[result.game_id].add(result)
        wrong = [game for game, results in made.items() if results != stored[game]]
        if wrong:
            store.forget(session, wrong)
            store.keep(session, [result for game in wrong for result in made[game]])
    return ids[-1], len(ids), len(wrong)


def rebuild(settings: Settings, report: Callable[[str], None]) -> None:
    """Rebuild them, some games at a time, while the service runs. Raises StartError."""
    after, read, wrong = FIRST, 0, 0
    with opened(settings.for_worker()) as context:
        while done := rebuild_some(context, after):
            after, read, wrong = done[0], read + done[1], wrong + done[2]
    report(f"read {read} games; what was kept of {wrong} differed, and is put right")
