"""The `referee` command: the rules offline, JSON in and out."""

import re
import sys
from collections import deque
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

import click

from referee import audit, dispute, stdio
from referee.chance import seed_bytes
from referee.games import find, newest
from referee.jsontext import compact, parse, printable
from referee.log.beacon import QUICKNET
from referee.log.receipts import Key, Receipt, read_keys, read_receipts, read_vkey
from referee.log.record import Record, Step, read_record, steps
from referee.playout import playout
from referee.rulebook import rules_text
from referee.scaffold import write_here, write_package
from referee.scenarios import check as check_scenarios
from referee.verdicts import Malformed
from referee.verification import forks
from referee.verification.verify import verify as verify_record
from referee.views import dump, show_transfers

SCHEDULER = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}").fullmatch


class Shortfall(click.ClickException):
    """Something that falls short: one sentence on standard error, exit status 1."""

    exit_code = 1

    def format_message(self) -> str:
        """Return the sentence; it may quote a record, so nothing in it reaches the terminal as a control."""
        return printable(self.message)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Judge, replay and check card games offline."""


@main.command()
def rulesets() -> None:
    """List the rulesets: id, version, seats, name."""
    for game in newest():
        seats = ",".join(map(str, game.SEATS))
        click.echo(f"{game.ID}\t{game.VERSION}\t{seats}\t{game.NAME}")


@main.command()
@click.argument("name")
@click.option("--here", is_flag=True, help="write into the project's own tree, not a package of its own")
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), default=".", help="which folder")
def new(name: str, here: bool, into: Path) -> None:
    """Write a small playable ruleset to start from: its file, rules, a scenario and golden records."""
    for path in _wrong_call(write_here if here else write_package, name, into):
        click.echo(path)


@main.command()
@click.argument("ruleset")
def rules(ruleset: str) -> None:
    """Print the rules of RULESET, with their ids."""
    game = _wrong_call(find, ruleset)
    click.echo(rules_text(game.ID, game.VERSION), nl=False)


@main.command("random")
@click.argument("ruleset")
@click.option("--seats", type=int, required=True, help="number of seats")
@click.option("--seed", default="00", show_default=True, help="hex; the same seed gives the same game")
@click.option("--options", default="{}", help="options of the ruleset, as JSON")
@click.option("--max-moves", type=click.IntRange(0), default=100_000, show_default=True)
def random_game(ruleset: str, seats: int, seed: str, options: str, max_moves: int) -> None:
    """Print a record of a game of uniformly random legal moves."""
    given = _wrong_call(seed_bytes, seed)
    chosen = _wrong_call(parse, options)
    click.echo(compact(_wrong_call(playout, ruleset, seats, chosen, given, max_moves)))


@main.command()
@click.argument("record")
def replay(record: str) -> None:
    """Replay RECORD: final position and result, or the first refused move with its verdict."""
    last = deque(_replayed(_record(record)), maxlen=1).pop()
    answer = {"position": dump(last.state), "result": last.state.result, "refused": _refused(last)}
    click.echo(compact(answer))
    if last.verdict is not None and not last.verdict.legal:
        raise Shortfall(_why(last))


@main.command()
@click.argument("record")
@click.option("--legal", is_flag=True, help="add each seat's legal moves")
def trace(record: str, legal: bool) -> None:
    """Print a line for each position of RECORD, from the deal on."""
    for step in _replayed(_record(record)):
        if step.verdict is not None and not step.verdict.legal:
            raise Shortfall(_why(step))
        line: dict[str, Any] = {
            "n": step.n,
            "position": dump(step.state),
            "transfers": show_transfers(step.transfers, None, whole=True),
        }
        if legal:
            line["legal"] = stdio.legal_by_seat(step.state)
        click.echo(compact(line))


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="[--receipts FILE...] RECORD|FOLDER|ARCHIVE")
@click.option("--require-log", is_flag=True, help="fail where a record has no log")
@click.option("--receipt", "hashes", multiple=True, help="hash of an entry that must stand in the log")
@click.option("--receipts", "receipts", multiple=True, help="files of receipts that the log must fit")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
@click.option("--fork", type=Path, help="where to write the proof, if two receipts conflict")
@click.option("--beacon", help="quicknet, or KEY:GENESIS:PERIOD of the beacon that must have been added")
@click.option("--jobs", type=click.IntRange(1), help="processes for an archive; one a core unless said")
@click.option("--scheduler", help="address of a Dask scheduler whose workers verify an archive: tcp://…")
def verify(
    files: tuple[str, ...],
    require_log: bool,
    hashes: tuple[str, ...],
    receipts: tuple[str, ...],
    keys: Path | None,
    fork: Path | None,
    beacon: str | None,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    """Verify RECORD and its log: a line for each check, what holds, what not, what could not be checked.

    All files but the last, which is the record, are of receipts. Of a FOLDER of records or an ARCHIVE
    (.ndjson, .ndjson.zst, .parquet) each failure is printed, then how many there are of each kind.
    """
    *more, record = files
    if more and not receipts:
        raise click.UsageError("There is one RECORD; files of receipts follow --receipts.")
    if audit.is_archive(Path(record)):
        if receipts or hashes or beacon:
            raise click.UsageError("receipts and beacons are held against one record, not an archive")
        if scheduler and not SCHEDULER(scheduler):
            raise click.UsageError("a scheduler's address is tcp://HOST:PORT or tls://HOST:PORT")
        return _verify_archive(Path(record), jobs, scheduler, require_log)
    data = _json(record)
    try:
        report = verify_record(data)
    except Malformed as error:
        raise Shortfall(f"{record}: {error}") from None
    if not report.logged:
        word = "FAIL" if require_log else "NOTE"
        click.echo(
            f"{word}  log: THERE IS NO LOG: who played, when, and what was promised first is not checked"
        )
    if data.get("origin") == "imported":
        click.echo("NOTE  origin: an imported game: the server that wrote this record did not deal it")
    if data.get("test_clock") is not None:
        click.echo("NOTE  test_clock: a test game: its app has set what time it is in it")
    for check in report.checks:
        where = "" if check.ok or check.seq is None else f"entry {check.seq}: "
        click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {where}{printable(check.detail)}")
    for why in dict.fromkeys(report.unchecked.values()):
        names = ", ".join(name for name, reason in report.unchecked.items() if reason == why)
        click.echo(f"-     {names}: not checked: {printable(why)}")
    logged = [entry.get("hash") for entry in data.get("entries") or () if type(entry) is dict]
    missing = [seen for seen in hashes if seen not in logged]
    for seen in hashes:
        word, place = ("FAIL", "not in the log") if seen in missing else ("ok  ", "in the log")
        click.echo(f"{word}  receipt: {seen} is {place}")
    fits = _hold_receipts(data, [*receipts, *more], _keys(keys), fork)
    if beacon is not None and not _has_beacon(data, beacon):
        click.echo("FAIL  beacon: the deal does not follow from a round of the beacon that was asked for")
        fits = False
    if missing or not fits or not report.ok or (require_log and not report.logged):
        sys.exit(1)
    return None


def _has_beacon(data: dict[str, Any], wanted: str) -> bool:
    """Return whether a record, which holds, tells of this beacon."""
    created: dict[str, Any] = next(iter(data.get("entries") or ()), {})
    told = created.get("beacon") or {}
    key, *times = wanted.lower().split(":")
    if key == "quicknet":
        key, *times = map(str, QUICKNET)
    due = [str(told.get(name)) for name in ("public_key", "genesis_time", "period")]
    return bool(data.get("randomness")) and due[: 1 + len(times)] == [key, *times]


def _verify_archive(path: Path, jobs: int | None, scheduler: str | None, require_log: bool) -> None:
    try:
        holds = audit.verify_archive(path, jobs=jobs, scheduler=scheduler, require_log=require_log)
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    if not holds:
        sys.exit(1)


def _hold_receipts(data: dict[str, Any], paths: list[str], keys: list[Key], fork: Path | None) -> bool:
    """Print what receipts say of a record's log; return whether all of them fit it."""
    found: list[tuple[str, Receipt]] = []
    try:
        for path in paths:
            found += [(path, receipt) for receipt in read_receipts(_text(Path(path)))]
    except Malformed as error:
        raise Shortfall(f"receipts: {error}") from None
    held = forks.hold(data, [receipt for _, receipt in found], keys)
    words = {True: "ok  ", False: "FAIL", None: "-   "}
    for (place, _), (_, ok, detail) in zip(found, held, strict=True):
        click.echo(f"{words[ok]}  receipts: {printable(f'{place}: {detail}')}")
    proof = forks.find_fork(data, [receipt for _, receipt in found])
    if proof is None:
        return all(ok is not False for _, ok, _ in held)
    if fork is None:
        click.echo(
            "FAIL  receipts: two of them conflict; --fork FILE writes the proof that two logs were signed"
        )
    else:
        fork.write_text(compact(proof) + "\n", "utf-8")
        click.echo(f"FAIL  receipts: two of them conflict; {fork} proves that two logs were signed")
    return False


