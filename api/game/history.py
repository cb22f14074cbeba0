"""Old versions of a game: its log read up to a version, from the newest snapshot before it.

Reading stores snapshots. They only save time: verification never reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

import referee
from api.context import Context
from api.core.errors import Conflict, NotFound
from api.core.json import loads, stored
from api.core.times import timestamp
from api.game.game import CANCELLED, FINISHED, OPEN, Game
from api.game.receipts import receipt
from api.game.seat import Seat, Who, without_strangers
from api.game.show import show_game, show_summary
from api.game.visibility import Visibility, seats_of
from api.store.game import log, snapshots
from api.store.game.log import End, StoredEntry
from api.store.game.snapshots import Snapshot

Entry = dict[str, Any]
EVERY = 64  # entries between two snapshots
FORM = 5  # the format of a snapshot; those of another format are not read


class PlayedMove(NamedTuple):
    """A move with the seq of its entry."""

    seq: int
    seat: int
    move: dict[str, Any]


def full_move(public: dict[str, Any], private: dict[str, Any]) -> dict[str, Any]:
    """Return the move of an entry with the parts that only its mover may see."""
    share = private.get(str(public["seat"]), {})
    move: dict[str, Any] = share.get("move", public["move"])
    return move


def shares(entry: StoredEntry) -> dict[str, Any]:
    """Return the private part of an entry: seat → its share."""
    return loads(entry.private) if entry.private else {}


@dataclass(slots=True)
class Replay:
    """A game being replayed: its state so far, its moves without those taken back, and earlier positions."""

    game: Game
    moves: list[PlayedMove] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)

    def keep(self, seq: int) -> None:
        """Keep the position after entry `seq`."""
        self.checkpoints.append(Checkpoint(seq, referee.clone(self.game.state), self.game.drawn))


class Checkpoint(NamedTuple):
    """An earlier position, and the moves that led to it."""

    seq: int
    state: Any
    drawn: int


class TakenBackBefore(Exception):
    """An entry takes back a move from before the snapshot where reading began; `of` is the move's entry."""

    def __init__(self, of: int) -> None:
        super().__init__(of)
        self.of = of


def log_number(context: Context, game: Game) -> int:
    """Return the number of a saved game's log: by its rules moves are made for late seats."""
    [created] = log.page(context.session, game.id, 0, 1)
    number: int = loads(created.public).get("log", 1)
    return number


def require_type(context: Context, game: Game, kind: str) -> None:
    """Raise Conflict if a game began before its log could have entries of this type."""
    if log_number(context, game) < referee.ENTRY_TYPES[kind].since:
        raise Conflict("The log of the game is of a number in which this is not possible.")


def end_of(game: Game) -> End | None:
    """Return the end of a game's log, or None if the game is not over."""
    return End(game.version, game.head) if game.over else None


def at_version(context: Context, game: Game, version: int) -> Game:
    """Return the game at an older version. Raises NotFound for a version that it never had."""
    if not 1 <= version <= game.version:
        raise NotFound(f"The game has versions 1 to {game.version}.")
    latest = version
    while True:
        replay, after = _begin(context, game, latest)
        context.require_short(version - after)
        try:
            versions = _read_on(context, replay, after, version, end_of(game))
        except TakenBackBefore as error:
            latest = error.of - 1
            continue
        if game.imported_by:
            known = {seat.player.id for seat in game.seats if seat.player}
            versions.seats = without_strangers(versions.seats, known)
        return versions


def show_version(context: Context, game: Game, visibility: Visibility, version: int | None) -> dict[str, Any]:
    """Return a game as the caller sees it now (None), or as it was at an older version.

    Raises NotFound for a version that this caller may not see.
    """
    game, visibility = _as_seen(context, game, visibility, version)
    return show_game(game, visibility, receipt(context, game))


def summarize(context: Context, game: Game, visibility: Visibility) -> dict[str, Any]:
    """Return a game without a view, as far as the caller sees it."""
    return show_summary(*_as_seen(context, game, visibility, None))


