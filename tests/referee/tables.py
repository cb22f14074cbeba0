"""Shared by the tests of all games: every table that a ruleset allows, and random games at them."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import referee

SPEEDY_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "pies": [{"blocking": "table", "move_limit": 300}, {"recolour": True, "move_limit": 300}],
    "pedro": [{"target": 5, "defenders_score": True}],
    "dog_cards": [{"turn_limit": 60}, {"turn_limit": 60, "start_cards": True, "done_counts": False}],
    "mau_mau": [{"must_play": False, "ace_wild": True}, {"strict_last": True, "start_acts": True}],
    "palace": [{"out_of_turn": False, "move_limit": 200}],
    "bisca": [{"target": 1}],
    "cats_and_dogs": [{"first": 0}],
    "truco": [{"target": 4, "doublings": 3}, {"target": 30, "doublings": 0}],
    "landlord": [{"hands": 2}, {"attach_any": True}],
}


class Table(NamedTuple):
    """A ruleset with a number of seats and options."""

    ruleset: str
    seats: int
    options: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.ruleset}-{self.seats}" + ("-options" if self.options else "")


def tables() -> list[Table]:
    """Return every ruleset with every number of seats, with default and other options."""
    found = []
    for game in referee.newest():
        for seats in game.SEATS:
            for options in [{}, *SPEEDY_OPTIONS.get(game.ID, [])]:
                found.append(Table(game.ID, seats, options))
        if game.ID == "bisca":
            found.append(Table("bisca", 4, {"target": 1, "partners": True}))
    return found


def fresh(table: Table, seed: int) -> tuple[Any, referee.Seeded]:
    """Deal a game from a seed; return the state, and the chance to continue with."""
    chance = referee.Seeded.from_seed(seed.to_bytes(4, "big"), [""] * table.seats)
    state, _ = referee.deal(table.ruleset, table.seats, table.options, chance)
    return state, chance


class Point(NamedTuple):
    """A moment of a random game, before `seat` makes `move`."""

    state: Any
    chance: referee.Seeded
    seat: int
    move: dict[str, Any]


def wander(table: Table, seed: int, most: int) -> Iterator[Point]:
    """Yield the points of a random game; they share one state, which changes after each point."""
    choose = random.Random(f"{table}{seed}")
    state, chance = fresh(table, seed)
    for _ in range(most):
        if state.result is not None:
            return
        anyone = choose.randrange(table.seats)
        seat = choose.choice(state.to_act)
        if choose.random() < 0.15 and referee.legal_moves(state, anyone):
            seat = anyone
        moves = referee.legal_moves(state, seat)
        move = _mostly_forward(choose, moves)
        yield Point(state, chance, seat, move)
        referee.advance(state, seat, move, chance)


def _mostly_forward(choose: random.Random, moves: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Prefer moves that advance a game, so that walks also reach its later phases."""
    eager = [move for move in moves if move["type"] in {"lay", "ready", "accept"}]
    return choose.choice(eager if eager and choose.random() < 0.5 else moves)
