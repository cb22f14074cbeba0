"""Commands about bots: who is stronger."""

from typing import Any

import click

from referee.cli.reading import json_value, known_bots, wrong_call
from referee.computer.league import Standings, play
from referee.engine.chance import seed_bytes


@click.command()
@click.argument("ruleset")
@click.option("--bot", "bots", multiple=True, required=True, callback=known_bots, help="two or more")
@click.option("--games", type=click.IntRange(1), default=100, show_default=True, help="how many at least")
@click.option("--seats", type=int, help="number of seats; the smallest above one unless said")
@click.option("--options", default="{}", callback=json_value, help="options of the ruleset, as JSON")
@click.option("--seed", default="00", show_default=True, help="hex; the same seed gives the same league")
@click.option("--max-moves", type=click.IntRange(1), default=10_000, show_default=True)
@click.option("--budget", type=click.IntRange(1), help="moves that a bot may try for each of its moves")
def league(
    ruleset: str,
    bots: tuple[str, ...],
    games: int,
    seats: int | None,
    options: Any,
    seed: str,
    max_moves: int,
    budget: int | None,
) -> None:
    """Play bots against each other and print how strong they are, with 95 % intervals.

    A payoff is 1 for a win and -1 for a loss, unless the ruleset pays otherwise.
    """
    if len(set(bots)) < len(bots) or len(bots) < 2:
        raise click.UsageError("A league needs two or more different bots.")
    deals = -(-games // len(bots))
    given = wrong_call(seed_bytes, seed)

    def run() -> Standings:
        settings = {"seats": seats, "options": options, "seed": given, "most": max_moves, "budget": budget}
        return play(ruleset, bots, deals, **settings)

    for line in lines(wrong_call(run), deals):
        click.echo(line)


def lines(standings: Standings, deals: int) -> list[str]:
    """Return what is printed of a league."""
    told = [f"{deals} deal{'s' * (deals > 1)}, each played {len(standings.strengths)} times"]
    for one in sorted(standings.strengths, key=lambda one: -one.payoff):
        payoff = f"payoff {one.payoff:+.2f} ± {one.within:.2f}"
        won = f"{one.won} of {one.games} games won"
        told.append(f"{one.bot}: {payoff}, {won}, {one.points:.2f} points a game")
    for lead in standings.leads:
        first, other, more = lead.bot, lead.other, lead.payoff
        if more < 0:
            first, other, more = other, first, -more
        sure = "stronger" if more > lead.within else "no clear difference"
        told.append(f"{first} over {other}: {more:+.2f} ± {lead.within:.2f}: {sure}")
    if standings.unfinished:
        told.append(f"{standings.unfinished} games were cut short and paid nobody")
    return told
