"""What these operations accept and answer."""

from __future__ import annotations

from api.games.shapes import PlayerName
from api.http.fields import Choice
from api.http.members import Count, DateTime, List, Nested, String
from api.http.shapes import Answer


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

    messages = List(Nested(ChatMessage))
