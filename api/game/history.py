"""A game as it was: its log read again up to a version, from the newest snapshot before it.

Snapshots are kept by whoever reads; they save time and nothing rests on them: verification never reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

import referee
from api.core.context import Context, timestamp
from api.core.errors import NotFound
from api.core.json import loads, stored
from api.game.game import CANCELLED, FINISHED, OPEN, Game
from api.store import log, snapshots
from api.store.log import StoredEntry
from api.store.snapshots import Snapshot

EVERY = 64  # entries; so far apart are the snapshots
FORM = 2  # of what a snapshot holds; those of another form are not read
EMPTY = {"player": None, "bot": None, "entropy": "", "since": None, "deadline": None}


class Made(NamedTuple):
    """A move that was made, with the seq of its entry."""

    seq: int
    seat: int
    move: dict[str, Any]


def full_move(public: dict[str, Any], private: dict[str, Any]) -> dict[str, Any]:
    """Return the move of an entry with the parts that only its mover may see."""
    share = private.get(str(public["seat"]), {})
    move: dict[str, Any] = share.get("move", public["move"])
    return move


def shares(entry: StoredEntry) -> dict[str, Any]:
    """Return the private part of an entry, seat → its share."""
    return loads(entry.private) if entry.private else {}


@dataclass(slots=True)
class Past:
    """A game read again: as it is by now, the moves that stand, and positions to take moves back to."""

    game: Game
    made: list[Made] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)

    def stop(self, seq: int) -> None:
        """Keep the position after entry `seq`."""
        self.stops.append(Stop(seq, referee.clone(self.game.state), self.game.drawn))


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


def at_version(context: Context, game: Game, version: int) -> Game:
    """Return the table as it was at an older version. Raises NotFound for one that it never had."""
    if not 1 <= version <= game.version:
        raise NotFound(f"The game has versions 1 to {game.version}.")
    latest = version
    while True:
        past, after = _begin(context, game, latest)
        context.require_short(version - after)
        try:
            found = _read_on(context, past, after, version)
        except TakenBackBefore as error:
            latest = error.of - 1
            continue
        if game.imported_by:
            found.name_strangers({seat["player"]["id"] for seat in game.seats if seat["player"]})
        return found


def _begin(context: Context, game: Game, latest: int) -> tuple[Past, int]:
    """Begin with the newest snapshot up to a version, or with nothing; returns after which entry."""
    found = snapshots.newest(context.session, game.id, latest, FORM)
    fresh: dict[str, Any] = {
        "status": OPEN,
        "seats": [dict(EMPTY) for _ in game.seats],
        "drawn": 0,
        "result": None,
    }
    kept: dict[str, Any] = loads(found.state) if found else {**fresh, "position": None}
    position = kept.pop("position")
    if found is not None:
        kept["updated_at"] = datetime.fromisoformat(kept["updated_at"])
    state = None if position is None else referee.restore(game.rules, position)
    past = Past(replace(game, **kept, state=state))
    if found is None:
        return past, 0
    if state is not None:
        past.stop(found.version)
    return past, found.version


def _read_on(context: Context, past: Past, after: int, version: int) -> Game:
    """Read the log on to a version; what others may begin with is kept on the way."""
    game = past.game
    game.version = version
    pending: list[Snapshot] = []
    for entry in log.all_entries(context.session, game.id, version, after):
        public = loads(entry.public)
        game.updated_at = datetime.fromisoformat(public["at"])
        _replay(past, public, shares(entry))
        if entry.seq % EVERY == 0:
            pending.append(Snapshot(entry.seq, _kept(game)))
            if game.state is not None:
                past.stop(entry.seq)
    if pending:
        snapshots.keep(context.session, game.id, FORM, pending)
    return game


def _kept(game: Game) -> str:
    return stored(
        {
            "status": game.status,
            "seats": game.seats,
            "drawn": game.drawn,
            "result": game.result,
            "updated_at": timestamp(game.updated_at),
            "position": None if game.state is None else referee.dump(game.state),
        }
    )


def _replay(past: Past, public: dict[str, Any], private: dict[str, Any]) -> None:
    game, kind = past.game, public["type"]
    if kind == "joined":
        _sit_down(game, public)
    elif kind == "left":
        game.seats[public["seat"]].update(player=None, bot=None, since=None, deadline=None)
        game.seats[public["seat"]].pop("away_until", None)  # a vacation is its player's, not the seat's
    elif kind == "started":
        game.deal()
        past.stop(public["seq"])
    elif kind == "moved":
        past.made.append(Made(public["seq"], public["seat"], full_move(public, private)))
        game.advance(*past.made[-1][1:])
    elif kind == "taken_back":
        _take_back(past, public["of"])
    elif kind in ("resigned", "timed_out"):
        _give_up(game, kind, public["seat"])
    elif kind == "finished":
        game.status, game.result = FINISHED, public["result"]
        game.state.result = game.result  # of several seats that ran out of time each was told before
    elif kind == "cancelled":
        game.status = CANCELLED
    elif kind == "imported":
        game.cross_border()
    if kind != "said":
        moved = public["seat"] if kind in ("moved", "joined") else None
        game.turn_over(game.updated_at, moved, afresh=kind == "taken_back")
    set_clocks(game, public)


def _sit_down(past: Game, public: dict[str, Any]) -> None:
    seat = past.seats[public["seat"]]
    seat.update(player=public["player"], bot=public["bot"])
    if past.status == OPEN:  # whoever takes over a seat later adds nothing to the chance of the game
        seat["entropy"] = public["entropy"]


def _give_up(past: Game, kind: str, seat: int) -> None:
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
    past.game.state, past.game.drawn = referee.clone(stop.state), stop.drawn
    for made in past.made:
        if made.seq > stop.seq:
            past.game.advance(made.seat, made.move)


def set_clocks(past: Game, public: dict[str, Any]) -> None:
    """Set the clocks to what an entry says of them."""
    for seat, deadline in public.get("deadlines", {}).items():
        past.seats[int(seat)]["deadline"] = deadline
    for seat, left in public.get("reserve", {}).items():
        past.seats[int(seat)]["reserve"] = left
    if "vacation" in public:
        taken = public["vacation"]
        past.seats[public["seat"]].update(away_until=taken["until"], vacation_days=taken["left"])
