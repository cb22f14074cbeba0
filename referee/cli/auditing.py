"""`referee audit`: a report of a folder of archives."""

import sys
from pathlib import Path

import click

from referee.audit import archives, engines
from referee.audit.command import print_failures, progress
from referee.audit.journal import Journal
from referee.audit.manifests import check_folder
from referee.audit.tally import Summary
from referee.cli.reading import Shortfall, keys_of, text_of, wrong_call
from referee.engine.jsontext import printable
from referee.engine.verdicts import Malformed
from referee.log.policy import read_policy
from referee.log.receipts import Key
from referee.log.succession import trusted

WORDS = {True: "ok  ", False: "FAIL", None: "-   "}


@click.command("audit")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
@click.option("--policy", type=Path, help="of --keys, trust only those that a key of this policy endorses")
@click.option("--require-log", is_flag=True, help="fail where a record has no log")
@click.option("--jobs", type=click.IntRange(1), help="processes; one a core unless said")
@click.option("--journal", type=Path, help="a file that keeps what was verified: the next audit continues")
def audit(
    folder: Path,
    keys: Path | None,
    policy: Path | None,
    require_log: bool,
    jobs: int | None,
    journal: Path | None,
) -> None:
    """Verify all archives in DIR: is each month whole, and does each game hold?

    Prints each failure with its game, then a line for each archive's manifest, each ruleset and each kind of
    failure. Exits with 1 if anything fails.
    """
    known = _keys(keys, policy)
    summary = Summary()
    try:
        manifests = check_folder(folder, known)
        source = archives.read(folder)
        with (
            Journal(journal, require_log, known) as notes,
            engines.local(jobs) as engine,
            progress(source.total) as advance,
        ):
            for batch, tally in engine.verify(source.batches, require_log, known, notes.known):
                notes.add(batch, tally)
                print_failures(tally)
                summary.add(tally)
                advance(batch.done)
    except Malformed as error:
        raise Shortfall(f"{folder}: {error}") from None
    except OSError as error:
        raise click.UsageError(f"{folder}: {error.strerror}") from None
    for one in manifests:
        click.echo(printable(f"{WORDS[one.ok]}  {one.name}: {one.detail}"))
    for line in (*summary.unusual(), *summary.by_ruleset(), *summary.lines()):
        click.echo(printable(line))
    if summary.failed or not summary.records or any(one.ok is False for one in manifests):
        sys.exit(1)


def _keys(keys: Path | None, policy: Path | None) -> list[Key]:
    """Return the keys to trust."""
    listed = keys_of(keys)
    return listed if policy is None else trusted(wrong_call(read_policy, text_of(policy)).logs, listed)
