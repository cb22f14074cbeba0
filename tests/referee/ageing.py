"""A ruleset for tests in two versions, which differ in one ruling.

Two seats hold three cards each and play one each in turn; the higher card wins the trick, and its player
leads. Of two equal cards, the first one wins in version 1 (`lofty.tie`), and the second one since version 2.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, zone
from referee.engine import registry


class Rules(SimpleNamespace):
    """Stands for a module: each instance equals only itself."""

    __hash__ = object.__hash__


DECK = tuple("112233445566")
FIRST_WINS, SECOND_WINS = 0, 1


@ref.state
class State(Position):
    """A game in progress."""

    hand: list[Zone] = zone(OWNER, sort=ref.AS_TEXT, per_seat=True)
    trick: Zone = zone(EVERYONE)
    won: list[Zone] = zone(EVERYONE, sort=ref.AS_TEXT, per_seat=True)
    stock: Zone = zone(NOBODY)
    lead: int = fact(ref.seat_number, "who leads")


def ruleset(version: int, tie: int) -> Any:
    """Return the rules of a version; `tie` is the ruling that was changed."""

    def deal(state: State, chance: Chance) -> None:
        cards = chance.shuffle(DECK)
        for seat in (0, 1):
            ref.put(state, state.hand[seat], cards[seat:6:2])
        ref.put(state, state.stock, cards[6:])
        state.phase, state.lead = "play", 0

    def due(state: State) -> list[int]:
        return [(state.lead + len(state.trick)) % 2]

    def play(state: State, seat: int, play: Move, chance: Chance) -> None:
        move(state, state.hand[seat], state.trick, [play["card"]])
        if len(state.trick) == 1:
            return
        first, second = state.trick
        order = tie if first == second else int(second > first)
        state.lead = state.lead if order == 0 else 1 - state.lead
        move(state, state.trick, state.won[state.lead], state.trick[:])
        state.scores[state.lead] += 1
        ref.finish(state, ending(state))

    def ending(state: State) -> dict[str, Any] | None:
        winner = int(state.scores[1] > state.scores[0])
        return None if any(state.hand) else ref.outcome(state, [winner], "tricks")

    rules = Rules(
        ID="lofty",
        VERSION=version,
        NAME="Lofty",
        SEATS=(2,),
        REASONS={"tricks": "the most tricks"},
        DECK=DECK,
        State=State,
        BLOCKS=(ref.move_type("play", "play", play, fields={"card": ref.Field(ref.CARD, zones="hand")}),),
        deal=deal,
        due=due,
        ending=ending,
        check=lambda state: None,
    )
    ref.complete(vars(rules))
    return rules


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
