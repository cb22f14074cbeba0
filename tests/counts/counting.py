"""Count the positions and the lines of play that a few moves lead to."""

from collections.abc import Iterator
from typing import NamedTuple

import orjson

import referee

SEED = bytes(32)
# A depth at which counting takes at most two seconds; other games are counted to depth 2.
DEPTHS = {
    ("cats_and_dogs", 3): 5,
    ("pies", 4): 9,
    ("pedro", 4): 2,
    ("dog_cards", 2): 3,
    ("mau_mau", 2): 5,
    ("palace", 2): 3,
    ("bisca", 2): 4,
    ("truco", 4): 5,
    ("landlord", 4): 3,
}
NAMED = {ruleset for ruleset, _ in DEPTHS}
TABLES = DEPTHS | {(game.ID, min(game.SEATS)): 2 for game in referee.newest() if game.ID not in NAMED}
HEAD = f"""# Counts to check another implementation against

From the deal of seed `{SEED.hex()}`, empty entropy, default options: after n moves there are so many
different **positions** (as `referee deal` writes them) and so many **lines** of play (sequences of moves)
that lead to them. A move is any listed legal move of any seat, whoever the game waits for; chance goes on
by the seed, so the k-th outcome of a line is the k-th of the seed. Positions that differ in nothing but
the number of outcomes drawn so far count as different.

`make generate` computes this page; a test compares.

| ruleset | seats | n | positions | lines |
| --- | --- | --- | --- | --- |
"""


class Level(NamedTuple):
    """The counts after n moves."""

    n: int
    positions: int
    lines: int


def levels(ruleset: str, seats: int, depth: int) -> Iterator[Level]:
    """Yield the counts level by level."""
    chance = referee.Seeded.from_seed(SEED, [""] * seats)
    start, _ = referee.deal(ruleset, seats, {}, chance)
    found = {_key(start, chance.drawn): (start, chance.drawn, 1)}
    for n in range(1, depth + 1):
        after: dict[bytes, tuple[object, int, int]] = {}
        for state, drawn, lines in found.values():
            for seat in range(seats):
                for move in referee.legal_moves(state, seat):
                    again = referee.clone(state)
                    chance = referee.Seeded.from_seed(SEED, [""] * seats, drawn)
                    referee.advance(again, seat, move, chance)
                    key = _key(again, chance.drawn)
                    more = after[key][2] if key in after else 0
                    after[key] = (again, chance.drawn, more + lines)
        found = after
        yield Level(n, len(found), sum(lines for _, _, lines in found.values()))


def _key(state: referee.Position, drawn: int) -> bytes:
    return orjson.dumps([referee.dump(state), drawn], option=orjson.OPT_SORT_KEYS)


def page() -> str:
    """Return the README of this folder."""
    rows = [
        f"| {ruleset} | {seats} | {level.n} | {level.positions} | {level.lines} |\n"
        for (ruleset, seats), depth in TABLES.items()
        for level in levels(ruleset, seats, depth)
    ]
    return HEAD + "".join(rows)
