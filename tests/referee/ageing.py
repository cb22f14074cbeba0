"""A ruleset for tests in two versions, which differ in one ruling.

Two seats hold three cards each and play one each in turn; the higher card wins the trick, and its player
leads. Of two equal cards, the first one wins in version 1 (`lofty.tie`), and the second one since version 2.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from referee.engine import registry
from referee.engine.chance import Chance
from referee.engine.moving import alone, finish, move, outcome, put
from referee.engine.position import (
    AS_TEXT,
    EVERYONE,
    NOBODY,
    OWNER,
    Position,
    Zone,
    fact,
    seat_number,
    zone,
)
from referee.engine.shapes import CARD, Field, Move
from referee.engine.verdicts import Refusal, not_held


class Rules(SimpleNamespace):
    """Stands for a module: each instance equals only itself."""

    __hash__ = object.__hash__


DECK = tuple("112233445566")
FIRST_WINS, SECOND_WINS = 0, 1


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    """A game in progress."""

    hand: list[Zone] = zone(OWNER, sort=AS_TEXT, per_seat=True)
    trick: Zone = zone(EVERYONE)
    won: list[Zone] = zone(EVERYONE, sort=AS_TEXT, per_seat=True)
    stock: Zone = zone(NOBODY)
    lead: int = fact(seat_number, "who leads")


def ruleset(version: int, tie: int) -> Any:
    """Return the rules of a version; `tie` is the ruling that was changed."""

    def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
        return DECK

    def deal(state: State, chance: Chance) -> None:
        cards = chance.shuffle(DECK)
        for seat in (0, 1):
            put(state, state.hand[seat], cards[seat:6:2])
        put(state, state.stock, cards[6:])
        state.phase, state.lead = "play", 0

    def due(state: State) -> list[int]:
        return [(state.lead + len(state.trick)) % 2]

    def refuse(state: State, seat: int, play: Move) -> Refusal | None:
        return None if play["card"] in state.hand[seat] else not_held(play["card"])

    def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
        move(state, state.hand[seat], state.trick, [play["card"]])
        if len(state.trick) == 1:
            return
        first, second = state.trick
        order = tie if first == second else int(second > first)
        state.lead = state.lead if order == 0 else 1 - state.lead
        move(state, state.trick, state.won[state.lead], state.trick[:])
        state.scores[state.lead] += 1
        finish(state, ending(state))

    def ending(state: State) -> dict[str, Any] | None:
        winner = int(state.scores[1] > state.scores[0])
        return None if any(state.hand) else outcome(state, [winner], "tricks")

    return Rules(
        ID="lofty",
        VERSION=version,
        NAME="Lofty",
        SEATS=(2,),
        PHASES={"play": ("play",), "over": ()},
        MOVES={"play": {"card": Field(CARD)}},
        OUT_OF_TURN=(),
        COMPLETE=True,
        REASONS=("tricks",),
        State=State,
        options=lambda seats: {},
        deck=deck,
        deal=deal,
        refuse=refuse,
        due=due,
        team=alone,
        apply=apply,
        ending=ending,
        check=lambda state: None,
    )


FIRST_VERSION, SECOND_VERSION = ruleset(1, FIRST_WINS), ruleset(2, SECOND_WINS)


@contextmanager
def on_offer(*versions: Any) -> Iterator[None]:
    """Register versions of the ruleset for some time."""
    for version in versions:
        registry.register(version)
    try:
        yield
    finally:
        for version in versions:
            del registry._BY_ID[version.ID, version.VERSION]
            registry._VERSIONS.pop(version.ID, None)
