"""Seeks: players who look for others, and games that begin as soon as enough of them have the same terms."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from api.context import Context
from api.core.callers import PLAYER
from api.core.errors import Conflict, NotFound
from api.core.json import dumps, loads, sorted_bytes
from api.core.paging import Page, PageOf, uuid_page
from api.features.lobby import answers, store
from api.features.lobby.store import Seek
from api.games import games
from api.games.saving import save
from api.http import idempotency
from api.http.answers import shown
from api.store import credentials

MOST = 20  # open seeks of a player
TERMS = ("ruleset", "options", "seats", "visibility", "pace", "pool")
MORE = ("bots", "title")  # terms that a seek need not have
# What the game has that players cannot ask for.
PLAIN = {
    "test_clock": None,
    "distinct_players": True,
    "seats_private": False,
    "entropy": "given",
    "reveal_within": None,
}
USUAL = timedelta(days=1)  # how long players are looked for
KEPT = timedelta(days=1)  # how long a seek is shown after its end


def create(context: Context, request: dict[str, Any]) -> answers.Seek:
    """Look for players; the game is created at once if enough others have open seeks with these terms.

    Raises InvalidOptions, Conflict if the player has such a seek already or too many others, LimitReached.
    """
    player_id, now = context.player_id, context.now()
    rules, options = games.read_rules(request["ruleset"], request["seats"], request["options"])
    game_request = {**{name: request[name] for name in TERMS}, "options": options}
    game_request |= {name: request[name] for name in MORE if request.get(name)}
    terms = sha256(sorted_bytes([str(context.app_id), rules.VERSION, game_request])).digest()
    with idempotency.transaction(context):
        store.take_turns(context.session, terms, now)
        waiting = store.waiting(
            context.session, context.app_id, terms, request["seats"] - len(request["bots"])
        )
        _require_new(context, waiting, now)
        seek = Seek(
            id=context.new_id(),
            app_id=context.app_id,
            player_id=player_id,
            terms=terms,
            request=dumps(game_request).decode(),
            ruleset=rules.ID,
            pool=request["pool"],
            created_at=now,
            expires_at=now + request.get("expires_in", USUAL),
        )
        store.insert(context.session, seek)
        seeks = [*waiting, seek]
        if len(seeks) == request["seats"] - len(request["bots"]):
            _begin(context, game_request, seeks)
        stored = store.get(context.session, context.app_id, seek.id)
        assert stored is not None
        return idempotency.keep(context, show(stored, now))


def _require_new(context: Context, waiting: list[Seek], now: datetime) -> None:
    own = [seek for seek in waiting if seek.player_id == context.caller.player_id]
    if own:
        words = "The player has an open seek with these terms."
        raise Conflict(words, conflicts_with=str(own[0].id))
    if store.count_open(context.session, context.player_id, now) >= MOST:
        raise Conflict(
            f"A player has at most {MOST} open seeks.", conflicts_with=str(context.caller.player_id)
        )


def _begin(context: Context, request: dict[str, Any], seeks: list[Seek]) -> None:
    """Create the game of these seeks, whose players sit down in a random order."""
    drawn = sorted(seeks, key=lambda _: context.random_bytes(8))
    seats = [{"player": seek.player_id} for seek in drawn]
    seats += [{"bot": bot} for bot in request.get("bots", ())]
    wanted: Any = {**PLAIN, **request, "seats": seats}
    game = games.make(context, wanted, host=None)
    save(context, game)
    store.match(context.session, [seek.id for seek in seeks], game.id)


def page(context: Context, chosen: Page, filters: dict[str, Any]) -> PageOf[answers.Seek]:
    """List the open seeks of the caller's app, newest first; for anybody, those of this server's players."""
    app_id = context.caller.app_id or credentials.app_named(context.session, credentials.GUESTS)
    context.session.see(app_id)
    names = {"ruleset": "ruleset", "pool": "pool", "player": "player_id"}
    conditions = {names[name]: value for name, value in filters.items()}
    now = context.now()
    rows: list[Seek] = []  # nobody has come to this server yet
    if app_id is not None:
        rows = store.page(context.session, app_id, now, conditions, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, lambda seek: show(seek, now))


def get(context: Context, seek_id: UUID) -> answers.Seek:
    """Return a seek of the caller's app, or of the calling player. Raises NotFound."""
    return show(_find(context, seek_id), context.now())


def withdraw(context: Context, seek_id: UUID) -> None:
    """Withdraw an open seek. Raises NotFound, Conflict if it has led to a game."""
    _find(context, seek_id)
    if not store.withdraw(context.session, context.app_id, seek_id):
        matched = _find(context, seek_id)
        raise Conflict("The seek has led to a game already.", conflicts_with=str(matched.game_id))


def _find(context: Context, seek_id: UUID) -> Seek:
    seek = store.get(context.session, context.app_id, seek_id)
    caller = context.caller
    if seek is None or (caller.kind == PLAYER and seek.player_id != caller.player_id):
        raise NotFound("There is no such seek.")
    return seek


def show(seek: Seek, now: datetime) -> answers.Seek:
    """Return the form of a seek in answers."""
    ended = "expired" if seek.expires_at <= now else "open"
    return shown(
        answers.Seek,
        seek,
        **loads(seek.request),
        player={"id": str(seek.player_id), "name": seek.name},
        status=ended if seek.game_id is None else "matched",
        game=seek.game_id,
    )


def forget(context: Context, player_id: UUID) -> None:
    """Delete the seeks of a player, in the open transaction."""
    store.delete_of_player(context.session, player_id)


def prune(context: Context) -> int:
    """Delete seeks that have ended; return how many."""
    return store.prune(context.session, context.now() - KEPT)
