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
from referee.log.receipts import Key


def verify_archive(
    path: Path,
    *,
    jobs: int | None,
    scheduler: str | None,
    require_log: bool,
    require_end: bool = False,
    keys: Sequence[Key] = (),
) -> bool:
    """Verify every record and return whether all hold. Raises Malformed for an unreadable archive, OSError.

    Failures are printed as they are found, in the archive's order, then the number of each kind.
    """
    source = archives.read(path)
    summary = Summary()
    with (
        engines.cluster(scheduler) if scheduler else engines.local(jobs) as engine,
        progress(source.total) as advance,
    ):
        for batch, tally in engine.verify(source.batches, require_log, keys):
            print_failures(tally)
            summary.add(tally)
            advance(batch.done)
    for name in source.unmarked:
        click.echo(
            printable(
                f"{'FAIL' if require_end else '-   '}  archive: {name} has no end mark: games may be missing"
            )
        )
    for line in summary.lines():
        click.echo(printable(line))
    return summary.records > 0 and not summary.failed and not (require_end and source.unmarked)


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
