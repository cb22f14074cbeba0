"""Positions, views, verdicts, records and rulesets."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import referee
import referee.texts
from api.core.paging import PageOf
from api.http.answers import (
    Component,
    Count,
    Json,
    Keywords,
    Ref,
    Seats,
    camel,
    choice,
    one_of,
    published,
    schema_of_class,
)
from api.rulesets.declared import card

MOST_MOVES = 50_000  # in a record that is replayed
POSITION, VIEW = "position", "view"


@published(extensible=True)
class Result(TypedDict):
    """How a game ended."""

    winners: Seats
    losers: Seats
    reason: str


class Table(TypedDict):
    """The members that positions and views share."""

    ruleset: str
    version: Count
    seats: Count
    options: Json
    phase: str
    to_act: Seats
    zones: Json
    facts: Json
    scores: list[int]
    result: Result | None


class Hidden(TypedDict):
    """The number of cards that the viewer may not see."""

    count: Count


def _of_each_ruleset(what: str, about: str) -> Component:
    def schema(ref: Ref) -> Json:
        kinds = {game.ID: _table(game, what) for game in referee.newest()}
        return {"description": about, **one_of(kinds, "ruleset", ref)}

    return Component(camel(what), schema)


Position = Annotated[Json, _of_each_ruleset(POSITION, "The whole state of a game, nothing hidden.")]
SEEN = "A position as one viewer sees it: hidden cards are a number, and a single hidden card is null."
View = Annotated[Json, _of_each_ruleset(VIEW, SEEN)]


def _table(game: Any, what: str) -> Component:
    """Return `PiesPosition` or `PiesView`."""

    def schema(ref: Ref) -> Json:
        return schema_of_class(
            Table,
            ref,
            f"A {what} of {game.NAME}.",
            ruleset={"type": "string", "const": game.ID},
            phase={"type": "string", "enum": [*game.PHASES]},
            zones=ref(_zones(game, what)),
            facts=ref(_facts(game)),
        )

    return Component(f"{camel(game.ID)}{camel(what)}", schema)


@cache
def _seen(game: Any) -> Component:
    """Return `PiesSeen`."""

    def schema(ref: Ref) -> Json:
        cards = {"type": "array", "items": {"oneOf": [ref(card(game)), {"type": "null"}]}}
        about = "Cards that not everybody sees, or their number."
        return {"description": about, "oneOf": [cards, ref(Hidden)]}

    return Component(f"{camel(game.ID)}Seen", schema)


@cache
def _facts(game: Any) -> Component:
    """Return `PiesFacts`."""
    facts = referee.texts.fact_shapes(game)
    about = f"The facts of {game.NAME}."
    return Component(f"{camel(game.ID)}Facts", lambda ref: _object(about, facts, list(facts)))


def _zones(game: Any, what: str) -> Component:
    """Return `PiesPositionZones` or `PiesViewZones`."""
    places = referee.texts.places(game)
    about = f"The zones of a {what} of {game.NAME}, `.0` of seat 0."

    def schema(ref: Ref) -> Json:
        cards = {"type": "array", "items": ref(card(game))}
        open_ = [place.name for place in places if place.seen or what == POSITION]
        zones = {place.name: cards if place.name in open_ else ref(_seen(game)) for place in places}
        return _object(about, zones, [place.name for place in places if place.always])

    return Component(f"{camel(game.ID)}{camel(what)}Zones", schema)


def _object(about: str, properties: Json, required: list[str]) -> Json:
    return {"description": about, "type": "object", "properties": properties, "required": required}


class Verdict(TypedDict):
    """The referee's answer to a move."""

    legal: bool
    rule: NotRequired[Annotated[str, "The id of the rule that the move breaks."]]
    reason: NotRequired[str]
    link: NotRequired[Annotated[str, "The address of the rule's text."]]


@published(inline=True)
class Refused(TypedDict):
    """A move of a record that is refused."""

    n: Count
    seat: Count
    move: object
    verdict: Annotated[Json, Verdict]


WAYS = "Where cards go at once from and to the seat, as far as it can know before the move."

_From = TypedDict("_From", {"from": str | None})


