"""What notices say is true when they are sent: games as they are now, not as they were when it happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

import referee.records
from api.core.json import loads
from api.features.mail.kinds import OF_TURNS, told
from api.features.notices import events as n
from api.features.notices.outbox import MAIL, PUSH, Outgoing
from api.games.loading import outline_of
from api.games.seat import Seat
from api.store import games as store
from api.store.database.session import Session
from api.store.games import GameRow
from api.store.tables.columns import among
from api.store.tables.games import entries, turns
from referee.clocks import duration, duration_text, timestamp

RUNNING, OPEN = "running", "open"
# A warning that is sent so shortly before the deadline helps nobody.
TOO_LATE = {MAIL: timedelta(seconds=30), PUSH: timedelta(seconds=10)}
READ_BACK = 100  # entries that are read to find out whether a request is still open
WITH_DEADLINE = (n.TURN_BEGAN, n.TURN_WARNING, n.DEADLINE_MOVED)


class PresentTurn(NamedTuple):
    """A seat's turn: whose it is, when it began, its deadline, and when a warning is due (None: never)."""

    player_id: UUID | None
    since: datetime
    deadline: datetime | None
    warn_at: datetime | None


class PresentGame(NamedTuple):
    """A game as it is now: its row, its seats, and the turns by seat."""

    row: GameRow
    seats: Sequence[Seat]
    turns: Mapping[int, PresentTurn]

    @property
    def running(self) -> bool:
        """Whether the game has begun and is not over."""
        return self.row.status == RUNNING

    def seat(self, number: int | None) -> Seat:
        """Return a seat, or an empty one for none."""
        return self.seats[number] if number is not None and number < len(self.seats) else Seat()

    def seats_of(self, player: str) -> list[int]:
        """Return the numbers of a player's seats."""
        return [number for number in range(len(self.seats)) if self.holder(number) == player]

    def holder(self, number: int | None) -> str | None:
        """Return the id of the player of a seat."""
        player = self.seat(number).player
        return player.id if player else None


def games_of(session: Session, notices: Sequence[Outgoing]) -> dict[UUID, PresentGame]:
    """Return the games of these notices by id; their positions are not opened."""
    ids = list({notice.game_id for notice in notices if notice.game_id is not None})
    if not ids:
        return {}
    t, found = turns.c, dict[UUID, dict[int, PresentTurn]]()
    columns = (t.game_id, t.seat, t.player_id, t.since, t.deadline, t.warn_at)
    for game_id, seat, *turn in session.execute(select(*columns).where(among(t.game_id, ids))):
        found.setdefault(game_id, {})[seat] = PresentTurn(*turn)
    return {
        row.id: PresentGame(row, outline_of(row).seats, found.get(row.id, {}))
        for row in store.get_all(session, ids)
    }


def of_notices(
    session: Session, games: Mapping[UUID, PresentGame], notices: Sequence[Outgoing], now: datetime
) -> list[Outgoing]:
    """Return the notices that are still true, with the names, the deadlines and the results of now."""
    shown = []
    for notice in notices:
        game = games.get(notice.game_id) if notice.game_id else None
        if game is None:
            shown.append(notice)
            continue
        payload, player = notice.payload, str(notice.receiver_id)
        if _sent_to(game, payload, player) and _is_true(session, game, notice, payload, now):
            shown.append(notice._replace(payload=_present(session, game, payload, player)))
    return shown


def _sent_to(game: PresentGame, payload: dict[str, Any], player: str) -> bool:
    """Return whether a player may have a notice of a game: whoever was replaced gets only that."""
    event, data = payload["type"], payload["data"]
    sits = bool(game.seats_of(player))
    if event == n.GAME_INVITED:
        return not sits and game.seat(data.get("seat")).invited == player
    return sits or (event == n.GAME_REPLACED and data.get("player") == player)


def _is_true(
    session: Session, game: PresentGame, notice: Outgoing, payload: dict[str, Any], now: datetime
) -> bool:
    """Return whether what a notice says is still the case; what has only happened stays true."""
    event, data, at = notice.event, payload["data"], datetime.fromisoformat(payload["timestamp"])
    seat = data.get("seat")
    taken, turn = game.seat(seat), game.turns.get(seat)
    if turn is not None and turn.since > at:
        turn = None  # a later one
    if event in OF_TURNS:
        if turn is None or turn.player_id != notice.receiver_id:
            return False
        return event != n.TURN_WARNING or _still_near(turn, now + TOO_LATE[notice.channel])
    if event == n.GAME_TAKE_BACK_REQUESTED:
        return game.running and _is_asked(session, game, data)
    away, paused = taken.away_until, any(each.paused for each in game.seats)
    still: dict[str, bool] = {
        **dict.fromkeys(told(), game.running),
        n.GAME_INVITED: game.row.status == OPEN and game.holder(seat) is None,
        n.REVEAL_DUE: game.row.status == OPEN and not taken.entropy,
        n.DEADLINE_MOVED: turn is not None and turn.deadline is not None,
        n.GAME_STARTED: game.running,
        n.GAME_FINISHED: game.row.status == "finished",
        n.GAME_CANCELLED: game.row.status == "cancelled",
        n.GAME_REPLACEMENT_AGREED: game.running and not _replaced(game, data),
        n.GAME_ENDING_AGREED: game.running and bool(taken.ending_agreed),
        n.GAME_PAUSE_AGREED: game.running and bool(taken.pause_agreed),
        n.GAME_PAUSED: game.running and paused,
        n.GAME_RESUMED: game.running and not paused,
        n.GAME_VACATION_TAKEN: game.running and away is not None and away > now,
    }
    return still.get(event, True)


