"""What a page needs in order to draw an unknown game: its cards, facts and teams."""

from itertools import product
from typing import Any, NamedTuple

from referee.cards import JOKER_NAMES, RANK_NAMES, SUIT_NAMES, spoken
from referee.engine.chance import Seeded
from referee.engine.loading import default_options
from referee.engine.play import deal
from referee.engine.position import EVERYONE, layout, zone_names
from referee.engine.ruleset import Ruleset
from referee.texts.pictures import PICTURES

RED = "DH"
LEAST, MOST = ("minimum", "minItems"), ("maximum", "maxItems")  # bounds in a schema
Options = dict[str, Any]


def card_catalogue(rules: Ruleset[Any]) -> list[dict[str, Any]]:
    """List every card once: id, name, suit, rank, colour, its points if they never change, and its icon.

    A ruleset whose cards are not French, or are worth points, declares this in its `CATALOGUE`. An icon is
    the data of an SVG path in a box of 100 by 100, or the name of a picture in `referee/texts/pictures.py`;
    areas that it encloses twice are holes.
    """
    names = dict.fromkeys(
        card for seats in rules.SEATS for card in rules.deck(seats, default_options(rules, seats))
    )
    own: dict[str, dict[str, Any]] = getattr(rules, "CATALOGUE", {})
    return [_drawn({**_french(card), **own.get(card, {})}) for card in names]


def tile(rules: Ruleset[Any]) -> dict[str, Any]:
    """Say how pages offer the ruleset: its minutes, its level (1 is easy, 3 is hard), and three cards.

    A ruleset declares this in its `TILE`. Minutes and level may be None; the cards are otherwise the first.
    """
    told: dict[str, Any] = getattr(rules, "TILE", {})
    known = {card["id"]: card for card in card_catalogue(rules)}
    cards = [known[card] for card in told.get("cards", list(known)[:3])]
    return {"minutes": told.get("minutes"), "level": told.get("level"), "cards": cards}


def _drawn(card: dict[str, Any]) -> dict[str, Any]:
    return card | {"icon": PICTURES.get(card["icon"], card["icon"])}


def _french(card: str) -> dict[str, Any]:
    known = {
        "id": card,
        "name": card,
        "suit": None,
        "rank": card,
        "colour": "black",
        "points": None,
        "icon": None,
    }
    if card in JOKER_NAMES:
        return {**known, "name": JOKER_NAMES[card], "rank": "X", "colour": "red" if card == "XR" else "black"}
    if len(card) != 2 or card[0] not in RANK_NAMES or card[1] not in SUIT_NAMES:
        return known
    colour = "red" if card[1] in RED else "black"
    return {**known, "name": spoken(card), "suit": card[1], "rank": card[0], "colour": colour}


def facts(rules: Ruleset[Any]) -> dict[str, dict[str, Any]]:
    """Describe every fact as JSON Schema with `x-role`, `x-words`, and `x-private` if each seat has one.

    `x-words` is what players read: a text in which `{}` stands for the value and `{member}` for a member of
    it, or an object: texts by value, the text for all others under "".
    """
    roles: dict[str, str] = getattr(rules, "ROLES", {})
    words: dict[str, Any] = getattr(rules, "WORDS", {})
    result = {}
    for name, spec in layout(rules.State).facts.items():
        hints: dict[str, Any] = {"x-role": roles[name]} if name in roles else {}
        if name in words:
            hints["x-words"] = words[name]
        if spec.private:
            hints["x-private"] = True
        result[name] = {**spec.kind(max(rules.SEATS)).schema(), "description": spec.doc, **hints}
    return result


class Place(NamedTuple):
    """A zone by its full name: whether everybody sees its cards, and whether it exists at every table."""

    name: str
    seen: bool
    always: bool


def places(rules: Ruleset[Any]) -> list[Place]:
    """List every zone that a table of a ruleset may have, such as `hand.2`."""
    tables = [zone_names(rules.State, seats) for seats in rules.SEATS]
    names_of = dict.fromkeys(name for names in tables for name in names)
    seen = {name: spec.seen == EVERYONE for name, spec in layout(rules.State).zones.items()}
    return [
        Place(name, seen[name.partition(".")[0]], all(name in names for names in tables)) for name in names_of
    ]


def fact_shapes(rules: Ruleset[Any]) -> dict[str, dict[str, Any]]:
    """Describe every fact as JSON Schema that fits at tables of any number of seats."""
    facts = layout(rules.State).facts.items()
    return {
        name: {**_widest([spec.kind(seats).schema() for seats in rules.SEATS]), "description": spec.doc}
        for name, spec in facts
    }


def _widest(schemas: list[Any]) -> Any:
    """Return a schema that includes all the given ones, which differ only in their bounds."""
    first = schemas[0]
    if isinstance(first, list):
        return [_widest([*parts]) for parts in zip(*schemas, strict=True)]
    if not isinstance(first, dict):
        return first
    widest = {}
    for key in first:
        values = [schema[key] for schema in schemas]
        if key == "enum":
            widest[key] = list(dict.fromkeys(value for allowed in values for value in allowed))
        elif key in LEAST or key in MOST:
            widest[key] = min(values) if key in LEAST else max(values)
        else:
            widest[key] = _widest(values)
    return widest


def teams(rules: Ruleset[Any]) -> list[dict[str, Any]]:
    """List the teams at the first deal: `{"seats", "options", "teams"}` for each kind of table.

    `options` are the switches that lead to these teams. Tables at which everybody plays alone are left out,
    and so are sides that are formed only during a game.
    """
    result: list[dict[str, Any]] = []
    for seats in rules.SEATS:
        switches = [name for name, option in rules.options(seats).items() if type(option.default) is bool]
        usual: list[list[int]] = []
        for n, chosen in enumerate(product((False, True), repeat=len(switches))):
            options = dict(zip(switches, chosen, strict=True))
            if not all(rules.options(seats)[name].kind.accepts(value) for name, value in options.items()):
                continue
            sides = _sides(rules, seats, options)
            if n == 0:
                usual = sides
            if len(sides) < seats and (n == 0 or sides != usual):
                needed = {name: value for name, value in options.items() if value} if n else {}
                if not any(one["seats"] == seats and one["teams"] == sides for one in result):
                    result.append({"seats": seats, "options": needed, "teams": sides})
    return result


def _sides(rules: Ruleset[Any], seats: int, options: Options) -> list[list[int]]:
    state, _ = deal(rules.ID, seats, {**options}, Seeded(b""), version=rules.VERSION)
    return [list(side) for side in dict.fromkeys(tuple(rules.team(state, seat)) for seat in range(seats))]
