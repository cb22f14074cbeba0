"""A game as it was: its log read again up to a version."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import referee
from api.services.context import Context
from api.services.errors import NotFound
from api.services.table import CANCELLED, FINISHED, OPEN, Table
from api.services.texts import loads
from api.store import log
from api.store.log import StoredEntry

EMPTY = {"player": None, "bot": None, "entropy": "", "since": None, "deadline": None}


class Made(NamedTuple):
    """A move that was made, with the seq of its entry."""

    seq: int
    seat: int
    move: dict[str, Any]


def full_move(public: dict[str, Any], private: dict[str, Any]) -> dict[str, Any]:
    """Give the move of an entry with the parts that only its mover may see."""
    share = private.get(str(public["seat"]), {})
    move: dict[str, Any] = share.get("move", public["move"])
    return move


def shares(entry: StoredEntry) -> dict[str, Any]:
    """Give the private part of an entry, seat → its share."""
    return loads(entry.private) if entry.private else {}


def at_version(context: Context, table: Table, version: int) -> Table:
    """Give the table as it was at an older version. Raises NotFound for one that it never had."""
    if not 1 <= version <= table.version:
        raise NotFound(f"The game has versions 1 to {table.version}.")
    past = replace(
        table,
        status=OPEN,
        version=version,
        seats=[dict(EMPTY) for _ in table.seats],
        state=None,
        result=None,
        drawn=0,
    )
    made: list[Made] = []
    for entry in log.all_entries(context.session, table.id, version):
        public = loads(entry.public)
        past.updated_at = datetime.fromisoformat(public["at"])
        _replay(past, public, shares(entry), made)
    return past


def _replay(past: Table, public: dict[str, Any], private: dict[str, Any], made: list[Made]) -> None:
    kind = public["type"]
    if kind == "joined":
        _sit_down(past, public)
    elif kind == "left":
        past.seats[public["seat"]].update(player=None, bot=None, since=None, deadline=None)
    elif kind == "started":
        past.deal()
    elif kind == "moved":
        made.append(Made(public["seq"], public["seat"], full_move(public, private)))
        past.advance(*made[-1][1:])
    elif kind == "taken_back":
        take_back(past, made, public["of"])
    elif kind in ("resigned", "timed_out"):
        _give_up(past, kind, public["seat"])
    elif kind == "finished":
        past.status, past.result = FINISHED, public["result"]
    elif kind == "cancelled":
        past.status = CANCELLED
    if kind != "said":
        moved = public["seat"] if kind in ("moved", "joined") else None
        past.turn_over(past.updated_at, moved, afresh=kind == "taken_back")
    set_clocks(past, public)


def _sit_down(past: Table, public: dict[str, Any]) -> None:
    seat = past.seats[public["seat"]]
    seat.update(player=public["player"], bot=public["bot"])
    if past.status == OPEN:  # whoever takes over a seat later adds nothing to the chance of the game
        seat["entropy"] = public["entropy"]


def _give_up(past: Table, kind: str, seat: int) -> None:
    if kind == "resigned" or (past.timing and past.timing.on_timeout == "resign"):
        referee.conclude(past.state, referee.resign(past.state, seat))


def take_back(past: Table, made: list[Made], of: int) -> None:
    """Put a table back to where it was before entry `of`, by making the moves before it once more."""
    del made[next((n for n, move in enumerate(made) if move.seq >= of), len(made)) :]
    past.deal()
    for _, seat, move in made:
        past.advance(seat, move)


def set_clocks(past: Table, public: dict[str, Any]) -> None:
    """Set the clocks to what an entry says of them."""
    for seat, deadline in public.get("deadlines", {}).items():
        past.seats[int(seat)]["deadline"] = deadline
    for seat, left in public.get("reserve", {}).items():
        past.seats[int(seat)]["reserve"] = left
    if "vacation" in public:
        taken = public["vacation"]
        past.seats[public["seat"]].update(away_until=taken["until"], vacation_days=taken["left"])
