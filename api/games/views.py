"""What callers see of games and entries, and whether they know of them; and for which seats they act.

Views are built by including what the viewer may see.
"""

from __future__ import annotations

import base64
import hmac
import logging
from typing import Any, NamedTuple
from uuid import UUID

import referee
import referee.clocks
import referee.records
import referee.table
from api.core.callers import ANONYMOUS, APP, PLAYER, WATCH, Caller
from api.core.errors import BadRequest, Forbidden, NotFound
from api.core.json import Json, loads
from api.core.names import WithLabels
from api.games import answers
from api.games.answers_of_logs import Entry
from api.games.game import FINISHED, OPEN, Game
from api.store.database.encryption import UNREADABLE
from api.store.log import StoredEntry
from referee.clocks import timestamp

log = logging.getLogger("card_referee.game")


class Visibility(NamedTuple):
    """What a caller sees of a game: what these seats see, or everything (`whole`).

    The `maker` is the game's app with scope `write`, which acts for every seat and sees the invite codes.
    """

    seats: tuple[int, ...] = ()
    whole: bool = False
    maker: bool = False
    own: bool = False
    """Its app asks: it is shown what it has written on the game."""


SPECTATOR = Visibility()
NO_LABELS = WithLabels()
PRIVATE = "In this game only players act for their seats, with tokens of their own (seats_private)."


def seats_of(caller: Caller, game: Game) -> tuple[int, ...]:
    """List the seats of a player."""
    return _held_by(caller.player_id, game)


def _held_by(player_id: UUID | None, game: Game) -> tuple[int, ...]:
    if player_id is None:
        return ()
    mine = str(player_id)
    return tuple(n for n, seat in enumerate(game.seats) if seat.player and seat.player.id == mine)


def is_invited(caller: Caller, game: Game, seat: int) -> bool:
    """Return whether a player may take this open seat without its invite code."""
    mine = caller.app_id == game.app_id and caller.kind == PLAYER and not caller.by_app
    return mine and not game.seats[seat].taken and game.seats[seat].invited == str(caller.player_id)


def invited_seats(caller: Caller, game: Game) -> list[int]:
    """List the open seats that a player may take without their invite codes."""
    return [seat for seat in range(len(game.seats)) if is_invited(caller, game, seat)]


def visibility_of(caller: Caller, game: Game) -> Visibility:
    """Return what the caller sees.

    Raises NotFound for a game that it may not know of, Forbidden for an app key that acts as a player if the
    game does not allow it.
    """
    own = caller.app_id == game.app_id
    if own and caller.kind == APP:
        return Visibility(whole="audit" in caller.scopes, maker="write" in caller.scopes, own=True)
    if own and caller.kind == PLAYER:
        seats = seats_of(caller, game)
        if seats and caller.by_app and game.seats_private:
            raise Forbidden(PRIVATE)
        if seats:
            return Visibility(seats)
        if game.status == OPEN and invited_seats(caller, game):
            return SPECTATOR
    if own and WATCH in caller.scopes and caller.only_game == game.id and _held_by(caller.sharer, game):
        return SPECTATOR  # as long as whoever gave the link away sees the game
    if game.visibility == "public" or (game.visibility == "unlisted" and caller.kind != ANONYMOUS):
        return SPECTATOR
    raise NotFound("There is no such game.")


def require_seat(game: Game, seat: int | None) -> None:
    """Raise NotFound if the game does not have this seat."""
    if seat is None or not 0 <= seat < len(game.seats):
        raise NotFound(f"The game has seats 0 to {len(game.seats) - 1}.")


def _may_speak(game: Game, seat: int) -> bool:
    """Return whether a seat belongs to its app: neither open nor of a player of another service."""
    return not game.is_open(seat) and game.seats[seat].name is None


def acting_seat(game: Game, visibility: Visibility, seat: int | None) -> int:
    """Return the seat that the caller acts for.

    Raises Forbidden if it may act for none, or not for this one; BadRequest if it must name the seat, or the
    game has no such seat.
    """
    if visibility.maker:
        if game.seats_private:
            raise Forbidden(PRIVATE)
        seats = tuple(n for n, taken in enumerate(game.seats) if not taken.bot and _may_speak(game, n))
    else:
        seats = visibility.seats
    if seat is None:
        if not seats:
            raise Forbidden("You hold no seat of this game.")
        if len(seats) > 1 or visibility.maker:
            raise BadRequest({"seat": [f"Say which seat: one of {', '.join(map(str, seats))}."]})
        return seats[0]
    if seats and seat >= len(game.seats):
        raise BadRequest({"seat": [f"The game has seats 0 to {len(game.seats) - 1}."]})
    if seat not in seats:
        raise Forbidden(f"Seat {seat} is not yours to act for.")
    return seat


