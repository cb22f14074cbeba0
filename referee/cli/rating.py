"""The command that computes ratings again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from referee.audit.archives import is_archive, read
from referee.cli.reading import Shortfall, json_of, parsed
from referee.engine.jsontext import compact
from referee.engine.verdicts import Malformed
from referee.ratings import Played, Rating, ladder, played
from referee.verification.assessment import is_bundle
from referee.verification.verify import verify


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="RECORD|FOLDER|ARCHIVE...")
def ratings(paths: tuple[str, ...]) -> None:
    """Compute the ratings of players from records: a JSON line for each game and player, the best first.

    Records are verified first. Those that do not count are left out: bots, private or imported games, and
    games whose end has no place in the log of all games yet. Only all games of a server give its ratings, so
    standard error names files that are no records, and records without a log.
    """
    found: dict[int, Played] = {}
    for path in paths:
        for name, record in _records(path):
            if (one := _played(name, record)) and found.setdefault(one.place, one) != one:
                raise Shortfall(f"{name}: another game has the same place: they are not of one server")
    try:
        table = ladder(found.values())
    except Malformed as error:
        raise Shortfall(str(error)) from None
    for (ruleset, player), rating in sorted(table.items(), key=lambda row: (row[0][0], -row[1].points)):
        click.echo(compact({"ruleset": ruleset, "player": player, **_shown(rating)}))


def _shown(rating: Rating) -> dict[str, Any]:
    numbers = {"mu": round(rating.mu, 6), "sigma": round(rating.sigma, 6), "games": rating.games}
    return {"rating": rating.points, **numbers, "provisional": rating.provisional}


def _records(path: str) -> Iterator[tuple[str, Any]]:
    if not is_archive(Path(path)):
        yield path, json_of(path)
        return
    try:
        for batch in read(Path(path)).batches:
            for name, text in batch.records:
                if isinstance(text, str):
                    raise Shortfall(f"{name}: {text}")
                yield name, parsed(name, text)
    except (Malformed, OSError) as error:
        raise Shortfall(f"{path}: {error}") from None


def _played(name: str, data: Any) -> Played | None:
    record = data
    if type(data) is dict and (is_bundle(data) or data.keys() >= {"record", "game"}):
        record = data["record"]
    if type(record) is not dict or "moves" not in record:
        click.echo(f"{name}: is no record, and is left out", err=True)
        return None
    try:
        verified = verify(record)
    except Malformed as error:
        raise Shortfall(f"{name}: {error}") from None
    if not verified.ok:
        raise Shortfall(f"{name}: does not hold; look at it with referee verify")
    if not record.get("entries"):
        click.echo(f"{name}: has no log, and is left out", err=True)
        return None
    return played(record)
