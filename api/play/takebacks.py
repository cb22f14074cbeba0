"""Take-backs: asked for by the seat that moved, agreed to by all, and refused where anything was shown.

Asking and answering are table talk with a mark; the taking back is an entry of its own. Nothing is deleted.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

import referee
from api.core.context import Context
from api.core.errors import Conflict
from api.core.json import loads
from api.game.game import Game
from api.game.history import Made, at_version, full_move, shares
from api.play.acting import Act, acting
from api.play.automatic.standing_orders import FLAG
from api.store import log, orders

HARMLESS = ("said", "moved", "joined", "left")


class Asked(NamedTuple):
    """A request under way: which entry's move, by which seat, and who has agreed."""

    of: int
    seat: int
    agreed: set[int]


class Story(NamedTuple):
    """Of a log: the moves that stand, the seq of the last event that ends requests, a request."""

    moves: list[Made]
    barrier: int
    asked: Asked | None


def ask(context: Context, game_id: UUID, seat: int | None) -> Any:
    """Ask to take back the seat's last move. Raises Conflict where there is none that could be."""
    with acting(context, game_id, seat) as act:
        story = _read(context, act.game)
        mine = [made for made in story.moves if made.seat == act.seat]
        if not mine:
            raise Conflict(f"Seat {act.seat} has made no move.")
        of = mine[-1].seq
        _require_possible(context, act.game, story, of)
        _say(act, "I would like to take back my last move.", {"of": of, "asks": True})
        _conclude(act, Asked(of, act.seat, {act.seat}))
    return act.answer


def answer(context: Context, game_id: UUID, seat: int | None, agree: bool) -> Any:
    """Answer the request under way; once all seats agree, the game is as it was before that move."""
    with acting(context, game_id, seat) as act:
        story = _read(context, act.game)
        asked = story.asked
        if asked is None:
            raise Conflict("Nobody asks to take back a move.")
        _require_possible(context, act.game, story, asked.of)
        _say(act, "Take it back, then." if agree else "The move stands.", {"of": asked.of, "agrees": agree})
        if agree:
            asked.agreed.add(act.seat)
            _conclude(act, asked)
    return act.answer


def _say(act: Act, text: str, mark: dict[str, Any]) -> None:
    who = act.game.who(act.seat)
    act.entry = act.game.write("said", act.context.now(), {**who, "text": text, "take_back": mark})


def _read(context: Context, game: Game) -> Story:
    context.require_short(game.version)
    moves: list[Made] = []
    barrier, asked = 0, None
    for entry in log.all_entries(context.session, game.id, game.version):
        public = loads(entry.public)
        kind, mark = public["type"], public.get("take_back")
        if kind != "said":
            asked = None  # whatever happens at the table, a request does not outlive it
        if kind == "moved":
            moves.append(Made(entry.seq, public["seat"], full_move(public, shares(entry))))
        elif kind == "taken_back":
            moves = [made for made in moves if made.seq < public["of"]]
        elif kind not in HARMLESS:
            barrier = entry.seq
        elif mark and mark.get("asks"):
            asked = Asked(mark["of"], public["seat"], {public["seat"]})
        elif mark and asked is not None:
            asked.agreed.add(public["seat"])
            asked = asked if mark["agrees"] else None
    return Story(moves, barrier, asked)


def _require_possible(context: Context, game: Game, story: Story, of: int) -> None:
    """Raise Conflict where time has run out since, chance was drawn or a hidden card shown."""
    if of < story.barrier:
        raise Conflict("A seat has run out of time since.")
    past = at_version(context, game, of - 1)
    entropy = [seat["entropy"] for seat in past.seats]
    chance = referee.Seeded.from_seed(game.seed, entropy, past.drawn)
    for made in story.moves:
        if made.seq >= of:
            why = referee.reveals(past.state, made.seat, made.move, chance)
            if why is not None:
                raise Conflict(f"The move cannot be taken back: {why} since.")


def _conclude(act: Act, asked: Asked) -> None:
    """Take the move back as soon as every seat that a player holds has agreed."""
    everyone = {number for number, seat in enumerate(act.game.seats) if seat["player"]}
    if everyone <= asked.agreed:
        past = at_version(act.context, act.game, asked.of - 1)
        if act.game.seats[asked.seat].pop(FLAG, None):  # or the next of them would be played at once
            orders.delete(act.context.session, act.game.id, asked.seat)
        act.entry = act.game.take_back(act.context.now(), asked.seat, asked.of, past)
