"""Create, find, show and cancel games."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from api.context import Context, Unconfirmed
from api.core.json import sorted_bytes
from api.game import finding
from api.http import auth, conditional
from api.http.operation import Operations
from api.play import games
from api.play import messages as talk
from api.schemas.games import Game, NewGameList
from api.schemas.labels import Titled
from api.schemas.moves import Moved
from api.schemas.requests.games import NewGameOrFork, NewGames
from api.schemas.requests.queries import AtVersion

blueprint = Operations("games", __name__)

UNVERSIONED = ("title", "external_id", "metadata", "rematch", "ruleset_installed")
LONG = 64 * 1024  # of a body with a record, which is verified


def etag(game: dict[str, Any]) -> dict[str, str]:
    """Return a game's ETag: its version, and a mark of what else changes. The viewer is added later."""
    unversioned = {name: game[name] for name in UNVERSIONED if game.get(name) not in (None, {})}
    mark = f"+{sha256(sorted_bytes(unversioned)).hexdigest()}" if unversioned else ""
    return {
        "ETag": f'"{game["version"]}{mark}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Card-Referee-Player",
    }


def created(game: dict[str, Any]) -> Any:
    """Present a game that was created."""
    return game, 201, {**etag(game), "Location": f"/v1/games/{game['id']}"}


def shown(game: dict[str, Any]) -> Any:
    """Present a game that was changed."""
    return game, 200, etag(game)


def moved(done: dict[str, Any]) -> Any:
    """Present an entry that was written, with the game."""
    return done, 201, etag(done["game"])


# The answers of requests that append to the log, and of those that change a game.
APPENDS: dict[str, Any] = {"answers": {201: Moved}, "etag": True, "idempotent": True, "presents": moved}
CHANGES: dict[str, Any] = {"answers": {200: Game}, "etag": True, "idempotent": True, "presents": shown}


@blueprint.POST(
    "/v1/games",
    auth.APP_WRITERS_OR_GUESTS,
    Game,
    body=NewGameOrFork,
    cost=5,
    problems=(
        *("invalid-options", "unknown-player", "not-found", "external-id-taken", "conflict", "limit-reached"),
        *("illegal-move", "invalid-record", "archive-unreadable", "overloaded", "took-too-long"),
    ),
    etag=True,
    idempotent=True,
    large=True,
    long=LONG,
    presents=created,
)
def create_game(context: Context, body: games.GameRequest | games.ForkRequest) -> Any:
    """Create a game.

    It starts automatically when every seat is taken. Open seats have an invite code, which is shown only to
    the creator. A guest of this server can take only one seat, their own.

    With `from`, it is a fork: a test game that goes on from a moment of a game that is over, with the same
    seed, so that whoever knows that game knows what is hidden in this one. It is marked as `forked` wherever
    it is shown, counts in no statistics, and is not in the log of all games. An open seat has no invite code:
    the app plays for it, or gives it to a player or a bot (`PUT /v1/games/{game}/seats/{seat}/player`).
    """
    return games.create(context, body)


@blueprint.POST(
    "/v1/games/bulk",
    auth.APP_WRITERS,
    NewGameList,
    body=NewGames,
    cost=20,
    problems=(
        *("invalid-options", "unknown-player", "not-found", "external-id-taken", "conflict"),
        "limit-reached",
    ),
    idempotent=True,
)
def create_games(context: Context, body: dict[str, list[games.GameRequest]]) -> Any:
    """Create several games, or none of them if one cannot be created.

    The answer lists them in the same order, as they are before their bots have moved.
    """
    return games.create_all(context, body["games"])


@blueprint.GET(
    "/v1/games/<uuid:game>",
    auth.READERS_OR_ANYBODY,
    Game,
    query=AtVersion,
    problems=("archive-unreadable", "overloaded", "took-too-long"),
    etag=True,
    confirms=True,
)
def get_game(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Show a game as the caller sees it, now or at an older version."""
    found, version = finding.find(context, game), query.get("version")
    if isinstance(found, Unconfirmed):
        return found
    if version is None and conditional.asks():
        newest = etag(games.outline(context, found))
        if conditional.is_known(newest, context):
            found.back(context)
            return None, 304, newest
    shown = games.show(context, found, version)
    return shown, 200, etag(shown)


@blueprint.PATCH(
    "/v1/games/<uuid:game>",
    auth.APP_WRITERS,
    Game,
    body=Titled,
    problems=("external-id-taken",),
    etag=True,
    presents=shown,
)
def change_game(context: Context, game: UUID, body: games.LabelRequest) -> Any:
    """Change a game's title, external id or metadata.

    This does not change the game itself or its version. Only the named keys of the metadata change; a key
    whose value is null or empty is removed.
    """
    require = partial(conditional.require_unchanged, context)
    return games.relabel(context, game, body, lambda shown: require(etag(shown)["ETag"]))


@blueprint.POST("/v1/games/<uuid:game>/cancellation", auth.APP_WRITERS, problems=("game-over",), **APPENDS)
def cancel_game(context: Context, game: UUID) -> Any:
    """Cancel a game that is not over; nobody wins."""
    return talk.cancel(context, game)