def _still_near(turn: PresentTurn, acted: datetime) -> bool:
    """Return whether a warning is of use: the deadline was not moved since, and there is time to act."""
    return turn.warn_at is None and turn.deadline is not None and turn.deadline >= acted


def _replaced(game: PresentGame, data: dict[str, Any]) -> bool:
    """Return whether the seat has been handed over as agreed."""
    replacement = data.get("replacement")
    if not replacement:
        return False
    seat, player = replacement["seat"], replacement["player"]
    same = game.holder(seat) == player["id"] if player else game.seat(seat).bot == replacement["bot"]
    return bool(same)


def _is_asked(session: Session, game: PresentGame, data: dict[str, Any]) -> bool:
    """Return whether a request to take back is open: any refusal and any action at the table ends it."""
    e, ended = entries.c, ("take_back_refused", "take_back_requested")
    later = select(e.public).where(e.game_id == game.row.id, e.seq > data["version"]).order_by(e.seq)
    kinds = [loads(row[0])["type"] for row in session.execute(later.limit(READ_BACK))]
    return all(referee.records.ENTRY_TYPES[kind].aside and kind not in ended for kind in kinds)


def _missed(session: Session, game: PresentGame, seat: int) -> int:
    """Return how many turns in a row a seat has missed, as far as the newest entries tell."""
    e = entries.c
    newest = select(e.public).where(e.game_id == game.row.id).order_by(e.seq.desc()).limit(READ_BACK)
    missed = 0
    for entry in (loads(row[0]) for row in session.execute(newest)):
        if entry.get("seat") == seat and entry["type"] == "timed_out":
            missed += 1
        elif entry.get("seat") == seat and entry["type"] == "moved" and not entry.get("random"):
            break
    return missed


def _reserve(game: PresentGame, seat: int) -> str | None:
    """Return what is left of the reserve of a seat, which is part of its deadline; None without one."""
    left = game.seat(seat).reserve
    if left is None and game.row.pace and (whole := loads(game.row.pace).get("reserve")):
        left = duration(whole)
    return duration_text(left) if left else None


def _present(session: Session, game: PresentGame, payload: dict[str, Any], player: str) -> dict[str, Any]:
    """Return the payload with the present title and deadline, and in `now` the names and the result."""
    event, data = payload["type"], dict(payload["data"])
    now: dict[str, Any] = {
        "you": game.seats_of(player),
        "names": [_name(seat) for seat in game.seats],
        "who": _actor(game, data),
        "pace": game.row.pace and loads(game.row.pace),
    }
    if event == n.GAME_INVITED:
        now["host"] = next((_name(seat) for seat in game.seats if seat.host), None)
    if event == n.GAME_REPLACED:
        former = game.seat(data["seat"]).previous
        now["before"] = former.name if former and former.id != data["player"] else None
        if data["player"] == player and game.holder(data["seat"]) != player:  # told to who was replaced
            now["who"] = _name(game.seat(data["seat"]))
    if not now["you"]:  # how the game is called now is not theirs to know
        return {**payload, "now": {**now, "former": True}}
    data["title"] = game.row.title
    if event in WITH_DEADLINE:
        deadline = game.turns[data["seat"]].deadline
        data["deadline"] = deadline and timestamp(deadline)
        if deadline and data["seat"] in now["you"]:
            now["reserve"] = _reserve(game, data["seat"])
    if event == n.TURN_WARNING:
        now["missed"] = _missed(session, game, data["seat"])
    if event == n.GAME_FINISHED and game.row.result:
        now["result"] = loads(game.row.result)
    return {**payload, "data": data, "now": now}


def _actor(game: PresentGame, data: dict[str, Any]) -> str | None:
    """Return the name of whom an event is about, also of who has left the seat since; None for a bot.

    It is empty if nobody knows it any more.
    """
    number, player = data.get("seat"), data.get("player")
    seat = game.seat(number)
    if number is not None and game.holder(number) == player:
        return _name(seat)
    if player and seat.previous and player == seat.previous.id:
        return seat.previous.name
    return "" if player or number is None else None


def _name(seat: Seat) -> str | None:
    """Return the name of who has a seat; None for a bot or nobody."""
    return seat.player.name if seat.player else seat.name
