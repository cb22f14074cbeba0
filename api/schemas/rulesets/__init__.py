"""Answers of the referee: verdicts, positions, and the available rulesets."""

from __future__ import annotations

from marshmallow import validate

import referee.texts
from api.game.rulesets import MOST_MOVES
from api.schemas.fields import Anything, Fixed
from api.schemas.members import Boolean, Count, Integer, List, Map, Nested, Object, Seats, String
from api.schemas.rulesets.declared import Move, WithMoves
from api.schemas.rulesets.tables import AnyPosition as AnyPosition
from api.schemas.rulesets.tables import AnyView as AnyView
from api.schemas.rulesets.tables import Position as Position
from api.schemas.rulesets.tables import Result as Result
from api.schemas.rulesets.tables import View as View
from api.schemas.shapes import Answer, Opaque, OpenAnswer, page_of, part


class Verdict(Answer):
    """The referee's answer to a move."""

    legal = Boolean()
    rule = String(optional=True, about="The id of the rule that the move breaks.")
    reason = String(optional=True)
    link = String(optional=True, about="The address of the rule's text.")


WAYS = "Where cards go at once from and to the seat, as far as it can know before the move."


class Transfer(Answer):
    """Cards that moved; null for a card that the viewer may not see, or for no zone."""

    source = String(data_key="from", null=True)
    to = String(null=True)
    cards = List(String(null=True))


class AnyRecord(Opaque, OpenAnswer):
    """A game record from this or another server; it may have more members."""

    format = Fixed("card-referee/1")
    ruleset = String(about="The id of a ruleset.")
    version = Integer(null=True, optional=True, about="The version of the ruleset; by default, the newest.")
    seats = Count(1, 64)
    options = Object(optional=True)
    seed = String(
        null=True,
        validate=validate.Regexp("^([0-9a-fA-F]{2})*$"),
        about="Null in the record of a running game, which cannot be replayed.",
    )
    entropy = List(String(), optional=True, about="One for each seat.")
    moves = List(
        part(
            "A move of a record.",
            seat=Count(),
            move=Anything(about="A value that is not a move is refused by a rule."),
        ),
        validate=validate.Length(max=MOST_MOVES),
    )
    result = Object(null=True, optional=True)


class Judged(Answer):
    """A verdict; for a legal move also the next position and the transfers."""

    verdict = Nested(Verdict)
    position = Nested(Position, optional=True)
    transfers = List(Nested(Transfer), optional=True)


class PositionMoves(WithMoves):
    """The legal moves of a seat in a position."""

    ruleset = String()
    moves = List(Nested(Move))
    complete = Boolean()


class Suggested(WithMoves):
    """What the strongest bot would do in a position."""

    ruleset = String()
    move = Nested(Move, null=True)
    transfers = List(Nested(Transfer), about=WAYS)


class Sampled(Answer):
    """A position that its viewer cannot tell from the real one."""

    position = Nested(Position)


class Replayed(Answer):
    """How far a record could be replayed."""

    ok = Boolean(about="Every move is legal and the result is the one that the record says.")
    moves = Count(about="How many moves were legal.")
    position = Nested(Position)
    result = Nested(Result, null=True)
    refused = part(
        "The first illegal move.",
        n=Count(),
        seat=Count(),
        move=Anything(),
        verdict=Nested(Verdict),
        null=True,
    )


class RulesetSummary(Answer):
    """A ruleset."""

    id = String()
    version = Count()
    versions = List(Count())
    name = String()
    summary = String(about="What the game is like, in a sentence or two; may be empty.")
    seats = Seats()
    languages = List(
        String(), about="The languages in which it has a guide; not all are languages of the pages."
    )


RulesetList = page_of(RulesetSummary, "RulesetList", "The available rulesets.")


class Ruleset(RulesetSummary):
    """A ruleset, with its rules."""

    seats = Seats(about="How many seats may play.")
    options = Object(about="The options, as JSON Schema.")
    moves = Map(Object(), about="Each type of move, as JSON Schema.")
    phases = Map(List(String()), about="The types of move that are possible in each phase.")
    complete = Boolean()
    reasons = Map(String(), about="Each reason of a result, in words for players.")
    facts = Map(Object(), about="Each fact, as JSON Schema.")
    cards = List(
        part(
            "A card.",
            id=String(),
            name=String(),
            suit=String(null=True),
            rank=String(),
            colour=String(),
            points=Integer(null=True, about="Null if it depends on the game, or cards have no points."),
            icon=String(
                null=True, about="The data of an SVG path in a box of 100 by 100, to draw on the card."
            ),
        )
    )
    teams = List(
        part(
            "The teams for a number of seats and these options.",
            seats=Count(),
            options=Object(),
            teams=List(Seats()),
        )
    )
    zones = List(part("A zone.", name=String(), per_seat=Boolean(), ordered=Boolean(), seen_by=String()))
    rules = List(
        part(
            "A rule.",
            id=String(),
            text=String(),
            refuses=Boolean(),
            origin=String(
                validate=validate.OneOf(referee.texts.RULE_ORIGINS),
                null=True,
                about="Whether the source of the game has the rule, has a part of it, or is silent; null if"
                " the ruleset does not tell.",
            ),
        )
    )
    how_to_play = String(
        about="How to play, for beginners, in the `language` that was asked for: Markdown of paragraphs, and"
        " a list of tips, each with the type of move that it is about; may be empty."
    )
    text = String(about="The rules as Markdown.")
    words = Map(
        String(),
        about="Words of the game in the `language` that was asked for, by the English of the other members"
        " (of names also as people write them: `pick up`, `picks up`); empty if the ruleset has none.",
    )
