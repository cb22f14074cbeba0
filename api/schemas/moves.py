"""Answers about moves: which are legal, what was appended, and which orders are stored."""

from __future__ import annotations

from api.schemas.games import RECEIPT, Game
from api.schemas.logs.entries import Entry
from api.schemas.members import Boolean, Count, List, Nested, String
from api.schemas.rulesets import WAYS, Transfer, Verdict
from api.schemas.rulesets.declared import Move, WithMoves
from api.schemas.shapes import Answer


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


class DryRun(Answer):
    """The verdict of the referee."""

    verdict = Nested(Verdict)
    version = Count()
