"""What notices say is true when they are sent: games as they are now, not as they were when it happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import referee.records
from api.core.json import loads, stored
from api.features.mail import store_notices as store
from api.features.mail.preferences import OF_TURNS
from api.features.mail.store_notices import MailedTurn, QueuedNotice
from api.games import events as n
from api.store.database.session import Session
from referee.clocks import timestamp

RUNNING, OPEN = "running", "open"
# A warning that is sent so shortly before the deadline helps nobody.
TOO_LATE = {store.MAIL: timedelta(seconds=30), store.PUSH: timedelta(seconds=10)}
READ_BACK = 100  # entries that are read to find out whether a request is still open
WITH_DEADLINE = (n.TURN_BEGAN, n.TURN_WARNING, n.DEADLINE_MOVED)


class MailedGame(NamedTuple):
    """A game as it is now: each seat as JSON, as in the game's row, and the turns by seat."""

    table: store.MailedTable
    seats: Sequence[dict[str, Any]]

    @classmethod
    def of(cls, table: store.MailedTable) -> MailedGame:
        """Read a game from its stored form."""
        both = zip(loads(table.sitting), loads(table.seats), strict=True)
        return cls(table, [{**who, **clock} for who, clock in both])

    @property
    def running(self) -> bool:
        """Whether the game has begun and is not over."""
        return self.table.status == RUNNING

    def seat(self, number: int | None) -> dict[str, Any]:
        """Return a seat, or an empty one for none."""
        return self.seats[number] if number is not None and number < len(self.seats) else {}

    def holder(self, number: int | None) -> str | None:
        """Return the id of the player of a seat."""
        player = self.seat(number).get("player")
        return player["id"] if player else None

    def turn(self, number: int | None, begun_by: datetime) -> MailedTurn | None:
        """Return a seat's turn if it is the one that had begun by then."""
        turn = self.table.turns.get(number) if number is not None else None
        return turn if turn is not None and turn.since <= begun_by else None


def of_notices(
    session: Session, player_id: UUID, claimed: Sequence[QueuedNotice], now: datetime
) -> list[QueuedNotice]:
    """Return the notices that are still true, with the names, the deadlines and the results of now."""
    ids = {notice.game_id for notice in claimed if notice.game_id is not None}
    games = {key: MailedGame.of(table) for key, table in store.tables_of(session, ids).items()} if ids else {}
    shown = []
    for notice in claimed:
        game = games.get(notice.game_id) if notice.game_id else None
        if game is None:
            shown.append(notice)
            continue
        payload = loads(notice.payload)
        if _sent_to(game, notice, payload["data"], str(player_id)) and _is_true(
            session, game, notice, payload, player_id, now
        ):
            shown.append(notice._replace(payload=stored(_present(game, payload, str(player_id)))))
    return shown


def _sent_to(game: MailedGame, notice: QueuedNotice, data: dict[str, Any], player: str) -> bool:
    """Return whether a player may have a notice of a game: whoever was replaced gets only that."""
    sits = any(game.holder(seat) == player for seat in range(len(game.seats)))
    if notice.event == n.GAME_INVITED:
        return not sits and game.seat(data.get("seat")).get("invited") == player
    return sits or (notice.event == n.SEAT_REPLACED and data.get("player") == player)


def _is_true(
    session: Session,
    game: MailedGame,
    notice: QueuedNotice,
    payload: dict[str, Any],
    player_id: UUID,
    now: datetime,
) -> bool:
    """Return whether what a notice says is still the case; what has only happened stays true."""
    event, data, at = notice.event, payload["data"], datetime.fromisoformat(payload["timestamp"])
    seat = data.get("seat")
    turn = game.turn(seat, at)
    if event in OF_TURNS:
        if turn is None or turn.player_id != player_id:
            return False
        return event != n.TURN_WARNING or _still_near(turn, now + TOO_LATE[notice.channel])
    if event == n.DEADLINE_MOVED:
        return turn is not None and turn.deadline is not None
    if event == n.TAKE_BACK_REQUESTED:
        return game.running and _is_asked(session, game, data)
    taken = game.seat(seat)
    away = taken.get("away_until")
    still: dict[str, bool] = {
        n.GAME_INVITED: game.table.status == OPEN and game.holder(seat) is None,
        n.REVEAL_DUE: game.table.status == OPEN and not taken.get("entropy"),
        n.ORDERS_CANCELLED: game.running,
        n.GAME_STARTED: game.running,
        n.GAME_FINISHED: game.table.status == "finished",
        n.GAME_CANCELLED: game.table.status == "cancelled",
        n.REPLACEMENT_AGREED: game.running and not _replaced(game, data),
        n.ENDING_AGREED: game.running and bool(taken.get("ending_agreed")),
        n.PAUSE_AGREED: game.running and bool(taken.get("pause_agreed")),
        n.GAME_PAUSED: game.running and _paused(game),
        n.GAME_RESUMED: game.running and not _paused(game),
        n.VACATION_TAKEN: game.running and away is not None and datetime.fromisoformat(away) > now,
    }
    return still.get(event, True)


