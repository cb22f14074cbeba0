"""A game and its turns in their forms in notices."""

from __future__ import annotations

from api.game import events
from api.game.game import Game


def describe_turn(game: Game, seat: int) -> events.TurnNotice:
    """Return a seat's turn in its form in notices."""
    taken = game.seats[seat]
    player = taken.player
    return events.TurnNotice(game.id, game.version, seat, player and player.id, taken.deadline)


def subject_of(game: Game) -> events.Subject:
    """Return what notices say about the game itself."""
    players = tuple(seat.player.id for seat in game.seats if seat.player)
    return events.Subject(
        *(game.app_id, game.id, game.ruleset, game.title, game.labels, players, game.test_clock),
        game.forked_from,
    )
