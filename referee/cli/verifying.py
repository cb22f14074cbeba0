"""Commands that verify records, receipts and forks, and that write dispute reports."""

import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import click

from referee.audit.command import is_archive, verify_archive
from referee.audit.tally import Terms
from referee.cli.reading import (
    Shortfall,
    bytes_of,
    json_of,
    keys_of,
    parsed,
    policy_of,
    receipts_of,
    refuse,
)
from referee.dispute.page import dispute_report
from referee.engine.jsontext import compact, printable
from referee.engine.verdicts import Malformed
from referee.proofs.promises import FORMAT as OMISSION
from referee.proofs.promises import check_omission
from referee.proofs.receipts import Receipt
from referee.proofs.succession import trusted
from referee.verification import forks
from referee.verification.assessment import assess, is_bundle
from referee.verification.findings import CONTRADICTED, EXITS
from referee.verification.kinds import SENTENCES, kinds
from referee.verification.terms import IMPORTED

PROOFS = (forks.FORMAT, OMISSION)
WORDS = {True: "ok  ", False: "FAIL", None: "-   "}
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
    """Verify RECORD, or a bundle: a line for each check, what it found, and who guarantees that.

    With `-`, it could not be checked. Ends with a verdict: proved (exit status 0), contradicted (1), or not
    enough evidence yet (2), where the policy asks for evidence that is not there, or the game still runs.
    `referee fair` says the same in sentences for people.

    All files but the last, which is the record, are of receipts. Of a FOLDER of records or an ARCHIVE
    (.ndjson, .ndjson.gz) each failure is printed, then how many there are of each kind. Of a proof that a
    server signed two logs or left a game out, as `--fork` or a witness writes it, what it proves is printed.
    """
    given = Options(**options)
    *more, record = files
    if more and not given.receipts:
        raise click.UsageError("There is one RECORD; files of receipts follow --receipts.")
    given = given._replace(receipts=(*given.receipts, *more))
    if is_archive(Path(record)):
        _verify_archive(Path(record), given)
        return
    data = json_of(record)
    if type(data) is dict and data.get("format") in PROOFS:
        _verify_proof(record, data, given)
    elif is_bundle(data) and (given.receipts or (given.keys and not given.policy)):
        raise click.UsageError("a bundle has its own receipts and keys; give a --policy")
    elif given.policy and given.receipts:
        raise click.UsageError("a record under a --policy is compared with its own proofs, and with --keys")
    else:
        _verify(record, data, given)


def _verify(name: str, data: Any, given: Options) -> None:
    """Print what a record or a bundle proves; exit with the status of the verdict."""
    policy, keys = policy_of(given.policy), keys_of(given.keys)
    held = [(path, receipt) for path in given.receipts for receipt in receipts_of(Path(path))]
    try:
        found = assess(data, policy, keys, [receipt for _, receipt in held])
    except Malformed as error:
        refuse(name, error)
    for kind in kinds(found.record):  # first what nobody should overlook
        click.echo(f"NOTE  {kind if kind != IMPORTED else 'origin'}: {SENTENCES[kind]}")
    lacks_log = given.require_log and not found.report.logged
    if not found.report.logged:
        word = "FAIL" if given.require_log else "NOTE"
        click.echo(
            f"{word}  log: THERE IS NO LOG: who played, when, and what was promised first is not checked"
        )
    for promise in found.promises:
        if promise.name != "receipts" or not held:
            click.echo(printable(f"{WORDS[promise.ok]}  {promise.name}: {promise.finding} [{promise.by}]"))
    for (path, _), (_, ok, detail) in zip(held, found.receipts, strict=False):
        click.echo(f"{WORDS[ok]}  receipts: {printable(f'{path}: {detail}')}")
    forked = _print_fork(found.record, [receipt for _, receipt in held], given.fork)
    contradicted = lacks_log or forked
    click.echo(printable(f"NOTE  verdict: {CONTRADICTED if contradicted else found.sentence}"))
    sys.exit(EXITS[CONTRADICTED if contradicted else found.verdict])


def _verify_archive(path: Path, given: Options) -> None:
    if given.receipts:
        raise click.UsageError("receipts are held against one record here; `referee fair` takes more")
    if given.scheduler and not SCHEDULER(given.scheduler):
        raise click.UsageError("a scheduler's address is tcp://HOST:PORT or tls://HOST:PORT")
    terms = Terms(given.require_log, keys_of(given.keys), policy_of(given.policy))
    try:
        found = verify_archive(
            path, terms, jobs=given.jobs, scheduler=given.scheduler, require_end=given.require_end
        )
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    click.echo(f"NOTE  verdict: {found}")
    sys.exit(EXITS[found])


def _verify_proof(name: str, proof: dict[str, Any], given: Options) -> None:
    """Print what the proof of a fork or of an omission proves, with trusted keys and nothing else."""
    policy, listed = policy_of(given.policy), keys_of(given.keys)
    try:
        if proof["format"] == forks.FORMAT:
            known = [*(policy.logs if policy else ()), *listed]
            if not known:
                raise click.UsageError("Give the server's keys with --keys or --policy.")
            click.echo(printable(forks.check_fork(proof, known)))
        elif policy is None:
            raise click.UsageError("Give the server's keys and the witnesses with --policy.")
        else:
            click.echo(printable(check_omission(proof, policy, trusted(policy.logs, listed))))
    except Malformed as error:
        raise Shortfall(f"{name}: {error}") from None


def _print_fork(record: dict[str, Any], receipts: Sequence[Receipt], fork: Path | None) -> bool:
    """Print whether two receipts contradict each other, and write the proof; return whether they do."""
    proof = forks.find_fork(record, receipts)
    if proof is None:
        return False
    if fork is None:
        click.echo(
            "FAIL  receipts: two of them conflict; --fork FILE writes the proof that two logs were signed"
        )
    else:
        fork.write_text(compact(proof) + "\n", "utf-8")
        click.echo(f"FAIL  receipts: two of them conflict; {fork} proves that two logs were signed")
    return True


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
    given = [receipt for path in receipts for receipt in receipts_of(Path(path))]
    try:
        found = assess(data, None, keys_of(keys), given)
        page = "".join(dispute_report(data, seat, found=found, file=sha256(text).hexdigest()))
    except Malformed as error:
        refuse(record, error)
    click.echo(page, nl=False)
    if found.broken:
        raise Shortfall(f"{record}: does not hold: {', '.join(one.name for one in found.broken)}")
