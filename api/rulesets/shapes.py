"""Positions, views, verdicts, records and rulesets."""

from __future__ import annotations

from functools import cache
from typing import Any

from marshmallow import validate

import referee
import referee.texts
from api.http.fields import Anything, Fixed
from api.http.members import Boolean, Count, Integer, List, Map, Nested, Object, Seats, String
from api.http.shapes import Answer, Json, Opaque, OpenAnswer, Ref, Shape, camel, one_of, page_of, part
from api.rulesets.declared import Declared, card, described
from api.rulesets.rulesets import MOST_MOVES

POSITION, VIEW = "position", "view"


class Result(OpenAnswer):
    """How a game ended."""

    winners = Seats()
    losers = Seats()
    reason = String()


class Table(Answer):
    """The members that positions and views share."""

    ruleset = String()
    version = Count()
    seats = Count()
    options = Object()
    phase = String()
    to_act = Seats()
    zones = Map(Anything())
    facts = Object()
    scores = List(Integer())
    result = Nested(Result, null=True)


class Hidden(Answer):
    """The number of cards that the viewer may not see."""

    count = Count()


class Position(Opaque, Table):
    """The whole state of a game, nothing hidden."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the shape of each ruleset."""
        return _of_each_ruleset(schema, POSITION, ref)


class View(Opaque, Table):
    """A position as one viewer sees it: hidden cards are a number, and a single hidden card is null."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the shape of each ruleset."""
        return _of_each_ruleset(schema, VIEW, ref)


def _of_each_ruleset(schema: Json, what: str, ref: Ref) -> Json:
    kinds = {game.ID: _table(game, what) for game in referee.newest()}
    return {"description": schema["description"], **one_of(kinds, "ruleset", ref)}


def _table(game: Any, what: str) -> type[Shape]:
    """Return `PiesPosition` or `PiesView`."""
    name = camel(game.ID)
    phase = Declared({"type": "string", "enum": [*game.PHASES]})
    members: dict[str, Any] = {
        "__doc__": f"A {what} of {game.NAME}.",
        "ruleset": Fixed(game.ID),
        "phase": phase,
        "zones": Nested(_zones(game, what)),
        "facts": Nested(_facts(game)),
    }
    return type(f"{name}{camel(what)}", (Table,), members)


@cache
def _seen(game: Any) -> type[Shape]:
    """Return `PiesSeen`."""

    def schema(ref: Ref) -> Json:
        cards = {"type": "array", "items": {"oneOf": [ref(card(game)), {"type": "null"}]}}
        return {"oneOf": [cards, ref(Hidden)]}

    return described(f"{camel(game.ID)}Seen", "Cards that not everybody sees, or their number.", schema)


@cache
def _facts(game: Any) -> type[Shape]:
    """Return `PiesFacts`."""
    facts = referee.texts.fact_shapes(game)
    about = f"The facts of {game.NAME}."
    return described(f"{camel(game.ID)}Facts", about, lambda ref: _object(facts, list(facts)))


def _zones(game: Any, what: str) -> type[Shape]:
    """Return `PiesPositionZones` or `PiesViewZones`."""
    places = referee.texts.places(game)

    def schema(ref: Ref) -> Json:
        cards = {"type": "array", "items": ref(card(game))}
        open_ = [place.name for place in places if place.seen or what == POSITION]
        zones = {place.name: cards if place.name in open_ else ref(_seen(game)) for place in places}
        return _object(zones, [place.name for place in places if place.always])

    about = f"The zones of a {what} of {game.NAME}, `.0` of seat 0."
    return described(f"{camel(game.ID)}{camel(what)}Zones", about, schema)


def _object(properties: Json, required: list[str]) -> Json:
    return {"type": "object", "properties": properties, "required": required}


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


CARD = part(
    "A card.",
    id=String(),
    name=String(),
    suit=String(null=True),
    rank=String(),
    colour=String(),
    points=Integer(null=True, about="Null if it depends on the game, or cards have no points."),
    icon=String(null=True, about="The data of an SVG path in a box of 100 by 100, to draw on the card."),
)


class RulesetSummary(Answer):
    """A ruleset."""

    id = String()
    version = Count()
    versions = List(Count())
    name = String()
    summary = String(about="What the game is like, in a sentence or two; may be empty.")
    seats = Seats()
    tile = part(
        "How pages offer the game.",
        minutes=Count(null=True, about="How long a game takes."),
        level=Count(null=True, about="How hard it is to learn: 1 is easy, 3 is hard."),
        cards=List(CARD, about="Three cards to draw."),
    )
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
    cards = List(CARD)
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
