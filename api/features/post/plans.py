"""Plans of seats: moves to make, their conditions, and what is done at every turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import NamedTuple, Required, Self, TypedDict

import referee
import referee.table
from api.core.json import loads, stored
from api.games.game import Game

PASS: referee.table.Json = {"type": "pass"}
CANCEL, SKIP, WAIT = "cancel", "skip", "wait"
MOST_PLAYED = 100  # orders that are remembered: as many as a plan may have
MOST_IN_A_ROW = 100  # repeated moves before the player must confirm them again

Latest = Mapping[int, referee.table.Json]


class Condition(TypedDict):
    """What another seat must have done."""

    seat: int
    move: referee.table.Json


class Order(TypedDict, total=False):
    """A move, and what is set besides; all conditions must hold."""

    move: Required[referee.table.Json]
    when: list[Condition]
    if_illegal: str
    repeat: bool


class Played(TypedDict):
    """An order that was played in entry `seq`."""

    seq: int
    order: Order


class Plan(NamedTuple):
    """A seat's orders, whether it always passes, and whether its only legal move is made for it.

    `repeated` counts the moves by those parts of the plan that do not end by themselves.
    """

    orders: tuple[Order, ...] = ()
    always_pass: bool = False
    only_move: bool = False
    repeated: int = 0
    played: tuple[Played, ...] = ()
    """The orders that were played, for when one is taken back."""
    held: int | None = None
    """Nothing is done before the seat has itself moved after this version, because it took a move back."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Return a plan from its stored form."""
        data = loads(text)
        return cls(**{**data, "orders": tuple(data["orders"]), "played": tuple(data.get("played", ()))})

    def stored(self) -> str:
        """Return the stored form of the plan."""
        return stored(self._asdict())

    @property
    def automatic(self) -> bool:
        """Whether something is done at every turn."""
        return self.always_pass or self.only_move

    def note_played(self, seq: int, order: Order) -> Plan:
        """Return the plan after an order was played in entry `seq`."""
        played: Played = {"seq": seq, "order": order}
        return self._replace(played=(*self.played, played)[-MOST_PLAYED:])

    def taken_back(self, of: int) -> Plan:
        """Return the plan with the orders again that were played from entry `of` on."""
        back = [each["order"] for each in self.played if each["seq"] >= of]
        again = [order for order in back if order not in self.orders or not order.get("repeat")]
        played = tuple(each for each in self.played if each["seq"] < of)
        return self._replace(orders=(*again, *self.orders), played=played)

    @property
    def left(self) -> bool:
        """Whether anything is left to do."""
        return bool(self.orders) or self.automatic


class PlannedMove(NamedTuple):
    """The result of a plan: a move to make (None: none), and the plan that remains.

    `refused` is an illegal move and its verdict, if it cancels all orders; `order` is the one that is played.
    """

    move: referee.table.Json | None
    rest: Plan
    refused: tuple[referee.table.Json, referee.Verdict] | None = None
    order: Order | None = None


def choose(plan: Plan, game: Game, seat: int, latest: Callable[[], Latest]) -> PlannedMove:
    """Return what a seat's plan does at its turn.

    `latest` returns the newest move of each other seat since the seat's own last one, as everybody saw it.
    An order whose condition does not hold waits for another turn, and the next order is tried.
    """
    orders_left: list[Order] = []
    for number, order in enumerate(plan.orders):
        later = plan.orders[number + 1 :]
        if "when" in order and not _holds(order["when"], latest()):
            orders_left.append(order)
            continue
        verdict = referee.judge(game.position, seat, order["move"])
        if verdict.legal:
            again = (order,) if order.get("repeat") else ()
            repeated = plan.repeated + len(again)
            rest = plan._replace(orders=(*orders_left, *again, *later), repeated=repeated)
            return PlannedMove(order["move"], rest, order=order)
        illegal = order.get("if_illegal", CANCEL)
        if illegal == CANCEL:
            return PlannedMove(None, plan._replace(orders=()), (order["move"], verdict))
        if illegal == WAIT:
            orders_left.append(order)
    rest = plan._replace(orders=tuple(orders_left))
    move = _automatic(plan, game, seat) if plan.automatic else None
    return PlannedMove(move, rest._replace(repeated=rest.repeated + 1) if move else rest)


def _holds(conditions: list[Condition], latest: Latest) -> bool:
    """Return whether every named seat has moved as described; its move may contain more than that."""
    return all(
        condition["seat"] in latest and condition["move"].items() <= latest[condition["seat"]].items()
        for condition in conditions
    )


def _automatic(plan: Plan, game: Game, seat: int) -> referee.table.Json | None:
    if plan.always_pass and referee.judge(game.position, seat, PASS).legal:
        return PASS
    if plan.only_move and game.rules.COMPLETE:
        listed = list(islice(referee.legal_moves(game.position, seat), 2))
        return listed[0] if len(listed) == 1 else None
    return None