def _as_seen(
    context: Context, game: Game, visibility: Visibility, version: int | None
) -> tuple[Game, Visibility]:
    version = visibility.until if version is None else version
    if version is not None and not visibility.covers(version):
        raise NotFound(f"You may see versions 1 to {visibility.until} of the game.")
    if version is not None and version != game.version:
        head = log.hash_of(context.session, game.id, version)
        game = at_version(context, game, version)
        game.head = head or game.head
        if visibility.until is not None:
            game.rematch = None
        if visibility.seats or visibility.former:
            handed_over = {seat for seat, until in visibility.former if until == version}
            visibility = Visibility(tuple(sorted(handed_over.union(seats_of(context.caller, game)))))
    return game, visibility


def _begin(context: Context, game: Game, latest: int) -> tuple[Replay, int]:
    """Begin with the newest snapshot up to a version, or with nothing; return the seq of its last entry."""
    snapshot = snapshots.newest(context.session, game.id, latest, FORM)
    fresh: dict[str, Any] = {
        "status": OPEN,
        "seats": [Seat()] * len(game.seats),
        "drawn": 0,
        "result": None,
    }
    data: dict[str, Any] = loads(snapshot.state) if snapshot else {**fresh, "position": None}
    position = data.pop("position")
    if snapshot is not None:
        data["updated_at"] = datetime.fromisoformat(data["updated_at"])
        data["seats"] = [Seat.of(seat) for seat in data["seats"]]
    for number, seat in enumerate(game.seats):  # used invite codes are not part of the past
        data["seats"][number] = replace(data["seats"][number], invites=seat.invites)
    state = None if position is None else referee.restore(game.rules, position)
    replay = Replay(replace(game, **data, state=state))
    if snapshot is None:
        return replay, 0
    if state is not None:
        replay.keep(snapshot.version)
    return replay, snapshot.version


def _read_on(context: Context, replay: Replay, after: int, version: int, end: End | None) -> Game:
    """Read the log up to a version, and store snapshots for later readers on the way."""
    game = replay.game
    game.version = version
    pending: list[Snapshot] = []
    for entry in log.all_entries(context.session, game.id, version, after, end):
        public = loads(entry.public)
        game.updated_at = datetime.fromisoformat(public["at"])
        _replay(replay, public, shares(entry))
        if entry.seq % EVERY == 0:
            pending.append(Snapshot(entry.seq, _kept(game)))
            if game.state is not None:
                replay.keep(entry.seq)
    if pending:
        snapshots.keep(context.session, game.id, FORM, pending)
    return game


def _kept(game: Game) -> str:
    return stored(
        {
            "status": game.status,
            "seats": [seat.to_json() for seat in game.seats],
            "drawn": game.drawn,
            "result": game.result,
            "updated_at": timestamp(game.updated_at),
            "pace": game.pace,
            "position": None if game.state is None else referee.dump(game.state),
        }
    )


def _replay(replay: Replay, public: Entry, private: Entry) -> None:
    game, kind = replay.game, public["type"]
    declared = referee.ENTRY_TYPES[kind]
    if not declared.aside:
        REPLAY[kind](replay, public, private)
        game.forget_agreements()
        moved = public["seat"] if kind in ("moved", "joined") else None
        forced = bool(public.get("random")) or kind == "joined"
        if declared.turns or declared.ends or declared.last:  # no turn begins on a seat that was left
            game.turn_over(game.updated_at, moved, afresh=declared.afresh, forced=forced)
    elif kind == "pause_agreed":
        game.change(public["seat"], pause_agreed=True)
    elif kind == "ending_agreed":
        game.change(public["seat"], ending_agreed=public["ending"])
    elif kind == "key_retired":
        game.change(public["seat"], public_key=None)
    set_clocks(game, public)


def _sit_down(replay: Replay, public: Entry, private: Entry) -> None:
    replay.game.change(public["seat"], **Who.of(public)._asdict(), public_key=public.get("public_key"))
    if replay.game.status == OPEN:  # a player who takes over a seat later adds nothing to the game's chance
        entropy = {"entropy": public["entropy"], "commitment": public.get("commitment")}
        replay.game.change(public["seat"], **entropy)


