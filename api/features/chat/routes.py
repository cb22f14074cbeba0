"""Talk after the end of a game."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.chat import chat
from api.features.chat.shapes import Chat, ChatMessage
from api.games.requests import NewMessage
from api.http import auth
from api.http.operation import Operations

blueprint = Operations("chat", __name__, "moves")


@blueprint.GET("/v1/games/<uuid:game>/chat", auth.READERS_OR_ANYBODY, Chat, etag=True)
def get_chat(context: Context, game: UUID) -> Any:
    """List what was said after the end of a game.

    The first message comes first; there are at most 100. Everybody who can see the game can read them,
    except who watches a private one by a link. No stream and no notice tells of them: ask again, with
    `If-None-Match`.
    """
    said = chat.show(context, game)
    return said, 200, {"ETag": f'"{len(said["messages"])}"', "Cache-Control": "private, no-cache"}


@blueprint.POST(
    "/v1/games/<uuid:game>/chat",
    auth.WRITERS_AFTER_THE_END,
    ChatMessage,
    body=NewMessage,
    problems=("conflict",),
    idempotent=True,
)
def post_to_chat(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Say something after the end of a game.

    Not before: until then talk is a part of the game, see its messages. A token that has ended with the game
    can still do this, as long as it can read the game. At most 100 messages fit.
    """
    return chat.say(context, game, body["seat"], body["text"])
