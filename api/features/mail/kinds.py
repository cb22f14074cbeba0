"""The events of which players may get notices: what is said of each, and what each one means for a player."""

from __future__ import annotations

from functools import cache

from api.feature import Wording
from api.features import load_features
from api.features.mail.phrases import mark
from api.features.notices import events as n

TO_SEAT = {
    n.GAME_INVITED: Wording(mark("You are invited to {game}."), mark("You are invited to a game")),
    n.REVEAL_DUE: Wording(
        mark("{game} can be dealt once you have revealed your entropy{until}."),
        mark("You have to reveal your entropy"),
    ),
    n.TURN_BEGAN: Wording(mark("It is your turn in {game}{until}."), mark("It is your turn"), decides=True),
    n.TURN_WARNING: Wording(
        mark("Your time in {game} is nearly over{until}."), mark("Your time is nearly over")
    ),
    n.GAME_NUDGED: Wording(mark("You are asked to move in {game}."), mark("Somebody asks you to move")),
    n.GAME_TIMED_OUT: Wording(
        mark("You ran out of time in {game}."), mark("You ran out of time"), decides=True
    ),
}
"""Notices to the player whom they are about."""
TO_TABLE = {
    n.GAME_STARTED: Wording(mark("{game} has begun."), mark("A game has begun")),
    n.GAME_FINISHED: Wording(mark("{game} is over{result}."), mark("A game is over"), decides=True),
    n.GAME_CANCELLED: Wording(mark("{game} was called off."), mark("A game was called off"), decides=True),
    n.GAME_RESIGNED: Wording(mark("{who} has resigned in {game}."), mark("Somebody has resigned")),
    n.GAME_TAKE_BACK_REQUESTED: Wording(
        mark("{who} asks to take a move back in {game}."), mark("Somebody asks to take a move back")
    ),
    n.GAME_REPLACEMENT_AGREED: Wording(
        mark("{who} has agreed that somebody else take over a seat in {game}."),
        mark("Somebody agrees to a replacement"),
        decides=True,
    ),
    n.GAME_REPLACED: Wording(
        mark("{who} has taken over a seat in {game}."), mark("A seat was taken over"), decides=True
    ),
    n.GAME_ENDING_AGREED: Wording(
        mark("{who} offers a draw in {game}."), mark("Somebody would like to cancel a game, or a draw")
    ),
    n.GAME_PAUSE_AGREED: Wording(
        mark("{who} would like a pause in {game}."), mark("Somebody would like a pause")
    ),
    n.GAME_PAUSED: Wording(mark("{game} is paused."), mark("A game is paused")),
    n.GAME_RESUMED: Wording(mark("The pause in {game} is over."), mark("A pause is over")),
    n.GAME_VACATION_TAKEN: Wording(
        mark("{who} has gone on vacation in {game}."), mark("Somebody has gone on vacation")
    ),
    n.DEADLINE_MOVED: Wording(
        mark("{who} now has more time in {game}{until}."), mark("A deadline was moved")
    ),
    n.GAME_SAID: Wording(mark("There is a new message in {game}."), mark("There is a new message")),
}
"""Notices to all others at the table."""
CONFIRMATION = "email.confirmation"
URGENT = (n.REVEAL_DUE, n.TURN_WARNING, n.GAME_NUDGED)  # events that are useless later
OF_TURNS = (n.TURN_BEGAN, n.TURN_WARNING, n.GAME_NUDGED)  # events that are useless after the turn
ABOUT_YOU = {
    n.DEADLINE_MOVED: mark("You now have more time in {game}{until}."),
    n.GAME_RESIGNED: mark("You have resigned in {game}."),
    n.GAME_REPLACED: mark("You have taken over a seat in {game}."),
    n.GAME_VACATION_TAKEN: mark("You have gone on vacation in {game}."),
}
"""What to say instead if it is the player who did it, or to whom it happened."""
YOUR_SEAT = {
    n.GAME_REPLACED: mark("{who} has taken over your seat in {game}."),
    n.GAME_REPLACEMENT_AGREED: mark("{who} has agreed that somebody else take over your seat in {game}."),
}
"""What to say instead of a seat that is the player's, or was."""
OF_WHOM = {
    TO_TABLE[n.GAME_REPLACED].said: mark("{who} has taken over the seat of {before} in {game}."),
    ABOUT_YOU[n.GAME_REPLACED]: mark("You have taken over the seat of {before} in {game}."),
}
"""What to say of a seat if it is known who had it."""


@cache
def told() -> dict[str, Wording]:
    """Return the notices of features to the player whom they are about."""
    return {event.name: event.told for event in load_features().events if event.told}


@cache
def to_seat() -> dict[str, Wording]:
    """Return all notices to the player whom they are about."""
    return TO_SEAT | told()


@cache
def kinds() -> dict[str, Wording]:
    """Return all notices to players."""
    return to_seat() | TO_TABLE


@cache
def usual() -> tuple[str, ...]:
    """Return the events that players get who have not chosen."""
    return tuple(event for event in kinds() if event not in (n.GAME_SAID, n.GAME_VACATION_TAKEN))
