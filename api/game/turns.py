"""Turns and deadlines of a game, in their forms in the database and in notices."""

from __future__ import annotations

import referee
from api.game.game import Game
from api.notify import events
from api.store.game.seating import Turn


def turns_of(game: Game) -> list[Turn]:
    """Return every seat's turn."""
    return [_turn_of(game, number) for number in range(len(game.seats))]


def _turn_of(game: Game, number: int) -> Turn:
    seat, pace = game.seats[number], game.timing
    if seat.since is None or seat.paused:  # while the clocks are stopped, no turn is due
        return Turn(number)
    warn_at = pace.warning(seat) if pace else None
    player = seat.player and seat.player.id
    plays_itself = seat.bot is not None and not leaves_to_partner(game, number)
    return Turn(number, seat.since, seat.deadline, warn_at, player, plays_itself)


def leaves_to_partner(game: Game, number: int) -> bool:
    """Return whether a bot waits because a player of its team may answer for both."""
    if game.state is None or not game.installed:  # the position was not read
        return False
    return any(game.seats[mate].player for mate in referee.asked_instead(game.state, number))


def describe_turn(game: Game, seat: int) -> events.Turn:
    """Return a seat's turn in its form in notices."""
    taken = game.seats[seat]
    player = taken.player
    return events.Turn(game.id, game.version, seat, player and player.id, taken.deadline)


def subject_of(game: Game) -> events.Subject:
    """Return what notices say about the game itself."""
    players = tuple(seat.player.id for seat in game.seats if seat.player)
    return events.Subject(
        *(game.app_id, game.id, game.ruleset, game.title, game.labels, players, game.test_clock),
        game.forked_from,
    )
