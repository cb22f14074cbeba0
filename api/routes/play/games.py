"""Games: made, found, shown, called off."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.play import games
from api.play import messages as talk
from api.schemas import requests

blueprint = Blueprint("games", __name__)


def etag(game: dict[str, Any]) -> dict[str, str]:
    """Return a game's version as its ETag; what it stands for depends on who asks."""
    return {"ETag": f'"{game["version"]}"', "Cache-Control": "private, no-cache", "Vary": "Authorization"}


def created(game: dict[str, Any]) -> Any:
    """Present a game that was made."""
    return game, 201, {**etag(game), "Location": f"/v1/games/{game['id']}"}


def shown(game: dict[str, Any]) -> Any:
    """Answer with a game that was changed."""
    return game, 200, etag(game)


def moved(done: dict[str, Any]) -> Any:
    """Present an entry that was written, with the game."""
    return done, 201, etag(done["game"])


@operation(
    blueprint,
    "POST",
    "/v1/games",
    audience=auth.APP_WRITERS_OR_GUESTS,
    body=requests.NewGame,
    cost=5,
    answers={201: "Game"},
    problems=("invalid-options", "not-found"),
    etag=True,
    idempotent=True,
    presents=created,
)
def create_game(context: Context, body: dict[str, Any]) -> Any:
    """Make a game.

    It starts by itself once every seat is taken. Open seats come with an invite code, which only the
    maker is shown. A guest of this server takes one seat at most, its own.
    """
    return games.create(context, body)


@operation(
    blueprint,
    "GET",
    "/v1/games",
    audience=auth.READERS_OR_ANYBODY,
    query=requests.GameFilters,
    answers={200: "GameList"},
)
def list_games(context: Context, query: dict[str, Any]) -> Any:
    """Find games.

    One's own; with visibility `public`, or without a token, everyone's public ones. Newest first.
    """
    page = query.pop("page")
    return games.search(context, query, page)


@operation(
    blueprint,
    "GET",
    "/v1/games/<uuid:game>",
    audience=auth.READERS_OR_ANYBODY,
    query=requests.AtVersion,
    answers={200: "Game"},
    problems=("not-found", "overloaded", "took-too-long"),
    etag=True,
)
def get_game(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Show a game as the caller sees it, now or at an older version."""
    shown = games.show(context, game, query.get("version"))
    return shown, 200, etag(shown)


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/cancellation",
    audience=auth.APP_WRITERS,
    answers={201: "Moved"},
    problems=("not-found", "game-over"),
    etag=True,
    idempotent=True,
    presents=moved,
)
def cancel_game(context: Context, game: UUID) -> Any:
    """Call a game off that is not over; nobody wins."""
    return talk.cancel(context, game)
