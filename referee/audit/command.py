"""`referee verify` of a folder or an archive: progress, failures, a summary."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from referee.audit import archives, engines
from referee.audit.archives import is_archive as is_archive
from referee.audit.tally import Failure, Summary, Terms
from referee.engine.jsontext import printable
from referee.verification.findings import CONTRADICTED


def verify_archive(
    path: Path, terms: Terms, *, jobs: int | None, scheduler: str | None, require_end: bool = False
) -> str:
    """Verify every record and return the verdict on all. Raises Malformed for an unreadable archive, OSError.

    Failures are printed as they are found. Then follows the number of each kind.
    """
    source = archives.read(path)
    summary = Summary()
    with (
        engines.cluster(scheduler) if scheduler else engines.local(jobs) as engine,
        progress(source.total) as advance,
    ):
        for batch, found in engine.verify(source.batches, terms):
            print_failures(found.failures)
            summary.add(found)
            advance(batch.done)
    for line in summary.unusual():
        click.echo(line)
    for name in source.unmarked:
        word = "FAIL" if require_end else "-   "
        click.echo(printable(f"{word}  archive: {name} has no end mark: games may be missing"))
    for line in summary.lines():
        click.echo(printable(line))
    return CONTRADICTED if require_end and source.unmarked else summary.verdict


def print_failures(failures: Iterable[Failure]) -> None:
    """Print each failure."""
    for failure in failures:
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
