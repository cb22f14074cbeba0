"""Answers about moves: which are legal, what was appended, and which orders are stored."""

from __future__ import annotations

from api.schemas.fields import Choice
from api.schemas.games import RECEIPT, Game, PlayerName
from api.schemas.logs.entries import Entry
from api.schemas.members import Boolean, Count, DateTime, List, Nested, Object, String
from api.schemas.rulesets import WAYS, Transfer, Verdict
from api.schemas.rulesets.declared import Move, WithMoves
from api.schemas.shapes import Answer, part


class LegalMoves(WithMoves):
    """The legal moves of a seat now."""

    ruleset = String()
    version = Count()
    seat = Count()
    moves = List(Nested(Move))
    complete = Boolean(about="False if the ruleset accepts more moves than are listed.")


class Suggestion(WithMoves):
    """What the strongest bot would do."""

    ruleset = String()
    version = Count()
    seat = Count()
    move = Nested(Move, null=True)
    transfers = List(Nested(Transfer), about=WAYS)


class Moved(Answer):
    """The entry that was added, and the game after it."""

    entry = Nested(Entry)
    game = Nested(Game)
    receipt = String(null=True, about=RECEIPT)


class Said(Answer):
    """What was said."""

    entry = Nested(Entry)
    version = Count()
    receipt = String(null=True, about=RECEIPT)


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


class DryRun(Answer):
    """The verdict of the referee."""

    verdict = Nested(Verdict)
    version = Count()


class Orders(Answer):
    """The standing orders of a seat, shown only to its player."""

    seat = Count()
    orders = List(
        part(
            "A future move and its conditions.",
            move=Object(),
            when=List(part("How another seat must have moved.", seat=Count(), move=Object()), optional=True),
            if_illegal=Choice("cancel", "skip", "wait", optional=True),
            repeat=Boolean(optional=True),
        )
    )
    automatic = part(
        "What is done at every other turn; missing if nothing is.",
        optional=True,
        always_pass=Boolean(),
        only_move=Boolean(),
    )
    held = Boolean(
        optional=True, about="They rest until the seat has moved, because it has taken a move back."
    )
    cancelled = part(
        "Why there are no orders any more: the next one could not be played, or, if its verdict is legal, "
        "it was the last of a hundred repeated moves.",
        at=DateTime(),
        move=Object(),
        verdict=Nested(Verdict),
        null=True,
    )
