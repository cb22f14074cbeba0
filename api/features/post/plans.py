"""Plans of seats: moves to make one after the other, and what is done at every other turn."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple, Self, TypedDict

import referee
import referee.table
from api.core.json import loads, stored
from api.features.post.answers import Ordered
from api.games.game import Game

PASS: referee.table.Json = {"type": "pass"}
MOST_PLAYED = 100  # orders that are remembered: as many as a plan may have
MOST_IN_A_ROW = 100  # automatic moves before the player must confirm them again


class Played(TypedDict):
    """An order that was played in entry `seq`."""

    seq: int
    order: Ordered


class Plan(NamedTuple):
    """A seat's orders, whether it always passes, and whether its only legal move is made for it.

    `repeated` counts its automatic moves.
    """

    orders: tuple[Ordered, ...] = ()
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

    def note_played(self, seq: int, order: Ordered) -> Plan:
        """Return the plan after an order was played in entry `seq`."""
        played: Played = {"seq": seq, "order": order}
        return self._replace(played=(*self.played, played)[-MOST_PLAYED:])

    def taken_back(self, of: int) -> Plan:
        """Return the plan with the orders again that were played from entry `of` on."""
        again = (each["order"] for each in self.played if each["seq"] >= of)
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
    order: Ordered | None = None


def choose(plan: Plan, game: Game, seat: int) -> PlannedMove:
    """Return what a seat's plan does at its turn: an order that is not legal cancels all of them."""
    if plan.orders:
        order, *later = plan.orders
        verdict = referee.judge(game.position, seat, order["move"])
        if verdict.legal:
            return PlannedMove(order["move"], plan._replace(orders=tuple(later)), order=order)
        return PlannedMove(None, plan._replace(orders=()), (order["move"], verdict))
    move = _automatic(plan, game, seat)
    return PlannedMove(move, plan._replace(repeated=plan.repeated + 1) if move else plan)


def _automatic(plan: Plan, game: Game, seat: int) -> referee.table.Json | None:
    if plan.always_pass and referee.judge(game.position, seat, PASS).legal:
        return PASS
    if plan.only_move and game.rules.COMPLETE:
        listed = list(islice(referee.legal_moves(game.position, seat), 2))
        return listed[0] if len(listed) == 1 else None
    return None