class Transfer(_From):
    """Cards that moved; null for a card that the viewer may not see, or for no zone."""

    to: str | None
    cards: list[str | None]


@published(inline=True)
class RecordedMove(TypedDict):
    """A move of a record."""

    seat: Count
    move: Annotated[object, "A value that is not a move is refused by a rule."]


@published(extensible=True)
class Record(TypedDict):
    """A game record from this or another server; it may have more members."""

    format: Literal["card-referee/1"]
    ruleset: Annotated[str, "The id of a ruleset."]
    version: NotRequired[Annotated[int | None, "The version of the ruleset; by default, the newest."]]
    seats: Annotated[int, Keywords(minimum=1, maximum=64)]
    options: NotRequired[Json]
    seed: Annotated[
        str | None,
        Keywords(pattern="^([0-9a-fA-F]{2})*$"),
        "Null in the record of a running game, which cannot be replayed.",
    ]
    entropy: NotRequired[Annotated[list[str], "One for each seat."]]
    moves: Annotated[list[RecordedMove], Keywords(maxItems=MOST_MOVES)]
    result: NotRequired[Json | None]


@published(inline=True)
class Card(TypedDict):
    """A card."""

    id: str
    name: str
    suit: str | None
    rank: str
    colour: str
    points: Annotated[int | None, "Null if it depends on the game, or cards have no points."]
    icon: Annotated[str | None, "The data of an SVG path in a box of 100 by 100, to draw on the card."]


@published(inline=True)
class Tile(TypedDict):
    """How pages offer the game."""

    minutes: Annotated[Count | None, "How long a game takes."]
    level: Annotated[Count | None, "How hard it is to learn: 1 is easy, 3 is hard."]
    cards: Annotated[list[Card], "Three cards to draw."]


class RulesetSummary(TypedDict):
    """A ruleset."""

    id: str
    version: Count
    versions: list[Count]
    name: str
    summary: Annotated[str, "What the game is like, in a sentence or two; may be empty."]
    seats: Annotated[Seats, "How many seats may play."]
    tile: Annotated[Json, Tile]
    languages: Annotated[
        list[str], "The languages in which it has a guide; not all are languages of the pages."
    ]


class RulesetList(PageOf[RulesetSummary]):
    """The available rulesets."""


@published(inline=True)
class Teams(TypedDict):
    """The teams for a number of seats and these options."""

    seats: Count
    options: Json
    teams: list[Seats]


@published(inline=True)
class Zone(TypedDict):
    """A zone."""

    name: str
    per_seat: bool
    ordered: bool
    seen_by: str


@published(inline=True)
class Rule(TypedDict):
    """A rule."""

    id: str
    text: str
    refuses: bool
    origin: Annotated[
        Annotated[str, choice(*referee.texts.RULE_ORIGINS)] | None,
        "Whether the source of the game has the rule, has a part of it, or is silent; null if the ruleset "
        "does not tell.",
    ]


class Ruleset(RulesetSummary):
    """A ruleset, with its rules."""

    options: Annotated[Json, "The options, as JSON Schema."]
    moves: Annotated[dict[str, Json], "Each type of move, as JSON Schema."]
    phases: Annotated[dict[str, list[str]], "The types of move that are possible in each phase."]
    complete: bool
    reasons: Annotated[dict[str, str], "Each reason of a result, in words for players."]
    facts: Annotated[dict[str, Json], "Each fact, as JSON Schema."]
    cards: list[Annotated[Json, Card]]
    teams: list[Annotated[Json, Teams]]
    zones: list[Zone]
    rules: list[Annotated[Json, Rule]]
    how_to_play: Annotated[
        str,
        "How to play, for beginners, in the `language` that was asked for: Markdown of paragraphs, and"
        " a list of tips, each with the type of move that it is about; may be empty.",
    ]
    text: Annotated[str, "The rules as Markdown."]
    words: Annotated[
        dict[str, str],
        "Words of the game in the `language` that was asked for, by the English of the other members"
        " (of names also as people write them: `pick up`, `picks up`); empty if the ruleset has none.",
    ]
