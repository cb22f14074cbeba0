"""Commands that verify records, receipts and forks, and that write dispute reports."""

import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import click

from referee.audit.command import is_archive, verify_archive
from referee.cli.bundles import PROOFS, print_kinds, verify_file, verify_proof
from referee.cli.reading import Shortfall, bytes_of, json_of, keys_of, parsed, refuse, text_of, wrong_call
from referee.dispute.page import dispute_report
from referee.engine.jsontext import compact, printable
from referee.engine.verdicts import Malformed
from referee.log.traces import traces
from referee.proofs.policy import read_policy
from referee.proofs.receipts import Key, Receipt, read_receipts
from referee.verification import forks
from referee.verification.bundle import evidence, is_bundle
from referee.verification.findings import EXITS, NOT_YET, Report, verdict
from referee.verification.verify import verify as verify_record

SCHEDULER = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}").fullmatch


class Options(NamedTuple):
    """The options of `referee verify`."""

    require_log: bool
    require_end: bool
    receipts: tuple[str, ...]
    keys: Path | None
    fork: Path | None
    policy: Path | None
    jobs: int | None
    scheduler: str | None


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="[--receipts FILE...] RECORD|FOLDER|ARCHIVE|PROOF")
@click.option("--require-log", is_flag=True, help="fail where a record has no log")
@click.option("--require-end", is_flag=True, help="fail where an archive has no end mark")
@click.option("--receipts", "receipts", multiple=True, help="files of receipts that the log must fit")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
@click.option("--fork", type=Path, help="where to write the proof, if two receipts conflict")
@click.option("--policy", type=Path, help="the keys and witnesses to trust, as a tlog-policy")
@click.option("--jobs", type=click.IntRange(1), help="processes for an archive; one a core unless said")
@click.option("--scheduler", help="address of a Dask scheduler whose workers verify an archive: tcp://…")
def verify(files: tuple[str, ...], **options: Any) -> None:
    """Verify RECORD and its log: a line for each check, what holds, what not, what could not be checked.

    Of a bundle, or with a policy, a line for each promise says who guarantees it: with `-`, nobody has
    checked it. Ends with a verdict: proved (exit status 0), contradicted (1), or not enough evidence yet
    (2), where the policy asks for evidence that is not there, or the game still runs.

    All files but the last, which is the record, are of receipts. Of a FOLDER of records or an ARCHIVE
    (.ndjson, .ndjson.gz) each failure is printed, then how many there are of each kind. Of a proof that a
    server signed two logs or left a game out, as `--fork` or a witness writes it, what it proves is printed.
    """
    given = Options(**options)
    *more, record = files
    if more and not given.receipts:
        raise click.UsageError("There is one RECORD; files of receipts follow --receipts.")
    if is_archive(Path(record)):
        _verify_archive(Path(record), given)
        return
    data = json_of(record)
    if type(data) is dict and data.get("format") in PROOFS:
        verify_proof(record, data, given.policy, given.keys)
    elif is_bundle(data):
        if more or (given.keys and not given.policy):
            raise click.UsageError("a bundle has its own receipts and keys; give a --policy")
        verify_file(record, data, given.policy, given.keys)
    elif given.policy is None:
        _verify_record(record, data, given._replace(receipts=(*given.receipts, *more)))
    elif given.receipts:
        raise click.UsageError("a record under a --policy is compared with its own proofs, and with --keys")
    else:
        verify_file(record, data, given.policy, given.keys)


def _verify_record(name: str, data: Any, given: Options) -> None:
    """Print what a record proves; exit with the status of the verdict."""
    keys = keys_of(given.keys)
    try:
        report = verify_record(data, keys=keys)
    except Malformed as error:
        refuse(name, error)
    print_kinds(data)
    _print_log(report, "FAIL" if given.require_log else "NOTE")
    for check in report.checks:
        where = "" if check.ok or check.seq is None else f"entry {check.seq}: "
        click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {where}{printable(check.detail)}")
    for why in dict.fromkeys(report.unchecked.values()):
        names = ", ".join(name for name, reason in report.unchecked.items() if reason == why)
        click.echo(f"-     {names}: not checked: {printable(why)}")
    for sentence in traces(data):
        click.echo(f"NOTE  others: {printable(sentence)}")
    receipts, agree = _check_receipts(data, given.receipts, keys, given.fork)
    holds = report.ok and (report.logged or not given.require_log) and agree
    lacks, vouched = evidence(data, report, keys, receipts)
    found = verdict(not holds, bool(lacks), vouched)
    click.echo(f"NOTE  verdict: {found}{f': {lacks}' if found == NOT_YET else ''}")
    sys.exit(EXITS[found])


