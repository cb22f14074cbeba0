"""Bots against each other: who is stronger in a ruleset, and how sure that is.

Every deal is played once for each way of passing the bots around, so that nobody gains by good cards or a
good seat. The numbers of a deal belong together, therefore; intervals are computed over deals.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

from referee.computer.bots import bot_move, bot_numbers
from referee.computer.match import payoffs
from referee.engine.chance import Seeded, game_key
from referee.engine.play import advance, deal, legal_moves
from referee.engine.registry import find

SURE = 1.96  # standard errors on each side of a 95 % interval


class Strength(NamedTuple):
    """What a bot was paid on average in its games, with a 95 % interval of this half-width."""

    bot: str
    games: int
    won: int
    points: float
    payoff: float
    within: float


class Lead(NamedTuple):
    """How much more a bot was paid than another one in the same deals, with a 95 % interval."""

    bot: str
    other: str
    payoff: float
    within: float


class Standings(NamedTuple):
    """The outcome of a league: strengths, leads of each bot over those after it, games cut short."""

    strengths: list[Strength]
    leads: list[Lead]
    unfinished: int


class _Game(NamedTuple):
    state: Any
    bots: list[str]


def play(
    ruleset: str,
    bots: Sequence[str],
    deals: int,
    *,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: bytes = b"\0",
    most: int = 10_000,
    budget: int | None = None,
) -> Standings:
    """Play each deal as often as there are bots. The same arguments always give the same answer.

    `most` moves end a game without a result; it then pays nobody. A `budget` replaces what bots may spend on
    a move. Raises Malformed for a game that cannot be set up, and KeyError for an unknown bot.
    """
    payoff: dict[str, list[float]] = {bot: [] for bot in bots}
    points = dict.fromkeys(bots, 0.0)
    won = dict.fromkeys(bots, 0)
    unfinished = 0
    for number in range(deals):
        paid = dict.fromkeys(bots, 0.0)
        for turn in range(len(bots)):
            key = seed + number.to_bytes(4, "big")
            game = _play_one(ruleset, bots, turn, seats, dict(options or {}), key, most, budget)
            unfinished += game.state.result is None
            for bot in paid:
                own = [seat for seat, name in enumerate(game.bots) if name == bot]
                amounts = payoffs(game.state)
                paid[bot] += sum(amounts[seat] for seat in own) / max(1, len(own)) / len(bots)
                points[bot] += sum(game.state.scores[seat] for seat in own) / max(1, len(own))
                won[bot] += game.state.result is not None and any(
                    seat in game.state.result["winners"] for seat in own
                )
        for bot, amount in paid.items():
            payoff[bot].append(amount)
    games = deals * len(bots)
    strengths = [
        Strength(bot, games, won[bot], points[bot] / max(1, games), *_interval(payoff[bot])) for bot in payoff
    ]
    leads = []
    for place, bot in enumerate(payoff):
        for other in [*payoff][place + 1 :]:
            more = [a - b for a, b in zip(payoff[bot], payoff[other], strict=True)]
            leads.append(Lead(bot, other, *_interval(more)))
    return Standings(strengths, leads, unfinished)


def _play_one(
    ruleset: str,
    bots: Sequence[str],
    turn: int,
    seats: int | None,
    options: dict[str, Any],
    seed: bytes,
    most: int,
    budget: int | None,
) -> _Game:
    """Play one game; team mates are the same bot, and the bots sit around the table in turn."""
    number = seats if seats is not None else default_seats(ruleset)
    key = game_key(seed, [""] * number)
    chance = Seeded(key)
    state, _ = deal(ruleset, number, options, chance)
    teams: list[list[int]] = []
    for seat in range(number):
        team = state.ruleset.team(state, seat)
        if team not in teams:
            teams.append(team)
    sides = {seat: side for side, team in enumerate(teams) for seat in team}
    names = [bots[(sides[seat] + turn) % len(bots)] for seat in range(number)]
    for seq in range(1, most + 1):
        if state.result is not None:
            break
        seat = state.to_act[0]
        moves = legal_moves(state, seat)
        move = (
            moves[0] if len(moves) == 1 else bot_move(names[seat], state, seat, bot_numbers(key, seq), budget)
        )
        advance(state, seat, move, chance)
    return _Game(state, names)


def default_seats(ruleset: str) -> int:
    """Return the smallest number of seats, above one, for which a ruleset can be played."""
    return next((seats for seats in find(ruleset).SEATS if seats > 1), 1)


def _interval(amounts: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % interval.

    Few deals that all ended alike prove little. So the width counts two deals more, which ended as far apart
    as any did.
    """
    most = max(map(abs, amounts), default=0.0)
    counted = [*amounts, most, -most]
    middle = sum(counted) / len(counted)
    variance = sum((amount - middle) ** 2 for amount in counted) / (len(counted) - 1)
    n = max(1, len(amounts))
    return sum(amounts) / n, SURE * sqrt(variance / n)
