"""What a page needs to draw a game that it does not know: its cards, its facts, who plays with whom."""

from itertools import product
from typing import Any

from referee.cards import JOKER_NAMES, RANK_NAMES, SUIT_NAMES, spoken
from referee.chance import Seeded
from referee.games import Game
from referee.play import deal
from referee.position import layout

RED = "DH"
Options = dict[str, Any]


def cards(game: Game[Any]) -> list[dict[str, Any]]:
    """List every card once: id, name, suit, rank, colour, and its points where they are always the same.

    A ruleset without French cards, or whose cards are worth points, says so in its `CATALOGUE`.
    """
    found = dict.fromkeys(card for seats in game.SEATS for card in game.deck(seats, _defaults(game, seats)))
    own: dict[str, dict[str, Any]] = getattr(game, "CATALOGUE", {})
    return [{**_french(card), **own.get(card, {})} for card in found]


def _french(card: str) -> dict[str, Any]:
    known = {"id": card, "name": card, "suit": None, "rank": card, "colour": "black", "points": None}
    if card in JOKER_NAMES:
        return {**known, "name": JOKER_NAMES[card], "rank": "X", "colour": "red" if card == "XR" else "black"}
    if len(card) != 2 or card[0] not in RANK_NAMES or card[1] not in SUIT_NAMES:
        return known
    colour = "red" if card[1] in RED else "black"
    return {**known, "name": spoken(card), "suit": card[1], "rank": card[0], "colour": colour}


def facts(game: Game[Any]) -> dict[str, dict[str, Any]]:
    """Describe every fact as JSON Schema, with `x-role`, and `x-private` where each seat has its own."""
    roles: dict[str, str] = getattr(game, "ROLES", {})
    found = {}
    for name, spec in layout(game.State).facts.items():
        hints: dict[str, Any] = {"x-role": roles[name]} if name in roles else {}
        if spec.private:
            hints["x-private"] = True
        found[name] = {**spec.kind(max(game.SEATS)).schema(), "description": spec.doc, **hints}
    return found


def teams(game: Game[Any]) -> list[dict[str, Any]]:
    """List who plays with whom at the first deal: `{"seats", "options", "teams"}` for each kind of table.

    `options` are the switches that make it so; tables at which everybody plays alone are left out, and
    sides that only form during a game are none of it.
    """
    found: list[dict[str, Any]] = []
    for seats in game.SEATS:
        switches = [name for name, option in game.options(seats).items() if type(option.default) is bool]
        usual: list[list[int]] = []
        for n, chosen in enumerate(product((False, True), repeat=len(switches))):
            options = dict(zip(switches, chosen, strict=True))
            if not all(game.options(seats)[name].kind.accepts(value) for name, value in options.items()):
                continue
            sides = _sides(game, seats, options)
            if n == 0:
                usual = sides
            if len(sides) < seats and (n == 0 or sides != usual):
                needed = {name: value for name, value in options.items() if value} if n else {}
                if not any(one["seats"] == seats and one["teams"] == sides for one in found):
                    found.append({"seats": seats, "options": needed, "teams": sides})
    return found


def _sides(game: Game[Any], seats: int, options: Options) -> list[list[int]]:
    state, _ = deal(game.ID, seats, {**options}, Seeded(b""), version=game.VERSION)
    return [list(side) for side in dict.fromkeys(tuple(game.team(state, seat)) for seat in range(seats))]


def _defaults(game: Game[Any], seats: int) -> Options:
    return {name: option.default for name, option in game.options(seats).items()}