def _keys(path: Path | None) -> list[Key]:
    try:
        return [] if path is None else read_keys(_text(path))
    except Malformed as error:
        raise click.UsageError(f"{path}: {error}") from None


@main.command("verify-fork")
@click.argument("proof")
@click.option("--key", "vkeys", multiple=True, help="a key of the server, as name+id+key")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
def verify_fork(proof: str, vkeys: tuple[str, ...], keys: Path | None) -> None:
    """Check PROOF, a file that `verify --fork` wrote, with the server's public keys and nothing else."""
    known = [_wrong_call(read_vkey, vkey) for vkey in vkeys] + _keys(keys)
    if not known:
        raise click.UsageError("Give the server's key with --key, or a file of keys with --keys.")
    try:
        click.echo(printable(forks.check_fork(_json(proof), known)))
    except Malformed as error:
        raise Shortfall(f"{proof}: {error}") from None


@main.command("dispute")
@click.argument("record")
@click.option("--seat", type=int, required=True, help="whose point of view")
@click.option("--receipts", multiple=True, help="files of receipts to hold against the log")
@click.option("--keys", type=Path, help="the server's keys: the answer of /v1/log-keys, or a vkey a line")
def write_dispute(record: str, seat: int, receipts: tuple[str, ...], keys: Path | None) -> None:
    """Write the match of RECORD as one HTML page, for whoever has to decide an argument.

    Exits with 1 where a check of the record fails or a receipt does not fit; the page then says which.
    """
    text = _bytes(record)
    data = _parsed(record, text)
    try:
        found = verify_record(data)
        given = [receipt for path in receipts for receipt in read_receipts(_text(Path(path)))]
        held = forks.hold(data, given, _keys(keys))
        digest = sha256(text).hexdigest()
        page = "".join(dispute.report(data, seat, found=found, file=digest, held=held))
    except Malformed as error:
        raise Shortfall(f"{record}: {error}") from None
    click.echo(page, nl=False)
    failed = [check.name for check in found.checks if not check.ok]
    failed += ["receipts"] * any(one.ok is False for one in held)
    if failed:
        raise Shortfall(f"{record}: does not hold: {', '.join(failed)}")


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def check(paths: tuple[Path, ...]) -> None:
    """Run scenario files, or all of a folder; ends with `N passed, M failed`."""
    passed = failed = 0
    for path in paths:
        found = sorted(path.rglob("*.yaml")) + sorted(path.rglob("*.yml")) if path.is_dir() else [path]
        for file in found:
            for outcome in check_scenarios(_text(file)):
                if outcome.failure is None:
                    passed += 1
                else:
                    failed += 1
                    click.echo(f"{file}: {printable(f'{outcome.name}: {outcome.failure}')}")
    click.echo(f"{passed} passed, {failed} failed")
    if failed:
        sys.exit(1)


