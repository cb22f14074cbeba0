"""Looks: everybody except a seat's player who saw its cards during the game is listed, beside its log.

Only the first look of each credential is kept, and nothing is written for a player's own view.
"""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.core.callers import APP
from api.games import answers_of_logs as answers
from api.games.game import RUNNING, Game
from api.games.loading import clock_time, load, time_of
from api.games.views import Visibility, visibility_of
from api.http.answers import shown
from api.store import looks as store
from api.store.looks import ALL, Look

CARDS, MOVES, TOKEN = "cards", "moves", "token"
AUDITOR, BY_APP = "auditor", "app"
KNOWN = 10_000  # looks that a process remembers, so that they are not written again

_known: set[tuple[UUID, UUID | None, str, int]] = set()


def record_view(context: Context, game: Game, visibility: Visibility) -> None:
    """Record that the caller is about to see cards that are not its own."""
    caller = context.caller
    if visibility.whole:
        _record(context, game, CARDS, (ALL,), AUDITOR)
    elif caller.by_app and visibility.seats:
        _record(context, game, CARDS, visibility.seats, BY_APP)


def record_moves(context: Context, game: Game, seat: int) -> None:
    """Record that an app is about to see which moves of a player's seat are legal, or why one is not."""
    caller = context.caller
    if game.seats[seat].player and (caller.kind == APP or caller.by_app):
        _record(context, game, MOVES, (seat,), BY_APP)


def record_token(context: Context, player_id: UUID, token_id: UUID) -> None:
    """Record that an app has created a token for a player, in the open transaction."""
    games = {
        game: next(iter(clock_time(context, clock) if clock else ()), context.now())
        for game, clock in store.running(context.session, player_id)
    }
    store.insert_token(context.session, player_id, token_id, TOKEN, BY_APP, games)


def _record(context: Context, game: Game, what: str, seats: tuple[int, ...], by: str) -> None:
    """Write new looks; outside of other transactions, which might be rolled back."""
    if game.status != RUNNING or context.caller.credential_id is None:
        return
    credential = context.caller.credential_id
    new = [seat for seat in seats if (game.id, credential, what, seat) not in _known]
    if not new:
        return
    now = time_of(context, game)
    store.insert(context.session, game.id, credential, [Look(what, seat, by, now) for seat in new])
    if len(_known) >= KNOWN:
        _known.clear()
    _known.update((game.id, credential, what, seat) for seat in new)


def listing(context: Context, game_id: UUID) -> list[answers.Look]:
    """Return the looks at a game that the caller sees. Raises NotFound, Forbidden."""
    visibility_of(context.caller, load(context, game_id))
    return of_game(context, game_id)


def of_game(context: Context, game_id: UUID) -> list[answers.Look]:
    """Return the looks at a game, the earliest first."""
    looks = store.of_game(context.session, game_id)
    return [shown(answers.Look, look, seat=None if look.seat == ALL else look.seat) for look in looks]


def look_at(context: Context, game: Game) -> Visibility:
    """Return what the caller sees of a game, and record that it looks at other seats' cards.

    Raises NotFound, Forbidden.
    """
    visibility = visibility_of(context.caller, game)
    record_view(context, game, visibility)
    return visibility