def _print_log(report: Report, word: str) -> None:
    """Print if a record has no log; `word` begins the line."""
    if not report.logged:
        click.echo(
            f"{word}  log: THERE IS NO LOG: who played, when, and what was promised first is not checked"
        )


def _verify_archive(path: Path, given: Options) -> None:
    if given.receipts:
        raise click.UsageError("receipts are held against one record, not an archive")
    if given.scheduler and not SCHEDULER(given.scheduler):
        raise click.UsageError("a scheduler's address is tcp://HOST:PORT or tls://HOST:PORT")
    policy = None if given.policy is None else wrong_call(read_policy, text_of(given.policy))
    try:
        found = verify_archive(
            path,
            jobs=given.jobs,
            scheduler=given.scheduler,
            require_log=given.require_log,
            require_end=given.require_end,
            keys=keys_of(given.keys),
            policy=policy,
        )
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    click.echo(f"NOTE  verdict: {found}")
    sys.exit(EXITS[found])


def _check_receipts(
    data: dict[str, Any], paths: Sequence[str], keys: Sequence[Key], fork: Path | None
) -> tuple[list[forks.Compared], bool]:
    """Print what receipts say of a record's log; return that, and whether none contradicts it."""
    receipts: list[tuple[str, Receipt]] = []
    try:
        for path in paths:
            receipts += [(path, receipt) for receipt in read_receipts(text_of(Path(path)))]
    except Malformed as error:
        raise Shortfall(f"receipts: {error}") from None
    held = forks.compare(data, [receipt for _, receipt in receipts], keys)
    words = {True: "ok  ", False: "FAIL", None: "-   "}
    for (place, _), (_, ok, detail) in zip(receipts, held, strict=True):
        click.echo(f"{words[ok]}  receipts: {printable(f'{place}: {detail}')}")
    proof = forks.find_fork(data, [receipt for _, receipt in receipts])
    if proof is None:
        return held, all(ok is not False for _, ok, _ in held)
    if fork is None:
        click.echo(
            "FAIL  receipts: two of them conflict; --fork FILE writes the proof that two logs were signed"
        )
    else:
        fork.write_text(compact(proof) + "\n", "utf-8")
        click.echo(f"FAIL  receipts: two of them conflict; {fork} proves that two logs were signed")
    return held, False


@click.command("dispute")
@click.argument("record")
@click.option("--seat", type=int, required=True, help="whose point of view")
@click.option("--receipts", multiple=True, help="files of receipts to hold against the log")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
def write_dispute(record: str, seat: int, receipts: tuple[str, ...], keys: Path | None) -> None:
    """Write the match of RECORD as one HTML page, for a person who has to settle a dispute.

    Exits with 1 where a check of the record fails or a receipt does not fit; the page then says which.
    """
    text = bytes_of(record)
    data = parsed(record, text)
    try:
        known = keys_of(keys)
        report = verify_record(data, keys=known)
        given = [receipt for path in receipts for receipt in read_receipts(text_of(Path(path)))]
        held = forks.compare(data, given, known)
        digest = sha256(text).hexdigest()
        page = "".join(dispute_report(data, seat, found=report, file=digest, held=held))
    except Malformed as error:
        refuse(record, error)
    click.echo(page, nl=False)
    failed = [check.name for check in report.checks if not check.ok]
    failed += ["receipts"] * any(one.ok is False for one in held)
    if failed:
        raise Shortfall(f"{record}: does not hold: {', '.join(failed)}")