def _lines(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer every line of standard input on standard output; exit 1 where one could not be answered."""
    if not stdio.answer_lines(cast(BufferedReader, sys.stdin.buffer), sys.stdout.buffer, answer):
        sys.exit(1)


@main.command()
def judge() -> None:
    """Judge moves: `{"position", "seat", "move", "chance" or "seed"}` a line."""
    _lines(stdio.judged)


@main.command()
def legal() -> None:
    """List legal moves: `{"position", "seat"}` a line."""
    _lines(stdio.legal)


@main.command()
def view() -> None:
    """Show positions as a seat, or a spectator (null), sees them: `{"position", "seat"}` a line."""
    _lines(stdio.viewed)


@main.command("deal")
def deal_games() -> None:
    """Deal games: `{"ruleset", "seats", "options", "chance" or "seed"}` a line."""
    _lines(stdio.dealt)


def _wrong_call(function: Callable[..., Any], *given: Any) -> Any:
    try:
        return function(*given)
    except Malformed as error:
        raise click.UsageError(printable(str(error))) from None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path}: {error}") from None


def _bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None


def _json(path: str) -> Any:
    return _parsed(path, _bytes(path))


def _parsed(path: str, text: bytes) -> Any:
    try:
        return parse(text)
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None


def _record(path: str) -> Record:
    try:
        return read_record(_json(path))
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None


def _replayed(record: Record) -> Iterator[Step]:
    try:
        yield from steps(record)
    except Malformed as error:
        raise Shortfall(str(error)) from None


def _refused(step: Step) -> dict[str, Any] | None:
    if step.verdict is None or step.verdict.legal:
        return None
    return {"n": step.n, "seat": step.seat, "move": step.move, "verdict": step.verdict.to_json()}


def _why(step: Step) -> str:
    assert step.verdict is not None
    assert step.verdict.refusal is not None
    rule, reason = step.verdict.refusal
    return f"move {step.n} (seat {step.seat}) is refused by {rule}: {reason}"