def _get_up(replay: Replay, public: Entry, private: Entry) -> None:
    nobody = {"player": None, "bot": None, "since": None, "deadline": None}
    if public.get("replaced") and public["player"]:
        replay.game.change(public["seat"], previous=Who.of(public).player)
    replay.game.change(
        public["seat"], **nobody, away_until=None, public_key=None
    )  # vacations belong to players


def _start(replay: Replay, public: Entry, private: Entry) -> None:
    replay.game.deal()
    replay.keep(public["seq"])


def _move(replay: Replay, public: Entry, private: Entry) -> None:
    move = PlayedMove(public["seq"], public["seat"], full_move(public, private))
    replay.moves.append(move)
    replay.game.advance(move.seat, move.move)


def _pause(replay: Replay, public: Entry, private: Entry) -> None:
    assert replay.game.timing is not None
    referee.pause(replay.game.seats, replay.game.timing, replay.game.updated_at)


def _resume(replay: Replay, public: Entry, private: Entry) -> None:
    assert replay.game.timing is not None
    referee.resume(replay.game.seats, replay.game.timing, replay.game.updated_at)


def _give_up(replay: Replay, public: Entry, private: Entry) -> None:
    game, kind = replay.game, public["type"]
    if kind != "timed_out" or (game.timing and game.timing.on_timeout == "resign"):
        referee.conclude(game.state, referee.resign(game.state, public["seat"], reason=kind))


def _decide(replay: Replay, public: Entry, private: Entry) -> None:
    state = replay.game.state
    referee.conclude(state, referee.rule(public["ruling"]) if "ruling" in public else referee.draw(state))


def _finish(replay: Replay, public: Entry, private: Entry) -> None:
    replay.game.status, replay.game.result = FINISHED, public["result"]
    replay.game.state.result = replay.game.result  # each of several late seats has its own entry


def _cancel(replay: Replay, public: Entry, private: Entry) -> None:
    replay.game.status = CANCELLED


def _take_back(replay: Replay, public: Entry, private: Entry) -> None:
    """Return the game to its state before entry `of`: to an earlier position, and the moves after that.

    Raises TakenBackBefore if reading began after that.
    """
    of = public["of"]
    while replay.checkpoints and replay.checkpoints[-1].seq >= of:
        replay.checkpoints.pop()
    if not replay.checkpoints:
        raise TakenBackBefore(of)
    checkpoint = replay.checkpoints[-1]
    replay.moves = [move for move in replay.moves if move.seq < of]
    replay.game.state, replay.game.drawn = referee.clone(checkpoint.state), checkpoint.drawn
    for move in replay.moves:
        if move.seq > checkpoint.seq:
            replay.game.advance(move.seat, move.move)


# The effect of each type of entry on a replayed game; types that are aside have none.
REPLAY: dict[str, Callable[[Replay, Entry, Entry], None]] = {
    "created": lambda *_: None,  # the beginning of a game is in its row
    "joined": _sit_down,
    "left": _get_up,
    "revealed": lambda replay, public, _: replay.game.change(public["seat"], entropy=public["entropy"]),
    "forfeited": lambda *_: None,
    "started": _start,
    "moved": _move,
    "taken_back": _take_back,
    "timeout_undone": _take_back,
    "paused": _pause,
    "resumed": _resume,
    "resigned": _give_up,
    "timed_out": _give_up,
    "dropped": _give_up,
    "drawn": _decide,
    "adjudicated": _decide,
    "finished": _finish,
    "cancelled": _cancel,
    "imported": lambda replay, *_: replay.game.cross_border(),
}


def set_clocks(replay: Game, public: dict[str, Any]) -> None:
    """Set the clocks from an entry."""
    if "pace" in public:
        if replay.timing is not None and public["type"] != "created":
            referee.change_pace(replay.seats, replay.timing)
        replay.pace = public["pace"]
    for seat, deadline in public.get("deadlines", {}).items():
        replay.change(int(seat), deadline=datetime.fromisoformat(deadline))
    for seat, left in public.get("reserve", {}).items():
        replay.change(int(seat), reserve=referee.duration(left))
    if "vacation" in public:
        taken = public["vacation"]
        until = datetime.fromisoformat(taken["until"])
        replay.change(public["seat"], away_until=until, vacation_days=taken["left"])
