"""Commands of callers: the table decides them, a seat with a key signs them, and `act` writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import referee
import referee.proofs
import referee.records
import referee.table
from api.context import Context
from api.core.callers import Expected
from api.core.errors import BadRequest, SignatureNeeded, StaleVersion
from api.games.acting import MOVED, Act, Terms, act, maker, moved
from api.games.answers_of_logs import Moved
from api.games.game import UNSIGNED, Game, Signed
from api.games.history import at_version, recent
from api.games.refusals import OF_TABLES, error_of
from referee.table import commands

DIRECTED = Terms(moved, authorise=maker)
Given = dict[str, str] | None
"""The signature in a request, if there is one."""


class Obeyed(NamedTuple):
    """What a command has led to: its entry, and what is recent after it, if the command needed that."""

    entry: referee.records.Entry
    past: referee.table.Recent | None


def obey(
    context: Context,
    game_id: UUID,
    seat: int | None,
    command: Callable[[int], commands.Command],
    given: Given = None,
    if_match: Expected = None,
) -> Moved:
    """Obey a command of the caller's seat, with the signature that it has given.

    Raises what `act` and `obey_signed` raise.
    """

    def change(act: Act) -> None:
        obey_within(act, command(act.seat), given)

    return act(context, game_id, seat, change, replace(MOVED, if_match=if_match))


def obey_app(context: Context, game_id: UUID, command: commands.Command) -> Moved:
    """Obey a command of the game's app. Raises what `act` and `obey_signed` raise."""
    return act(context, game_id, None, lambda act: obey_within(act, command), DIRECTED)


def obey_within(act: Act, command: commands.Command, given: Given = None) -> None:
    """Obey a command, and what follows from it by itself; the answer shows the newest of that.

    Raises what `obey_signed` raises.
    """
    entry, past = obey_signed(act.context, act.game, command, act.now, given)
    at = act.game.updated_at
    back = commands.taken_back(act.game, at, past) if past is not None else None
    if back is not None:
        entry = act.game.enter(back, given=_before(act.context, act.game, back, past))
    act.entry = act.game.go_on(at) or entry


def obey_signed(
    context: Context, game: Game, command: commands.Command, at: datetime, given: Given = None
) -> Obeyed:
    """Append what a command leads to at a table, with the signature that it needs.

    Raises the error for a refusal of the table, or of the game that is played there; SignatureNeeded.
    """
    past = recent(context, game) if command.needs_past else None
    event = commands.decide(game, command, at, past)
    if isinstance(event, referee.Refusal):
        _require_signed_move(game, command, event, given)
        raise error_of(game, event)
    action = referee.proofs.signed_action(event.kind, event.members)
    signed = UNSIGNED if action is None else signature(game, action, given)
    director = game.by if command.by_director else None
    entry = game.enter(event, signed=signed, given=_before(context, game, event, past), director=director)
    if past is not None:
        past.read(game.version, entry.public, None)
    return Obeyed(entry, past)


def _require_signed_move(
    game: Game, command: commands.Command, refusal: referee.Refusal, given: Given
) -> None:
    """Raise what `signature` raises, if the rules refuse a move that the key of its seat has not signed.

    The verdict, which may depend on the hand, is for who has the key; and who signed too late learns that.
    """
    meant = command.meant(game)
    if isinstance(meant, commands.play.Move) and not refusal.rule.startswith(OF_TABLES):
        signature(game, {"type": "moved", "seat": meant.seat, "move": meant.move}, given)


def _before(
    context: Context, game: Game, event: referee.table.Event, past: referee.table.Recent | None
) -> referee.table.Given | None:
    """Return what going back to an earlier position depends on; None if nothing goes back."""
    if event.kind not in referee.records.GOING_BACK or past is None:
        return None
    of = event.members["of"]
    before = at_version(context, game, of - 1)
    return referee.table.Given(referee.table.Earlier(before.position, before.drawn), past.returned(of))


def signature(game: Game, action: Mapping[str, object], signed: Given) -> Signed:
    """Return the members for the signature in an action's entry; empty if its seat has no key.

    `signed` is the signature in the request. A signed action is the player's own, whoever has sent the
    request. Raises SignatureNeeded, BadRequest; StaleVersion if something has happened that the signer has
    not seen.
    """
    seat = action["seat"]
    assert isinstance(seat, int)
    key = game.seats[seat].public_key
    if key is None:
        if signed is not None:
            raise BadRequest({"signed": [f"Seat {seat} has no public key."]})
        return UNSIGNED
    if signed is None:
        raise SignatureNeeded(f"Seat {seat} has a public key, and this is not signed.")
    if signed["previous"] != game.head.hex():
        raise StaleVersion(game.version)
    if not referee.proofs.fits(
        key, signed["signature"], referee.commitment(game.seed), signed["previous"], action
    ):
        raise SignatureNeeded(f"The signature does not match this action and the key of seat {seat}.")
    return {"by": "player", "signature": signed["signature"]}
