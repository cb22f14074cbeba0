"""Take-backs: asked for by the seat that moved, agreed to by all, and refused where anything was shown.

Asking and answering are table talk with a mark; the taking back is an entry of its own. Nothing is deleted.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

import referee
from api.services import bots, deadlines
from api.services.access import Sight, acting_seat, sight
from api.services.context import Context
from api.services.errors import Conflict
from api.services.history import Made, at_version, full_move, shares
from api.services.moves import require_running
from api.services.showing import show_entry, show_game
from api.services.table import Table, load, save
from api.services.texts import loads
from api.store import log

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


@deadlines.punctual
def ask(context: Context, game_id: UUID, seat: int | None) -> dict[str, Any]:
    """Ask to take back the seat's last move. Raises Conflict where there is none that could be."""
    with context.session.transaction():
        table, seen, seat = _open(context, game_id, seat)
        story = _read(context, table)
        mine = [made for made in story.moves if made.seat == seat]
        if not mine:
            raise Conflict(f"Seat {seat} has made no move.")
        of = mine[-1].seq
        _require_possible(context, table, story, of)
        text = "I would like to take back my last move."
        mark = {"take_back": {"of": of, "asks": True}}
        entry = table.write("said", context.now(), {**table.who(seat), "text": text, **mark})
        return _conclude(context, table, seen, entry, Asked(of, seat, {seat}))


@deadlines.punctual
def answer(context: Context, game_id: UUID, seat: int | None, agree: bool) -> dict[str, Any]:
    """Answer the request under way; once all seats agree, the game is as it was before that move."""
    with context.session.transaction():
        table, seen, seat = _open(context, game_id, seat)
        story = _read(context, table)
        asked = story.asked
        if asked is None:
            raise Conflict("Nobody asks to take back a move.")
        _require_possible(context, table, story, asked.of)
        text = "Take it back, then." if agree else "The move stands."
        mark = {"take_back": {"of": asked.of, "agrees": agree}}
        entry = table.write("said", context.now(), {**table.who(seat), "text": text, **mark})
        if agree:
            asked.agreed.add(seat)
            return _conclude(context, table, seen, entry, asked)
        save(context, table)
        return _show(table, seen, entry)


def _open(context: Context, game_id: UUID, seat: int | None) -> tuple[Table, Sight, int]:
    table = load(context, game_id, lock=True)
    seen = sight(context.caller, table)
    seat = acting_seat(context.caller, table, seen, seat)
    deadlines.require_in_time(context, table)
    require_running(table)
    return table, seen, seat


def _read(context: Context, table: Table) -> Story:
    moves: list[Made] = []
    barrier, asked = 0, None
    for entry in log.all_entries(context.session, table.id, table.version):
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


def _require_possible(context: Context, table: Table, story: Story, of: int) -> None:
    """Raises Conflict where time has run out since, chance was drawn or a hidden card shown."""
    if of < story.barrier:
        raise Conflict("A seat has run out of time since.")
    past = at_version(context, table, of - 1)
    entropy = [seat["entropy"] for seat in past.seats]
    chance = referee.Seeded.from_seed(table.seed, entropy, past.drawn)
    for made in story.moves:
        if made.seq >= of:
            why = referee.reveals(past.state, made.seat, made.move, chance)
            if why is not None:
                raise Conflict(f"The move cannot be taken back: {why} since.")


def _conclude(
    context: Context, table: Table, seen: Sight, entry: referee.Entry, asked: Asked
) -> dict[str, Any]:
    """Take the move back as soon as every seat that a player holds has agreed."""
    everyone = {number for number, seat in enumerate(table.seats) if seat["player"]}
    if everyone <= asked.agreed:
        past = at_version(context, table, asked.of - 1)
        entry = table.take_back(context.now(), asked.seat, asked.of, past.state)
        bots.play(context, table)
    save(context, table)
    return _show(table, seen, entry)


def _show(table: Table, seen: Sight, entry: referee.Entry) -> dict[str, Any]:
    return {"entry": show_entry(entry, seen), "game": show_game(table, seen)}
