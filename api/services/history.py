"""A game as it was: its log read again up to a version, from the newest snapshot before it.

Snapshots are kept by whoever reads; they save time and nothing rests on them: verification never reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

import referee
from api.services.context import Context
from api.services.errors import NotFound
from api.services.table import CANCELLED, FINISHED, OPEN, Table
from api.services.texts import loads, stored
from api.store import log, snapshots
from api.store.log import StoredEntry
from api.store.snapshots import Snapshot

EVERY = 64  # entries; so far apart are the snapshots
FORM = 1  # of what a snapshot holds; those of another form are not read
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


@dataclass(slots=True)
class Past:
    """A game read again: as it is by now, the moves that stand, and positions to take moves back to."""

    table: Table
    made: list[Made] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)

    def stop(self, seq: int) -> None:
        """Keep the position after entry `seq`."""
        self.stops.append(Stop(seq, referee.clone(self.table.state), self.table.drawn))


class Stop(NamedTuple):
    """A position that was reached; only the moves that stood then led to it."""

    seq: int
    state: Any
    drawn: int


class TakenBackBefore(Exception):
    """An entry takes back what was before the snapshot that reading began with; `of` is the move's entry."""

    def __init__(self, of: int) -> None:
        super().__init__(of)
        self.of = of


def at_version(context: Context, table: Table, version: int) -> Table:
    """Give the table as it was at an older version. Raises NotFound for one that it never had."""
    if not 1 <= version <= table.version:
        raise NotFound(f"The game has versions 1 to {table.version}.")
    latest = version
    while True:
        past, after = _begin(context, table, latest)
        context.require_short(version - after)
        try:
            found = _read_on(context, past, after, version)
        except TakenBackBefore as error:
            latest = error.of - 1
            continue
        if table.imported_by:
            found.name_strangers({seat["player"]["id"] for seat in table.seats if seat["player"]})
        return found


def _begin(context: Context, table: Table, latest: int) -> tuple[Past, int]:
    """Begin with the newest snapshot up to a version, or with nothing; tells after which entry."""
    found = snapshots.newest(context.session, table.id, latest, FORM)
    fresh: dict[str, Any] = {
        "status": OPEN,
        "seats": [dict(EMPTY) for _ in table.seats],
        "drawn": 0,
        "result": None,
    }
    kept: dict[str, Any] = loads(found.state) if found else {**fresh, "position": None}
    position = kept.pop("position")
    state = None if position is None else referee.restore(table.game, position)
    past = Past(replace(table, **kept, state=state))
    if found is None:
        return past, 0
    if state is not None:
        past.stop(found.version)
    return past, found.version


def _read_on(context: Context, past: Past, after: int, version: int) -> Table:
    """Read the log on to a version; what others may begin with is kept on the way."""
    table = past.table
    table.version = version
    news: list[Snapshot] = []
    for entry in log.all_entries(context.session, table.id, version, after):
        public = loads(entry.public)
        table.updated_at = datetime.fromisoformat(public["at"])
        _replay(past, public, shares(entry))
        if entry.seq % EVERY == 0:
            news.append(Snapshot(entry.seq, _kept(table)))
            if table.state is not None:
                past.stop(entry.seq)
    if news:
        snapshots.keep(context.session, table.id, FORM, news)
    return table


def _kept(table: Table) -> str:
    return stored(
        {
            "status": table.status,
            "seats": table.seats,
            "drawn": table.drawn,
            "result": table.result,
            "position": None if table.state is None else referee.dump(table.state),
        }
    )


def _replay(past: Past, public: dict[str, Any], private: dict[str, Any]) -> None:
    table, kind = past.table, public["type"]
    if kind == "joined":
        _sit_down(table, public)
    elif kind == "left":
        table.seats[public["seat"]].update(player=None, bot=None, since=None, deadline=None)
    elif kind == "started":
        table.deal()
        past.stop(public["seq"])
    elif kind == "moved":
        past.made.append(Made(public["seq"], public["seat"], full_move(public, private)))
        table.advance(*past.made[-1][1:])
    elif kind == "taken_back":
        _take_back(past, public["of"])
    elif kind in ("resigned", "timed_out"):
        _give_up(table, kind, public["seat"])
    elif kind == "finished":
        table.status, table.result = FINISHED, public["result"]
        table.state.result = table.result  # of several seats that ran out of time each was told before
    elif kind == "cancelled":
        table.status = CANCELLED
    elif kind == "imported":
        table.cross_border()
    if kind != "said":
        moved = public["seat"] if kind in ("moved", "joined") else None
        table.turn_over(table.updated_at, moved, afresh=kind == "taken_back")
    set_clocks(table, public)


def _sit_down(past: Table, public: dict[str, Any]) -> None:
    seat = past.seats[public["seat"]]
    seat.update(player=public["player"], bot=public["bot"])
    if past.status == OPEN:  # whoever takes over a seat later adds nothing to the chance of the game
        seat["entropy"] = public["entropy"]


def _give_up(past: Table, kind: str, seat: int) -> None:
    if kind == "resigned" or (past.timing and past.timing.on_timeout == "resign"):
        referee.conclude(past.state, referee.resign(past.state, seat, reason=kind))


def _take_back(past: Past, of: int) -> None:
    """Put the game back to where it was before entry `of`: to the stop before it, and on by what stands.

    Raises TakenBackBefore where reading began after that.
    """
    while past.stops and past.stops[-1].seq >= of:
        past.stops.pop()
    if not past.stops:
        raise TakenBackBefore(of)
    stop = past.stops[-1]
    past.made = [made for made in past.made if made.seq < of]
    past.table.state, past.table.drawn = referee.clone(stop.state), stop.drawn
    for made in past.made:
        if made.seq > stop.seq:
            past.table.advance(made.seat, made.move)


def set_clocks(past: Table, public: dict[str, Any]) -> None:
    """Set the clocks to what an entry says of them."""
    for seat, deadline in public.get("deadlines", {}).items():
        past.seats[int(seat)]["deadline"] = deadline
    for seat, left in public.get("reserve", {}).items():
        past.seats[int(seat)]["reserve"] = left
    if "vacation" in public:
        taken = public["vacation"]
        past.seats[public["seat"]].update(away_until=taken["until"], vacation_days=taken["left"])
