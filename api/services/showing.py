"""Games and entries as a caller sees them. Everything is taken in by what its viewer may see."""

from __future__ import annotations

import base64
import hmac
from typing import Any

import referee
from api.services.access import Sight
from api.services.context import timestamp
from api.services.table import Table
from api.services.texts import loads
from api.store.log import StoredEntry


def show_game(table: Table, sight: Sight) -> dict[str, Any]:
    """Show a game with the caller's view of it."""
    return {
        **show_summary(table, sight),
        "viewer": {"seats": list(sight.seats)},
        "view": None if table.state is None else show_position(table.state, sight),
    }


def show_summary(table: Table, sight: Sight, to_act: list[int] | None = None) -> dict[str, Any]:
    """Show a game without a view. `to_act` is given where the position was not read."""
    return {
        "id": str(table.id),
        "ruleset": table.ruleset,
        "ruleset_version": table.ruleset_version,
        "options": table.options,
        "status": table.status,
        "version": table.version,
        "visibility": table.visibility,
        "pace": table.pace,
        "commitment": referee.commitment(table.seed),
        "seats": [show_seat(table, number, sight) for number in range(len(table.seats))],
        "to_act": table.to_act if to_act is None else to_act,
        "result": table.result,
        "created_at": timestamp(table.created_at),
        "updated_at": timestamp(table.updated_at),
        **table.origin,
    }


def show_seat(table: Table, number: int, sight: Sight) -> dict[str, Any]:
    """Show who sits on a seat; its invite code to the game's maker only, while somebody may still come."""
    seat = table.seats[number]
    is_open = table.is_open(number)
    shown = {
        "seat": number,
        "player": seat["player"],
        "bot": seat["bot"],
        "open": is_open,
        "deadline": seat["deadline"],
    }
    if "name" in seat:
        shown["name"] = seat["name"]
    if table.timing is not None:
        shown.update(show_clock(seat, table.timing))
    if is_open and (sight.maker or any(table.seats[seat].get("host") for seat in sight.seats)):
        shown["invite"] = invite(table, number)
    return shown


def show_clock(seat: dict[str, Any], pace: referee.Pace) -> dict[str, Any]:
    """Show what a seat has beside its deadline, in games that know such things."""
    shown: dict[str, Any] = {}
    if pace.reserve:
        shown["reserve"] = referee.duration_text(pace.reserve_left(seat))
    if pace.vacation_days:
        shown["vacation_days"] = pace.vacation_left(seat)
        shown["away_until"] = seat.get("away_until")
    return shown


def invite(table: Table, seat: int) -> str:
    """Give the code that lets a player take an open seat; it follows from the game's secret seed.

    Each code that a guest has used up makes way for another one.
    """
    used: int = table.seats[seat].get("invites", 0)
    which = seat.to_bytes(4, "big") + (used.to_bytes(4, "big") if used else b"")
    digest = hmac.digest(table.seed, b"invite" + which, "sha256")
    return base64.b32encode(digest[:15]).decode()


def show_position(state: Any, sight: Sight) -> dict[str, Any]:
    """Show a position as these seats together see it; all of it to an auditor."""
    if sight.whole:
        return referee.dump(state)
    if len(sight.seats) < 2:
        return referee.view(state, sight.seats[0] if sight.seats else None)
    views = [referee.view(state, seat) for seat in sight.seats]
    shown = views[0]
    for other in views[1:]:
        shown["facts"].update(other["facts"])
        for name, cards in other["zones"].items():
            shown["zones"][name] = _more(shown["zones"][name], cards)
    return shown


def _more(one: Any, other: Any) -> Any:
    """Of a zone as two seats see it take what either sees: a count gives way to cards, null to a card."""
    if not isinstance(one, list):
        return other
    if isinstance(other, list):
        return [a if b is None else b for a, b in zip(one, other, strict=True)]
    return one


def show_entry(entry: referee.Entry, sight: Sight) -> dict[str, Any]:
    """Show an entry with the shares of its private part that are the caller's."""
    private = entry.private
    shares = private if sight.whole else {s: private[s] for s in map(str, sight.seats) if s in private}
    shown = {**entry.public, "hash": entry.hash.hex()}
    return {**shown, "private": shares} if shares else shown


def show_stored(entry: StoredEntry, sight: Sight) -> dict[str, Any]:
    """Show an entry of the log."""
    private = loads(entry.private) if entry.private and (sight.seats or sight.whole) else {}
    return show_entry(referee.Entry(loads(entry.public), private, bytes(entry.hash)), sight)
