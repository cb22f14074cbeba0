"""Two games that a viewer must not be able to distinguish: equal to the viewer, with different hidden cards.

What a viewer may see is computed here again from the rulesets' declarations: zones and who sees them, private
facts, and the cards of transfers. It does not use anything that the service shows, lists or judges.
"""

from __future__ import annotations

import json
import random
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import referee
from referee.engine.position import EVERYONE
from tests.referee.tables import Table

Outcome = dict[str, Any]
Made = tuple[int, dict[str, Any]]
Choice = Generator[Made | None, Any, None]
"""Yields moves for the states that it gets, and None at the end."""


@dataclass
class Played:
    """A game as far as it was played: its chance, its moves, and the position after each."""

    outcomes: list[Outcome]
    moves: list[Made]
    positions: list[str]
    seen: list[str]
    """What the viewer may see at each point."""


@dataclass
class Pair:
    """Two games at one table for one viewer (a seat, or None for spectators)."""

    table: Table
    viewer: int | None
    one: Played
    other: Played

    def differ(self, n: int) -> bool:
        """Return whether the two positions after `n` moves differ."""
        return self.one.positions[n] != self.other.positions[n]


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def may_see(state: Any, transfers: list[Any], viewer: int | None) -> str:
    """Return what a viewer may see of a position and of the cards that just moved."""
    eyes = (EVERYONE,) if viewer is None else (EVERYONE, viewer)
    whole = referee.dump(state)
    own = f"private.{viewer}."
    return text(
        {
            **{key: whole[key] for key in ("phase", "to_act", "scores", "result")},
            "zones": [list(place) if place.seen in eyes else len(place) for place in state.places],
            "facts": {
                name: value
                for name, value in whole["facts"].items()
                if not name.startswith("private.") or name.startswith(own)
            },
            "transfers": [
                [source, target, cards if left in eyes or came in eyes else len(cards)]
                for source, target, cards, left, came in transfers
            ],
        }
    )


def _play(
    table: Table, viewer: int | None, chance: Any, choose: Choice, like: list[str] | None = None
) -> tuple[Played | None, Any]:
    """Play the moves that `choose` returns for the state; stop when the view differs from `like`."""
    state, transfers = referee.deal(table.ruleset, table.seats, table.options, chance)
    played = Played([], [], [], [])
    next(choose)
    while True:
        played.positions.append(text(referee.dump(state)))
        played.seen.append(may_see(state, transfers, viewer))
        n = len(played.moves)
        if like is not None and (n >= len(like) or played.seen[n] != like[n]):
            return None, state
        made = None if state.result is not None else choose.send(state)
        if made is None:
            return played, state
        played.moves.append(made)
        transfers = referee.advance(state, *made, chance)


def _at_random(chance: random.Random, moves: int) -> Choice:
    state = yield
    for _ in range(moves):
        seat = chance.choice(state.to_act)
        anyone = chance.randrange(state.seats)
        if chance.random() < 0.15 and referee.legal_moves(state, anyone):
            seat = anyone
        listed = referee.legal_moves(state, seat)
        eager = [move for move in listed if move["type"] in {"lay", "ready", "accept"}]
        state = yield seat, chance.choice(eager if eager and chance.random() < 0.5 else listed)
    yield None


class Unlike(Exception):
    """The other game cannot continue as the first one did."""


def _alike(first: list[Made], viewer: int | None, chance: random.Random, before: list[Any]) -> Choice:
    """Yield moves that look like those of the first game to everybody except the mover."""
    state = yield
    for (seat, move), public in zip(first, before, strict=True):
        if referee.judge(state, seat, move).legal:
            state = yield seat, move
            continue
        alike = [m for m in referee.legal_moves(state, seat) if referee.public_move(state, m) == public]
        if seat == viewer or not alike:
            raise Unlike
        state = yield seat, chance.choice(alike)
    yield None


def make_pair(
    table: Table, viewer: int | None, number: int, moves: int, tries: int = 120, wanted: int = 12
) -> Pair | None:
    """Return a pair of games with at most this many moves, or None if no other cards are possible."""
    chance = random.Random(f"{table}{viewer}{number}")
    noted = referee.Noted(chance.randbytes(32))
    one, _ = _play(table, viewer, noted, _at_random(chance, moves))
    assert one is not None
    if json.loads(one.positions[-1])["result"] is not None:  # a finished hand has shown everything
        one = Played([], one.moves[:-1], one.positions[:-1], one.seen[:-1])
    one.outcomes = [{k: v for k, v in outcome.items() if k != "of"} for outcome in noted.outcomes]
    public = _public_moves(table, one)
    other = None
    outcomes = [dict(outcome) for outcome in one.outcomes]
    shuffled = [n for n, outcome in enumerate(outcomes) if "shuffle" in outcome]
    found = 0
    for _ in range(tries):
        if not shuffled or found >= wanted:
            break
        which = chance.choice(shuffled)
        order = list(outcomes[which]["shuffle"])
        i, j = chance.sample(range(len(order)), 2)
        if order[i] == order[j]:
            continue
        order[i], order[j] = order[j], order[i]
        tried = [*outcomes[:which], {"shuffle": order}, *outcomes[which + 1 :]]
        try:
            alike = _alike(one.moves, viewer, chance, public)
            played, _ = _play(table, viewer, referee.Scripted(tried), alike, one.seen)
        except (Unlike, referee.Malformed, referee.ChanceExhausted):
            continue
        if played is not None and len(played.moves) == len(one.moves):
            other, outcomes, found = played, tried, found + 1
    if other is None or all(a == b for a, b in zip(one.positions, other.positions, strict=True)):
        return None
    other.outcomes = outcomes
    return Pair(table, viewer, one, other)


def _public_moves(table: Table, played: Played) -> list[Any]:
    state, _ = referee.deal(table.ruleset, table.seats, table.options, referee.Scripted(played.outcomes))
    chance = referee.Scripted(played.outcomes)
    state, _ = referee.deal(table.ruleset, table.seats, table.options, chance)
    found = []
    for seat, move in played.moves:
        found.append(referee.public_move(state, move))
        referee.advance(state, seat, move, chance)
    return found
