"""Ratings of players, computed from finished games in their order, so that anybody can compute them again.

Only public games between people count: each seat is held by another player at the end, the game was dealt in
real time, and its end has a place in the log of all games, which is the order. Winners share the first rank,
losers the second. The model is Plackett-Luce of openskill (Weng and Lin, JMLR 12, 2011), which is in the
extra `ratings`.

>>> after = rate({}, Played(7, "bisca", ("anna", "ben"), frozenset({0})))
>>> after["anna"].games, after["anna"].points > after["ben"].points, after["ben"].provisional
(1, True, True)
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from referee.engine.extras import require
from referee.engine.jsontext import parse
from referee.verification import inclusion

PROVISIONAL = 10
"""Games until a rating says something."""
START, SCALE = 1000, 40  # of points: a newcomer's, and how many each unit of skill is worth


class Rating(NamedTuple):
    """What is known of a player's skill: its estimate and the uncertainty of that, after so many games."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    games: int = 0

    @property
    def points(self) -> int:
        """The rating that people read: a skill that the player has almost surely, 1000 for a newcomer."""
        return round(START + SCALE * (self.mu - 3 * self.sigma))

    @property
    def provisional(self) -> bool:
        """Whether the player has finished too few games to be compared."""
        return self.games < PROVISIONAL


class Played(NamedTuple):
    """A finished game that counts: its place in the log of all games, its players by seat, who has won."""

    place: int
    ruleset: str
    players: tuple[str, ...]
    winners: frozenset[int]


def counts(players: Iterable[str | None]) -> bool:
    """Return whether a game counts between those who held its seats at the end; None: a bot."""
    held = [*players]
    return len(held) > 1 and None not in held and len({*held}) == len(held)


def rate(ratings: Mapping[str, Rating], game: Played) -> dict[str, Rating]:
    """Return the ratings of a game's players after it. Raises Malformed without openskill."""
    model = require("openskill.models", "ratings").PlackettLuce()
    before = [ratings.get(player, Rating()) for player in game.players]
    sides = [[model.rating(mu=each.mu, sigma=each.sigma)] for each in before]
    ranks = [1 if seat in game.winners else 2 for seat in range(len(sides))]
    after = model.rate(sides, ranks=ranks)
    return {
        player: Rating(one.mu, one.sigma, old.games + 1)
        for player, (one,), old in zip(game.players, after, before, strict=True)
    }


def played(record: Mapping[str, Any]) -> Played | None:
    """Return the game of a record with its log, which was verified before; None if it does not count."""
    first, *entries = record["entries"]
    place = _place(record)
    if first["visibility"] != "public" or {"origin", "test_clock"} & first.keys() or place is None:
        return None
    held: dict[int, str | None] = {}
    result = None
    for entry in entries:
        if entry["type"] in ("joined", "left"):
            holder = entry["player"] if entry["type"] == "joined" else None
            held[entry["seat"]] = holder and holder["id"]
        elif entry["type"] == "finished":
            result = entry["result"]
    players = [held.get(seat) for seat in range(first["seats"])]
    if result is None or not counts(players):
        return None
    return Played(place, first["ruleset"], tuple(map(str, players)), frozenset(result["winners"]))


def _place(record: Mapping[str, Any]) -> int | None:
    """Return the place of a game's end; None without a whole proof of it: verification skips others."""
    proofs = record.get("inclusion") or {}
    for leaf in proofs["leaves"] if proofs.keys() >= inclusion.MEMBERS else ():
        if leaf.keys() >= inclusion.LEAF_MEMBERS and parse(leaf["data"])["type"] == "finished":
            return int(leaf["index"])
    return None


Ladder = dict[tuple[str, str], Rating]
"""Ratings by ruleset and player."""


def ladder(games: Iterable[Played]) -> Ladder:
    """Return the ratings of all players after these games, which may come in any order."""
    ratings: Ladder = {}
    for game in sorted(games):
        old = {p: ratings[game.ruleset, p] for p in game.players if (game.ruleset, p) in ratings}
        ratings |= {(game.ruleset, player): rating for player, rating in rate(old, game).items()}
    return ratings
