"""Games and entries as a caller sees them, built by including what the viewer may see."""

from __future__ import annotations

import base64
import hmac
from typing import Any

import referee
import referee.clocks
import referee.records
import referee.table
from api.core.json import Json, loads
from api.game.game import FINISHED, Game
from api.game.seat import Seat
from api.game.visibility import Visibility
from api.store.game.log import StoredEntry
from referee.clocks import timestamp


def show_game(game: Game, visibility: Visibility, receipt: str | None) -> Json:
    """Return a game with the caller's view and the receipt."""
    readable = game.state is not None and game.installed
    return {
        **show_summary(game, visibility),
        "viewer": {"seats": list(visibility.at(game.version).seats)},
        "view": show_position(game.state, visibility.at(game.version)) if readable else None,
        **(show_talk(game.position) if readable else {}),
        "head": game.head.hex(),
        "receipt": receipt,
    }


def show_talk(state: referee.Position) -> Json:
    """Return what players may say, where the rules of the game limit it."""
    talk = referee.table.talk(state)
    return {} if talk == referee.table.FREE_TALK else {"talk": talk.to_json()}


def show_summary(game: Game, visibility: Visibility, to_act: list[int] | None = None) -> Json:
    """Return a game without a view. `to_act` is passed if the position was not read."""
    return {
        "id": str(game.id),
        "ruleset": game.ruleset,
        "ruleset_version": game.ruleset_version,
        **({} if game.installed else {"ruleset_installed": False}),
        "options": game.options,
        "status": game.status,
        "version": game.version,
        "visibility": game.visibility,
        "pace": game.pace,
        "commitment": referee.commitment(game.seed),
        "dealing": game.dealing and game.dealing.to_json(game.seats),
        "seats": [show_seat(game, number, visibility) for number in range(len(game.seats))],
        "paused": game.paused,
        "to_act": [*game.to_act] if to_act is None else to_act,
        "result": game.result,
        "created_at": timestamp(game.created_at),
        "updated_at": timestamp(game.updated_at),
        "finished_at": timestamp(game.updated_at) if game.status == FINISHED else None,
        "title": game.title,
        "seats_private": game.seats_private,
        "distinct_players": game.distinct_players,
        "test_clock": None,
        **({"invite": invite(game)} if may_invite(game, visibility) and game.has_open_seat else {}),
        **game.origin,
        "rematch_of": game.rematch_of and str(game.rematch_of),
        "rematch": game.rematch and str(game.rematch),
        "series": game.series and game.series.to_json(),
        **(game.labels.to_json() if visibility.own else {}),
    }


def show_seat(game: Game, number: int, visibility: Visibility) -> Json:
    """Return a seat's holder; the invite code of an open seat is shown only to the game's creator."""
    seat = game.seats[number]
    is_open = game.is_open(number)
    shown = {
        "seat": number,
        **seat.who.to_json(),
        "open": is_open,
        "deadline": seat.deadline and timestamp(seat.deadline),
        **seat.shown(),
    }
    if game.timing is not None:
        shown.update(show_clock(seat, game.timing))
    if is_open and may_invite(game, visibility):
        shown["invite"] = invite(game, number)
    return shown


def may_invite(game: Game, visibility: Visibility) -> bool:
    """Return whether the viewer created the game, and gives its open seats away."""
    return visibility.maker or any(game.seats[seat].host for seat in visibility.seats)


def show_clock(seat: Seat, pace: referee.clocks.Pace) -> Json:
    """Return what a seat has in addition to its deadline, in games with such features."""
    shown: Json = {}
    if pace.reserve or pace.increment:
        shown["reserve"] = referee.clocks.duration_text(pace.reserve_left(seat))
    if pace.vacation_days:
        shown["vacation_days"] = pace.vacation_left(seat)
        shown["away_until"] = seat.away_until and timestamp(seat.away_until)
    return shown


def invite(game: Game, seat: int | None = None) -> str:
    """Return the code with which a player can take an open seat, derived from the game's secret seed.

    After a guest has used the code of a seat, that gets another one. Without a seat, it is for any of them.
    """
    used = 0 if seat is None else game.seats[seat].invites
    which = b"table" if seat is None else seat.to_bytes(4, "big") + (used.to_bytes(4, "big") if used else b"")
    digest = hmac.digest(game.seed, b"invite" + which, "sha256")
    return base64.b32encode(digest[:15]).decode()


def show_position(state: Any, visibility: Visibility) -> Json:
    """Return a position as these seats together see it; an auditor sees everything."""
    if visibility.whole:
        return referee.dump(state)
    if len(visibility.seats) < 2:
        return referee.view(state, visibility.seats[0] if visibility.seats else None)
    views = [referee.view(state, seat) for seat in visibility.seats]
    shown = views[0]
    for other in views[1:]:
        shown["facts"].update(other["facts"])
        for name, cards in other["zones"].items():
            shown["zones"][name] = _more(shown["zones"][name], cards)
    return shown


def _more(one: Any, other: Any) -> Any:
    """Return what one of two seats sees of a zone: cards rather than a count, a card rather than null."""
    if not isinstance(one, list):
        return other
    if isinstance(other, list):
        return [a if b is None else b for a, b in zip(one, other, strict=True)]
    return one


def show_entry(entry: referee.records.Entry, visibility: Visibility) -> Json:
    """Return an entry with the caller's shares of its private part."""
    private, visibility = entry.private, visibility.at(entry.public["seq"])
    shares = (
        private if visibility.whole else {s: private[s] for s in map(str, visibility.seats) if s in private}
    )
    shown = {**entry.public, "hash": entry.hash.hex()}
    return {**shown, "private": shares} if shares else shown


def show_stored(entry: StoredEntry, visibility: Visibility) -> Json:
    """Show an entry of the log."""
    visible = visibility.at(entry.seq)
    private = loads(entry.private) if entry.private and (visible.seats or visible.whole) else {}
    return show_entry(referee.records.Entry(loads(entry.public), private, bytes(entry.hash)), visible)