def _still_near(turn: MailedTurn, acted: datetime) -> bool:
    """Return whether a warning is of use: the deadline was not moved since, and there is time to act."""
    return turn.warn_at is None and turn.deadline is not None and turn.deadline >= acted


def _paused(game: MailedGame) -> bool:
    return any(seat.get("paused") for seat in game.seats)


def _replaced(game: MailedGame, data: dict[str, Any]) -> bool:
    """Return whether the seat has been handed over as agreed."""
    replacement = data.get("replacement")
    if not replacement:
        return False
    seat, player = game.seat(replacement["seat"]), replacement["player"]
    return bool(
        game.holder(replacement["seat"]) == player["id"] if player else seat.get("bot") == replacement["bot"]
    )


def _is_asked(session: Session, game: MailedGame, data: dict[str, Any]) -> bool:
    """Return whether a request to take back is open: any refusal and any action at the table ends it."""
    later = store.entries_since(session, game.table.id, data["version"], READ_BACK)
    kinds = [loads(public)["type"] for public in later]
    ended = ("take_back_refused", "take_back_requested")
    return all(referee.records.ENTRY_TYPES[kind].aside and kind not in ended for kind in kinds)


def _present(game: MailedGame, payload: dict[str, Any], player: str) -> dict[str, Any]:
    """Return the payload with the present title and deadline, and in `now` the names and the result."""
    event, data = payload["type"], dict(payload["data"])
    seats = range(len(game.seats))
    now: dict[str, Any] = {
        "you": [seat for seat in seats if game.holder(seat) == player],
        "names": [_name(seat) for seat in game.seats],
        "who": _actor(game, data),
        "pace": game.table.pace and loads(game.table.pace),
    }
    if event == n.GAME_INVITED:
        now["host"] = next((_name(seat) for seat in game.seats if seat.get("host")), None)
    if event == n.SEAT_REPLACED:
        former = game.seat(data["seat"]).get("previous") or {}
        now["before"] = former.get("name") if former.get("id") != data["player"] else None
        if data["player"] == player and game.holder(data["seat"]) != player:  # told to who was replaced
            now["who"] = _name(game.seat(data["seat"]))
    if not now["you"]:  # how the game is called now is not theirs to know
        return {**payload, "now": {**now, "former": True}}
    data["title"] = game.table.title
    if event in WITH_DEADLINE:
        deadline = game.table.turns[data["seat"]].deadline
        data["deadline"] = deadline and timestamp(deadline)
    if event == n.GAME_FINISHED and game.table.result:
        now["result"] = loads(game.table.result)
    return {**payload, "data": data, "now": now}


def _actor(game: MailedGame, data: dict[str, Any]) -> str | None:
    """Return the name of whom an event is about, also of who has left the seat since; None for a bot.

    It is empty if nobody knows it any more.
    """
    number, player = data.get("seat"), data.get("player")
    seat = game.seat(number)
    if number is not None and game.holder(number) == player:
        return _name(seat)
    former = seat.get("previous") or {}
    return (
        former["name"] if player and player == former.get("id") else "" if player or number is None else None
    )


def _name(seat: dict[str, Any]) -> str | None:
    """Return the name of who has a seat; None for a bot or nobody."""
    player = seat.get("player")
    return player["name"] if player else seat.get("name")
