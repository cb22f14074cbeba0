"""The `referee` command: the rules offline, JSON in and out."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from referee import dispute, stdio
from referee.chance import seed_bytes
from referee.games import find, newest
from referee.jsontext import compact, parse, printable
from referee.playout import playout
from referee.record import Record, Step, read_record, steps
from referee.rulebook import rules_text
from referee.scaffold import write_here, write_package
from referee.scenarios import check as check_scenarios
from referee.verdicts import Malformed
from referee.verification import verify as verify_record
from referee.views import dump, show_transfers


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
@click.argument("record")
@click.option("--require-log", is_flag=True, help="fail where the record has no log")
@click.option("--receipt", "receipts", multiple=True, help="hash of an entry that must stand in the log")
def verify(record: str, require_log: bool, receipts: tuple[str, ...]) -> None:
    """Verify RECORD and its log: a line for each check, what holds, what not, what could not be checked."""
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
    for check in report.checks:
        where = "" if check.ok or check.seq is None else f"entry {check.seq}: "
        click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {where}{printable(check.detail)}")
    for why in dict.fromkeys(report.unchecked.values()):
        names = ", ".join(name for name, reason in report.unchecked.items() if reason == why)
        click.echo(f"-     {names}: not checked: {printable(why)}")
    hashes = [entry.get("hash") for entry in data.get("entries") or () if type(entry) is dict]
    missing = [receipt for receipt in receipts if receipt not in hashes]
    for receipt in receipts:
        word, place = ("FAIL", "not in the log") if receipt in missing else ("ok  ", "in the log")
        click.echo(f"{word}  receipt: {receipt} is {place}")
    if missing or not report.ok or (require_log and not report.logged):
        sys.exit(1)


@main.command("dispute")
@click.argument("record")
@click.option("--seat", type=int, required=True, help="whose point of view")
def tell(record: str, seat: int) -> None:
    """Tell the match of RECORD as one HTML page, for whoever has to decide an argument."""
    try:
        page = "".join(dispute.report(_json(record), seat))
    except Malformed as error:
        raise Shortfall(f"{record}: {error}") from None
    click.echo(page, nl=False)


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
    if not stdio.answer_lines(sys.stdin.buffer, sys.stdout.buffer, answer):
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


def _json(path: str) -> Any:
    if path == "-":
        text: bytes = sys.stdin.buffer.read()
    else:
        try:
            text = Path(path).read_bytes()
        except OSError as error:
            raise click.UsageError(f"{path}: {error.strerror}") from None
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
