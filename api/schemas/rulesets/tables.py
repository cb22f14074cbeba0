"""Positions and views of each ruleset, told apart by `ruleset`: their zones, facts and phases."""

from __future__ import annotations

from functools import cache
from typing import Any

import referee
import referee.texts
from api.schemas.fields import Anything, Fixed
from api.schemas.members import Count, Integer, List, Map, Nested, Object, Seats, String
from api.schemas.rulesets.declared import Declared, card, described
from api.schemas.shapes import Answer, Json, Opaque, OpenAnswer, Ref, Shape, camel, one_of

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


class AnyPosition(Opaque, Table):
    """The whole state of a game, nothing hidden: an answered `Position`, or a handwritten one."""

    zones = Map(List(String()))


class AnyView(Opaque, Table):
    """A position as one viewer sees it."""


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