def show_game(game: Game, visibility: Visibility, receipt: str | None) -> answers.Game:
    """Return a game with the caller's view and the receipt."""
    readable = game.state is not None and game.installed
    shown: answers.Game = {
        **show_summary(game, visibility),
        "viewer": {"seats": list(visibility.seats)},
        "view": show_position(game.state, visibility) if readable else None,
        "head": game.head.hex(),
        "receipt": receipt,
    }
    talk = referee.table.talk(game.position) if readable else referee.table.FREE_TALK
    if talk != referee.table.FREE_TALK:
        shown["talk"] = talk.to_json()
    return shown


def show_summary(game: Game, visibility: Visibility, to_act: list[int] | None = None) -> answers.GameSummary:
    """Return a game without a view. `to_act` is passed if the position was not read."""
    shown: answers.GameSummary = {
        "id": str(game.id),
        "ruleset": game.ruleset,
        "ruleset_version": game.ruleset_version,
        "options": game.options,
        "status": game.status,
        "version": game.version,
        "visibility": game.visibility,
        "pace": game.pace,
        "commitment": game.unreadable or referee.commitment(game.seed),
        "dealing": game.dealing.to_json(game.seats) if game.dealing else None,
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
        **game.origin,
        "rematch_of": str(game.rematch_of) if game.rematch_of else None,
        "rematch": str(game.rematch) if game.rematch else None,
        **(game.labels.to_json() if visibility.own else NO_LABELS),
    }
    if not game.installed:
        shown["ruleset_installed"] = False
    if game.unreadable:
        shown["unreadable"] = True
    if game.has_open_seat and may_invite(game, visibility):
        shown["invite"], shown["join_url"] = _invitation(game)
    return shown


def show_seat(game: Game, number: int, visibility: Visibility) -> answers.Seat:
    """Return a seat's holder; the invite code of an open seat is shown only to the game's creator."""
    seat, pace = game.seats[number], game.timing
    is_open = game.is_open(number)
    shown: answers.Seat = {
        "seat": number,
        **seat.who.to_json(),
        "open": is_open,
        "deadline": timestamp(seat.deadline) if seat.deadline else None,
        **seat.shown(),
    }
    if is_open and may_invite(game, visibility):
        shown["invite"], shown["join_url"] = _invitation(game, number)
    if pace is not None and (pace.reserve or pace.increment):
        shown["reserve"] = referee.clocks.duration_text(pace.reserve_left(seat))
    if pace is not None and pace.vacation_days:
        shown["vacation_days"] = pace.vacation_left(seat)
        shown["away_until"] = timestamp(seat.away_until) if seat.away_until else None
    return shown


def _invitation(game: Game, seat: int | None = None) -> tuple[str, str]:
    """Return the code of a seat, or of all open ones, and the page on which a person takes it with this code.

    The secret is in the fragment, which browsers send to no server.
    """
    code = invite(game, seat)
    which = "" if seat is None else f"&seat={seat}"
    return code, f"/join#game={game.id}{which}&invite={code}"


def may_invite(game: Game, visibility: Visibility) -> bool:
    """Return whether the viewer created the game, and gives its open seats away."""
    if game.unreadable:
        return False
    return visibility.maker or any(game.seats[seat].host for seat in visibility.seats)


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


def show_entry(entry: referee.records.Entry, visibility: Visibility) -> Entry:
    """Return an entry with the caller's shares of its private part."""
    private, seen = entry.private, (*map(str, visibility.seats), referee.records.ALL)
    shares = private if visibility.whole else {each: private[each] for each in seen if each in private}
    shown: Entry = {**entry.public, "hash": entry.hash.hex()}
    return {**shown, "private": shares} if shares else shown


def show_stored(entry: StoredEntry, visibility: Visibility) -> Entry:
    """Show an entry of the log, without the shares of seats if they cannot be opened."""
    readable = entry.private != UNREADABLE
    shares = readable and bool(visibility.seats or visibility.whole)
    return show_entry(entry_of(entry, shares=shares), visibility)


def _said(stored: StoredEntry) -> Any:
    """Return the name or the text of an entry; None if it was erased, or cannot be read."""
    try:
        return loads(stored.words) if stored.words else None
    except ValueError:
        log.exception("what is said in an entry (%s) cannot be read", bytes(stored.hash).hex())
        return None


def entry_of(stored: StoredEntry, *, shares: bool = True) -> referee.records.Entry:
    """Return an entry of the log with what everybody is shown, and with or without the shares of seats."""
    public, private = loads(stored.public), loads(stored.private) if stored.private and shares else {}
    said = _said(stored)
    if said and "seals" in public:
        private[referee.records.ALL], said = said, None
    return referee.records.Entry(public, private, bytes(stored.hash), said)
