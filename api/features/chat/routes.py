"""Talk after the end of a game."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.chat import chat
from api.games.requests import NewMessage
from api.games.shapes import PlayerName
from api.http import auth
from api.http.fields import Choice
from api.http.members import Count, DateTime, List, Nested, String
from api.http.operation import Operations
from api.http.shapes import WHOLE, Answer


class ChatMessage(Answer):
    """What was said after the end of a game. It is not in the log, so no receipt and no proof covers it."""

    number = Count(1, about="From 1, in the order of the messages.")
    seat = Count(null=True, about="Null if the game's app speaks.")
    player = Nested(PlayerName, null=True)
    by = Choice("player", "app", about="Who wrote: the player, or the app, also for the player.")
    text = String()
    at = DateTime()


class Chat(Answer):
    """What was said after the end of a game, the first message first."""

    items = List(Nested(ChatMessage))
    next = WHOLE


blueprint = Operations("chat", __name__, tag="moves")


@blueprint.GET("/v1/games/<uuid:game>/chat", auth.READERS_OR_ANYBODY, Chat, etag=True)
def get_chat(context: Context, game: UUID) -> Any:
    """List what was said after the end of a game.

    The first message comes first; there are at most 100. Everybody who can see the game can read them,
    except who watches a private one by a link. No stream and no notice tells of them: ask again, with
    `If-None-Match`.
    """
    said = chat.show(context, game)
    return said, 200, {"ETag": f'"{len(said["items"])}"', "Cache-Control": "private, no-cache"}


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
