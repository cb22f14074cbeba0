"""`referee verify` of a folder or an archive: progress, failures, a summary."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from referee.audit import archives, engines
from referee.audit.archives import is_archive as is_archive
from referee.audit.tally import Found, Summary
from referee.engine.jsontext import printable
from referee.proofs.policy import Policy
from referee.proofs.receipts import Key
from referee.verification.findings import EXITS, PROVED, verdict

WORDS = {0: "ok  ", 1: "FAIL", 2: "-   "}  # by exit status


def verify_archive(
    path: Path,
    *,
    jobs: int | None,
    scheduler: str | None,
    require_log: bool,
    require_end: bool = False,
    keys: Sequence[Key] = (),
    policy: Policy | None = None,
) -> str:
    """Verify every record and return the verdict on all. Raises Malformed for an unreadable archive, OSError.

    Of a folder, a sentence about all games is printed first, then a line for each game. Of an archive,
    failures are printed as they are found. Then follows the number of each kind.
    """
    source = archives.read(path)
    summary, found = Summary(), list[Found]()
    with (
        engines.cluster(scheduler) if scheduler else engines.local(jobs) as engine,
        progress(source.total) as advance,
    ):
        for batch, tally in engine.verify(source.batches, require_log, keys, policy=policy):
            if path.is_dir():
                found.append(tally)
            else:
                print_failures(tally)
            summary.add(tally)
            advance(batch.done)
    for line in summary.unusual():
        click.echo(line)
    if summary.records:
        click.echo(summary.sentence())
    for tally in found:
        for game in tally.games:
            said = ": ".join(filter(None, [game.verdict, game.why]))
            line = f"{WORDS[EXITS[game.verdict]]}  {game.name}: {'; '.join(filter(None, [game.ended, said]))}"
            click.echo(printable(line))
        print_failures(tally)
    for name in source.unmarked:
        click.echo(
            printable(
                f"{'FAIL' if require_end else '-   '}  archive: {name} has no end mark: games may be missing"
            )
        )
    for line in summary.lines():
        click.echo(printable(line))
    fails = not summary.records or summary.failed > 0 or (require_end and bool(source.unmarked))
    vouched = summary.verdicts[PROVED] == summary.records
    return verdict(fails, summary.short > 0, vouched)


def print_failures(tally: Found) -> None:
    """Print each failure of a batch."""
    for failure in tally.failures:
        where = "" if failure.seq is None else f"entry {failure.seq}: "
        click.echo(printable(f"FAIL  {failure.name}: {failure.check}: {where}{failure.detail}"))


@contextmanager
def progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show the progress on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    with click.progressbar(length=total, label="verifying", file=sys.stderr) as bar:
        yield lambda done: bar.update(done - bar.pos)
