"""Import games."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.features.imports import imports
from api.games.answers import VISIBILITIES, Game
from api.games.routes import created, etag
from api.http import auth
from api.http.fields import Choice, Input
from api.http.operation import Operations
from api.rulesets.inputs import AnyRecord


class Importing(Input):
    """The visibility of an imported game."""

    visibility = Choice(*VISIBILITIES, load_default="private", about="Who can see the game.")


blueprint = Operations("imports", __name__, tag="records")


def _brought_in(done: tuple[dict[str, Any], bool]) -> Any:
    game, new = done
    return created(game) if new else (game, 200, etag(game))


@blueprint.POST(
    "/v1/records",
    auth.APP_WRITERS,
    body=AnyRecord,
    query=Importing,
    answers={201: Game, 200: Game},
    cost=20,
    problems=("commitment-known", "illegal-move", "invalid-record", "not-found"),
    etag=True,
    idempotent=True,
    large=True,
    long=0,
    presents=_brought_in,
    creates="/v1/games",
)
def create_game_from_record(context: Context, body: dict[str, Any], query: dict[str, Any]) -> Any:
    """Import a record.

    The log and the moves are verified first; if anything fails, the whole record is refused with the first
    fault. Only games that are over are imported.
    The game shows that it was imported, and by which app. Players of other apps appear in it only by name.
    Importing the same record again returns the same game (200). A game that was dealt here, or that another
    app has imported, is refused (409).
    """
    return imports.import_record(context, body, query["visibility"])
