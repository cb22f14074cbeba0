"""Take-backs: requested by the seat that moved, agreed to by all, and impossible after anything was revealed.

Requests, answers and take-backs are entries of their own. Nothing is deleted.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import Conflict
from api.core.json import loads
from api.game.game import Game
from api.game.history import at_version, log_number, shares
from api.play.acting import Act, act
from api.play.automatic.plans import Plan
from api.play.signing import Given, signature
from api.store.game import log, orders


def ask(context: Context, game_id: UUID, seat: int | None, signed: Given) -> Any:
    """Ask to take back the seat's last move. Raises Conflict if there is none, or it cannot be taken back."""

    def change(act: Act) -> None:
        consent, played, increments = _read(context, act.game)
        mine = [seq for seq, mover in consent.moves if mover == act.seat]
        if not mine:
            raise Conflict(f"Seat {act.seat} has made no move.")
        _require_possible(context, act.game, mine[-1], consent, played)
        _write(act, "take_back_requested", mine[-1], signed)
        _conclude(act, mine[-1], act.seat, {act.seat}, increments)

    return act(context, game_id, seat, change)


def answer(context: Context, game_id: UUID, seat: int | None, agree: bool, signed: Given) -> Any:
    """Answer the current request; when all seats have agreed, the game is as it was before that move."""

    def change(act: Act) -> None:
        consent, played, increments = _read(context, act.game)
        asked = consent.request
        if asked is None:
            raise Conflict("Nobody has asked to take back a move.")
        _require_possible(context, act.game, asked.of, consent, played)
        _write(act, "take_back_agreed" if agree else "take_back_refused", asked.of, signed)
        if agree:
            _conclude(act, asked.of, asked.seat, {*asked.agreed, act.seat}, increments)

    return act(context, game_id, seat, change)


def undo_timeout(context: Context, game: Game, at: datetime) -> referee.Entry:
    """Undo the time-out for which a locked game's last move was made. Raises Conflict if it cannot be."""
    consent, played, increments = _read(context, game)
    if not any(of in consent.forced for of, _ in consent.moves):
        raise Conflict("No move was made for a seat whose time was over.")
    if not referee.rules_of(log_number(context, game)).undoes_timeouts:
        raise Conflict("The log of the game is of a number in which time-outs cannot be undone.")
    of, seat = consent.moves[-1]
    if of not in consent.forced:
        raise Conflict(f"Seat {seat} has acted since the time-out.")
    _require_unseen(context, game, of, played)
    past = at_version(context, game, of - 1)
    given = referee.Given(game.delay, referee.Earlier(past.state, past.drawn), increments.since(of))
    return game.append("timeout_undone", at, {"of": of, "undone": consent.forced[of]}, given=given)


def _write(act: Act, kind: str, of: int, given: Given) -> None:
    signed = signature(act.game, act.seat, given, kind)
    act.entry = act.game.append(kind, act.now, {**act.game.who(act.seat), "of": of}, signed=signed)


def _read(
    context: Context, game: Game
) -> tuple[referee.Consent, list[referee.PlayedMove], referee.Increments]:
    """Return who has asked for what, the moves that have not been taken back, and what they earned.

    Logs before number 8 return no increments.
    """
    saved = game.version - len(game.entries)
    context.require_short(saved)
    consent = referee.Consent()
    played: dict[int, referee.PlayedMove] = {}
    increments, returns = referee.Increments(), game.pace is not None
    for entry in log.all_entries(context.session, game.id, saved):
        public = referee.upcast(loads(entry.public))
        consent.read(entry.seq, public)
        if public["type"] == "created":
            returns = returns and referee.rules_of(public.get("log", 1)).returns_increments
        if returns:
            increments.read(entry.seq, public)
        if public["type"] == "moved":
            played[entry.seq] = referee.PlayedMove(
                entry.seq, public["seat"], referee.full_move(public, shares(entry))
            )
    return consent, [played[seq] for seq, _ in consent.moves], increments


def _require_possible(
    context: Context, game: Game, of: int, consent: referee.Consent, moves: list[referee.PlayedMove]
) -> None:
    """Raise Conflict if, since the move, time has run out, chance was drawn or a hidden card was shown."""
    if of < consent.barrier:
        raise Conflict("A seat has run out of time since then.")
    _require_unseen(context, game, of, moves)


def _require_unseen(context: Context, game: Game, of: int, moves: list[referee.PlayedMove]) -> None:
    """Raise Conflict if, since the move, chance was drawn or a hidden card was shown."""
    past = at_version(context, game, of - 1)
    chance = referee.Seeded(past.key, past.drawn)
    for move in moves:
        if move.seq >= of:
            why = referee.reveals(past.state, move.seat, move.move, chance)
            if why is not None:
                raise Conflict(f"The move cannot be taken back: {why} since.")


def _conclude(act: Act, of: int, asker: int, agreed: set[int], increments: referee.Increments) -> None:
    """Take the move back if every seat that a player holds has agreed."""
    everyone = {number for number, seat in enumerate(act.game.seats) if seat.player}
    if everyone <= agreed:
        past = at_version(act.context, act.game, of - 1)
        game = act.game
        given = referee.Given(game.delay, referee.Earlier(past.state, past.drawn), increments.since(of))
        act.entry = game.append("taken_back", act.now, {**game.who(asker), "of": of}, given=given)
        for seat in everyone:
            _restore_orders(act, seat, of, hold=seat == asker)


def _restore_orders(act: Act, seat: int, of: int, *, hold: bool) -> None:
    """Restore the orders of a seat that were played from entry `of` on.

    With `hold`, its plan rests until it has moved: otherwise the same move would be made again at once.
    """
    row = orders.get(act.context.session, act.game.id, seat)
    if row is None:
        return
    before = Plan.of(row.moves)
    plan = before.taken_back(of)
    if hold and plan.left:
        plan = plan._replace(held=act.game.version)
    if plan != before:
        changed = row._replace(moves=plan.stored(), remaining=plan.left)
        act.game.later.append(partial(orders.put, act.context.session, act.game.id, seat, changed))
        act.game.change(seat, orders=plan.left, orders_checked_at=None)
