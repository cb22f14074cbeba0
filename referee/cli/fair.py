"""`referee fair`: whether games were fair, in sentences for people; the checks for experts follow."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from referee.audit import archives, engines
from referee.audit.command import print_failures, progress
from referee.audit.fair import Fairness, Standing
from referee.audit.tally import Failure, Found, Summary, Terms
from referee.cli.reading import Shortfall, keys_of, policy_of, receipts_of
from referee.engine.jsontext import printable
from referee.engine.verdicts import Malformed
from referee.proofs.receipts import Receipt
from referee.texts.fairness import ENGLISH, UNKNOWABLE, languages, say
from referee.verification.findings import EXITS, PROMISES

COLUMNS = ("player", "games", "wins", "score")
WORDS = {True: "ok  ", False: "FAIL", None: "-   "}


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--policy", type=Path, help="the keys and witnesses to trust, as a tlog-policy")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
@click.option(
    "--receipts", multiple=True, type=Path, help="receipts that somebody kept, in a file with their name"
)
@click.option("--jobs", type=click.IntRange(1), help="processes, for many games; one a core unless said")
@click.option("--language", type=click.Choice(languages()), default=ENGLISH, help="of the sentences")
def fair(
    paths: tuple[Path, ...],
    policy: Path | None,
    keys: Path | None,
    receipts: tuple[Path, ...],
    jobs: int | None,
    language: str,
) -> None:
    """Say whether the games in PATHS were fair: records, bundles, folders, exports.

    First come sentences that can be read aloud, then the games and who played, what nobody can know, and
    every check with who guarantees it. The exit status is that of `referee verify`.
    """
    held: dict[str, list[tuple[str, Receipt]]] = {}
    for path in receipts:
        for receipt in receipts_of(path):
            held.setdefault(receipt.origin.rpartition("/")[2], []).append((path.stem, receipt))
    terms = Terms(False, keys_of(keys), policy_of(policy), held)
    told, summary, failures = Fairness(language), Summary(), list[Failure]()
    for found in _verified(paths, terms, jobs):
        summary.add(found)
        failures += found.failures
        for game in found.games:
            told.add(game)
    if not summary.verdicts:
        raise click.UsageError("There is no record in PATHS.")
    _say(told.sentences())
    _say_section("results", told.results, language)
    standings = sorted(told.standings.values(), key=lambda one: (-one.won, -one.points, one.name))
    _say_section("standings", _in_columns(standings, language), language)
    _say_section("unknowable", [f"- {say(name, language)}" for name in UNKNOWABLE], language)
    _say_section("checks", _checks(summary), language)
    print_failures(failures)
    _say(summary.unchecked_lines())
    click.echo(f"NOTE  verdict: {summary.verdict}")
    sys.exit(EXITS[summary.verdict])


def _verified(paths: Sequence[Path], terms: Terms, jobs: int | None) -> Iterator[Found]:
    """Yield what is found in all these files and folders. Raises UsageError, Shortfall."""
    many = any(map(archives.is_archive, paths))
    with engines.local(jobs if many else 1) as engine:
        for path in paths:
            try:
                source = archives.read(path)
                with progress(source.total) as advance:
                    for batch, found in engine.verify(source.batches, terms):
                        yield found
                        advance(batch.done)
            except Malformed as error:
                raise Shortfall(f"{path}: {error}") from None
            except OSError as error:
                raise click.UsageError(f"{path}: {error.strerror}") from None


def _checks(summary: Summary) -> Iterator[str]:
    """Yield each check, what it proves, who guarantees that, and in how many games it was found."""
    for name, (proves, by) in PROMISES.items():
        failed, held, unchecked = (summary.checks[name, ok] for ok in (False, True, None))
        word = WORDS[False if failed else held > 0 or None]
        counted = f"{held} hold, {failed} fail, {unchecked} not checked"
        yield f"{word}  {name} [{by}]: {proves}: {counted}"


def _in_columns(standings: Sequence[Standing], language: str) -> Iterator[str]:
    rows = [(one.name, f"{one.played}", f"{one.won}", f"{one.points:g}") for one in standings]
    table = [tuple(say(name, language) for name in COLUMNS), *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *numbers in table:
        cells = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))
        yield "  ".join([name.ljust(widths[0]), *cells])


def _say_section(head: str, lines: Iterable[str], language: str) -> None:
    click.echo(f"\n{say(head, language)}")
    _say(lines)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line))
