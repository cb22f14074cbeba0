"""Guests: players without an app of their own, admitted by an invite code or by the server itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import referee.table
from api.callers import answers as callers
from api.callers.players import make_token, show_name
from api.context import Context
from api.core.callers import GUEST, SEAT_GUEST, Caller
from api.core.errors import Forbidden, LimitReached, SeatTaken
from api.core.json import Body
from api.features.guests import answers, store
from api.games import quotas, words
from api.games.acting import Act, Terms, act
from api.games.game import Game
from api.games.loading import load
from api.games.receipts import receipt
from api.games.refusals import BEFORE_START, error_of, require_stage
from api.games.seats import fits, sit_down
from api.games.views import SPECTATOR, Visibility, show_game, visibility_of
from api.http import idempotency
from api.http.tokens import digest
from api.store import credentials, games, players
from api.store.players import Player
from referee.clocks import timestamp
from referee.table import commands

EXPIRED = 1000  # guests that are deleted at once
STAY = timedelta(days=30)  # how long the token of a guest of the server is valid


def create(context: Context, name: str) -> callers.NewGuest:
    """Create a guest of this server, who may create games. Raises Forbidden if it takes none."""
    if not context.settings.guests:
        raise Forbidden("This server does not accept guests.")
    expires_at = context.now() + STAY
    app_id = credentials.ensure_app(context.session, context.new_id(), credentials.GUESTS, context.now())
    context.session.see(app_id)
    idempotency.belongs_to(context, app_id)
    with idempotency.transaction(context):
        made_by = _with_room(context, app_id)
        player, token, keep = _player(context, app_id, name, [GUEST], expires_at, made_by)
        keep()
        answer: callers.NewGuest = {"player": player, "token": token, "expires_at": timestamp(expires_at)}
        return idempotency.keep(context, answer)


def _with_room(context: Context, app_id: UUID) -> bytes | None:
    """Return who makes a guest; delete those whose stay is over if there is no room. Raises LimitReached."""
    try:
        return quotas.maker_of_guest(context, app_id)
    except LimitReached:
        if not store.expire(context.session, app_id, context.now(), EXPIRED):
            raise
    return quotas.maker_of_guest(context, app_id)


def take_seat(context: Context, game_id: UUID, seat: int, request: Body) -> answers.NewSeatGuest:
    """Create a player who takes a seat by an invite code, which it uses up.

    Its token ends a day after the game. Raises NotFound, Forbidden, GameNotOpen, SeatTaken.
    """
    made: list[tuple[callers.Player, str]] = []

    def show(act: Act) -> answers.NewSeatGuest:
        player, token = made[-1]
        game = show_game(act.game, Visibility((seat,)), receipt(act.context, act.game))
        return {"player": player, "token": token, "expires_at": None, "game": game}

    context.session.see(games.app_of(context.session, game_id))  # by the code, which is checked next
    idempotency.belongs_to(context, game_id)
    invited = partial(_invited, code=request["invite"])

    def change(act: Act) -> None:
        player, token, keep = _player(context, act.game.app_id, request["name"], [SEAT_GUEST], None)
        made.append((player, token))
        act.game.later.append(keep)
        sit_down(act, seat, referee.table.PlayerName(player["id"], player["name"]), request)
        act.game.change(seat, guest=True, invites=act.game.seats[seat].invites + 1)

    return act(
        context, game_id, seat, change, Terms(show, authorise=invited, stages=BEFORE_START, secret=True)
    )


def invitation(context: Context, game_id: UUID, seat: int | None, code: str | None) -> answers.Invitation:
    """Return the terms of the game for the holder of a valid invite code: of a seat, or of all open seats.

    Those of a public game are for everybody; without a code, seats are not free that wait for a player.
    """
    context.session.see(games.app_of(context.session, game_id))  # by the code, which is checked next
    game = load(context, game_id)
    if code is None:
        _require_public(context.caller, game)
    else:
        _invited(context.caller, game, seat, code)
    require_stage(game, BEFORE_START)
    if refusal := commands.seats.taken(game, seat):
        raise error_of(game, refusal)
    commits = game.dealing is not None
    kept = [each.taken or (code is None and each.invited is not None) for each in game.seats]
    if all(kept):
        raise SeatTaken("All free seats wait for players who are invited.")
    guests_app = credentials.app_named(context.session, credentials.GUESTS)
    return {
        "ruleset": game.ruleset,
        "ruleset_version": game.ruleset_version,
        "options": game.options,
        "title": game.title,
        "seats": len(game.seats),
        "players": [
            {
                "seat": number,
                "player": seat.player and seat.player.id,
                "name": seat.player and seat.player.name,
                "bot": seat.bot,
            }
            for number, seat in enumerate(game.seats)
            if kept[number]
        ],
        "pace": game.pace,
        "entropy": referee.table.COMMIT if commits else "given",
        "guests": bool(context.settings.guests) and game.app_id == guests_app,
    }


def _require_public(caller: Caller, game: Game) -> None:
    visibility_of(caller, game)  # raises NotFound if the caller may not know of the game
    if game.visibility != "public":
        raise Forbidden("This game is not public: its seats need an invite code.")


def _invited(caller: Caller, game: Game, seat: int | None, code: str) -> tuple[Visibility, int | None]:
    if not fits(game, seat, code):
        visibility_of(caller, game)  # raises NotFound if the caller may not know of the game
        raise Forbidden("This is not the invite code of the seat, or it has been used.")
    return SPECTATOR, seat


def _player(
    context: Context,
    app_id: UUID,
    name: str,
    scopes: list[str],
    expires_at: datetime | None,
    made_by: bytes | None = None,
) -> tuple[callers.Player, str, Callable[[], None]]:
    """Return a new player, a token, and what stores both in the open transaction."""
    player = Player(context.new_id(), name, context.now())
    credential, token = make_token(context, scopes, expires_at)

    def keep() -> None:
        players.insert(context.session, player, app_id, made_by)
        credentials.insert(context.session, credential, app_id, player.id, digest(token))

    return show_name(player), token, keep


def erase(context: Context) -> None:
    """Erase the names and texts of guests whose stay is over."""
    while gone := store.gone(context.session, EXPIRED):
        for app_id, player_id in gone:
            words.erase(context, app_id, player_id)
            players.forget_networks(context.session, player_id)
