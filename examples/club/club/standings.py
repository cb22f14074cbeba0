"""What results mean: matches, tables, the ladder and ratings, always computed from all results.

Nothing is added up over time. The same results give the same standings, in whatever order they arrived.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from openskill.models import PlackettLuce, PlackettLuceRating


class Game(NamedTuple):
    """A game of a match. `waited_for` are the members whose turn it was when it was cancelled."""

    match: str
    number: int
    id: str | None
    ended_at: datetime | None = None
    winner: str | None = None
    cancelled: bool = False
    waited_for: tuple[str, ...] = ()


class Match(NamedTuple):
    """A match of two members, who are first in turns; a bye without a second one."""

    id: str
    event: str
    round: int
    first: str
    second: str | None
    deadline: datetime
    closed: bool = False

    def seats(self, number: int) -> tuple[str, str]:
        """Return who has which seat in one of its games: they change places after each game."""
        assert self.second is not None
        return (self.first, self.second) if number % 2 else (self.second, self.first)


class Row(NamedTuple):
    """A member in a table."""

    member: str
    points: float
    opponents: float  # their points together (Buchholz), which decide ties
    won: int
    played: int


def decided(match: Match, games: Sequence[Game], best_of: int) -> bool:
    """Tell whether no further game of a match can change its winner."""
    if match.second is None or any(game.cancelled for game in games):
        return True
    first, second = (_wins(member, games) for member in (match.first, match.second))
    return abs(first - second) > best_of - len(games) or len(games) >= best_of


def points(match: Match, games: Sequence[Game]) -> dict[str, float]:
    """Return the points of both members of a match that is closed.

    Who has won more games wins. If that is equal and a game was cancelled while it waited for one of them
    alone, the other one wins; otherwise the match is drawn. A bye is a win.
    """
    if match.second is None:
        return {match.first: 1.0}
    first, second = (_wins(member, games) for member in (match.first, match.second))
    for game in games if first == second else ():
        if game.cancelled and len(game.waited_for) == 1:
            first, second = match.first not in game.waited_for, match.second not in game.waited_for
    if first == second:
        return {match.first: 0.5, match.second: 0.5}
    return {match.first: float(first > second), match.second: float(second > first)}


def _wins(member: str, games: Iterable[Game]) -> int:
    return sum(game.winner == member for game in games)


def table(members: Sequence[str], matches: Sequence[Match], games: Sequence[Game]) -> list[Row]:
    """Return the table of a tournament, the best first."""
    of_match = by_match(games)
    total, met, played = (
        defaultdict[str, float](float),
        defaultdict[str, list[str]](list),
        defaultdict[str, int](int),
    )
    for match in matches:
        if not match.closed:
            continue
        for member, gained in points(match, of_match[match.id]).items():
            total[member] += gained
            played[member] += 1
        if match.second is not None:
            met[match.first].append(match.second)
            met[match.second].append(match.first)
    rows = [
        Row(
            member,
            total[member],
            sum(total[other] for other in met[member]),
            _wins(member, games),
            played[member],
        )
        for member in members
    ]
    return sorted(rows, key=lambda row: (-row.points, -row.opponents, -row.won, members.index(row.member)))


def ladder(members: Sequence[str], matches: Sequence[Match], games: Sequence[Game]) -> list[str]:
    """Return the ladder: a winner from below takes the loser's place, and those between move down."""
    order, of_match = list(members), by_match(games)

    def end(match: Match) -> tuple[datetime, str]:
        return max(
            (game.ended_at for game in of_match[match.id] if game.ended_at), default=match.deadline
        ), match.id

    for match in sorted((match for match in matches if match.closed), key=end):
        gained = points(match, of_match[match.id])
        winner, loser = sorted(gained, key=gained.__getitem__, reverse=True)
        if gained[winner] > gained[loser] and order.index(winner) > order.index(loser):
            order.remove(winner)
            order.insert(order.index(loser), winner)
    return order


def ratings(matches: Iterable[Match], games: Iterable[Game]) -> dict[str, float]:
    """Return everybody's rating: a cautious estimate, which rises as more games are known."""
    model, known = PlackettLuce(), {match.id: match for match in matches}
    rated: dict[str, PlackettLuceRating] = defaultdict(model.rating)
    ended = [(game.ended_at, game.match, game) for game in games if game.ended_at and not game.cancelled]
    for _, match, game in sorted(ended, key=lambda one: (one[0], one[1], one[2].number)):
        pair = known[match].seats(game.number)
        ranks = [2.0 if game.winner not in (None, member) else 1.0 for member in pair]
        [[rated[pair[0]]], [rated[pair[1]]]] = model.rate([[rated[member]] for member in pair], ranks=ranks)
    return {member: rating.ordinal() for member, rating in rated.items()}


def by_match(games: Iterable[Game]) -> defaultdict[str, list[Game]]:
    """Return the games of each match."""
    found = defaultdict[str, list[Game]](list)
    for game in games:
        found[game.match].append(game)
    return found
