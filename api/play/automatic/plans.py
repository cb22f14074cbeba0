"""What a seat has left with the server: moves, under which conditions, and what is done at every turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, NamedTuple, Self

import referee
from api.core.json import loads, stored
from api.game.game import Game

PASS = {"type": "pass"}
CANCEL, SKIP, WAIT = "cancel", "skip", "wait"
MOST_IN_A_ROW = 100  # repeated moves, before the player has to confirm them again

Latest = Mapping[int, Mapping[str, Any]]
Order = dict[str, Any]
"""`move`; `when` (all of it has to hold), `if_illegal`, `repeat` only where they say something."""


class Plan(NamedTuple):
    """A seat's orders, whether it always passes, and whether its only legal move is made for it.

    `repeated` counts the moves that were made by what does not end by itself.
    """

    orders: tuple[Order, ...] = ()
    always_pass: bool = False
    only_move: bool = False
    repeated: int = 0

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a plan as it is kept: earlier releases kept a list of moves."""
        found = loads(text)
        if isinstance(found, list):
            return cls(tuple({"move": move} for move in found))
        return cls(tuple(found["orders"]), found["always_pass"], found["only_move"], found["repeated"])

    def stored(self) -> str:
        """Return the plan as it is kept."""
        return stored(
            {
                "orders": list(self.orders),
                "always_pass": self.always_pass,
                "only_move": self.only_move,
                "repeated": self.repeated,
            }
        )

    @property
    def automatic(self) -> bool:
        """Whether something is done at every turn."""
        return self.always_pass or self.only_move

    @property
    def left(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.orders) or self.automatic


class Choice(NamedTuple):
    """What a plan amounts to now: a move to make (None: none), and the plan that remains.

    `refused`: a move that was not legal, and its verdict, where that cancels all orders.
    """

    move: dict[str, Any] | None
    rest: Plan
    refused: tuple[dict[str, Any], Any] | None = None


def choose(plan: Plan, game: Game, seat: int, latest: Callable[[], Latest]) -> Choice:
    """Return what a seat's plan amounts to at its turn.

    `latest` returns the newest move of each other seat since the seat's own last one, as everybody saw it.
    An order whose condition does not hold waits for another turn, and the next one is looked at.
    """
    kept: list[Order] = []
    for number, order in enumerate(plan.orders):
        later = plan.orders[number + 1 :]
        if "when" in order and not _holds(order["when"], latest()):
            kept.append(order)
            continue
        verdict = referee.judge(game.state, seat, order["move"])
        if verdict.legal:
            again = (order,) if order.get("repeat") else ()
            repeated = plan.repeated + len(again)
            return Choice(order["move"], plan._replace(orders=(*kept, *again, *later), repeated=repeated))
        illegal = order.get("if_illegal", CANCEL)
        if illegal == CANCEL:
            return Choice(None, plan._replace(orders=()), (order["move"], verdict))
        if illegal == WAIT:
            kept.append(order)
    rest = plan._replace(orders=tuple(kept))
    move = _automatic(plan, game, seat) if plan.automatic else None
    return Choice(move, rest._replace(repeated=rest.repeated + 1) if move else rest)


def _holds(conditions: list[dict[str, Any]], latest: Latest) -> bool:
    """Return whether every seat that is named has moved, and so as is said; more may stand in its move."""
    return all(
        condition["seat"] in latest and condition["move"].items() <= latest[condition["seat"]].items()
        for condition in conditions
    )


def _automatic(plan: Plan, game: Game, seat: int) -> dict[str, Any] | None:
    if plan.always_pass and referee.judge(game.state, seat, PASS).legal:
        return PASS
    if plan.only_move and game.rules.COMPLETE:
        listed = list(islice(referee.legal_moves(game.state, seat), 2))
        return listed[0] if len(listed) == 1 else None
    return None
