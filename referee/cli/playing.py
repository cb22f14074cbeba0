"""Commands about rulesets and play: list, make, play, replay, try, judge."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, cast

import click

from referee.cli import stdio
from referee.cli.reading import Shortfall, json_value, known_bots, record_of, text_of, wrong_call
from referee.computer.playout import playout
from referee.engine.chance import seed_bytes
from referee.engine.jsontext import compact, printable
from referee.engine.registry import find, newest
from referee.engine.verdicts import Malformed
from referee.engine.views import dump, show_transfers
from referee.log.record import Record, Step, steps
from referee.texts.rulebook import rules_text
from referee.workshop import fingerprint
from referee.workshop.scaffold import write_package
from referee.workshop.scenarios import check as check_scenarios
from referee.workshop.scenarios import unexercised
from referee.workshop.validator import validate


@click.command()
def rulesets() -> None:
    """List the rulesets: id, version, seats, name."""
    for game in newest():
        seats = ",".join(map(str, game.SEATS))
        click.echo(f"{game.ID}\t{game.VERSION}\t{seats}\t{game.NAME}")


@click.command()
@click.argument("name")
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), default=".", help="which folder")
def new(name: str, into: Path) -> None:
    """Write a small playable ruleset to start from: its file, rules, a scenario and golden records."""
    for path in wrong_call(write_package, name, into):
        click.echo(path)


@click.command()
@click.argument("ruleset")
def rules(ruleset: str) -> None:
    """Print the rules of RULESET, with their ids."""
    game = wrong_call(find, ruleset)
    click.echo(rules_text(game.ID, game.VERSION), nl=False)


@click.command("test")
@click.argument("ruleset")
@click.option("--scenarios", type=click.Path(exists=True, path_type=Path), help="run these as well")
@click.option("--release", is_flag=True, help="keep the fingerprint of how this version plays")
def test_ruleset(ruleset: str, scenarios: Path | None, release: bool) -> None:
    """Check RULESET in every way that the games of this package are checked; a line for each check."""
    rules = wrong_call(find, ruleset)
    outcomes = [fingerprint.kept(rules) if release else fingerprint.compared(rules)]
    failed = False
    for name, detail, ok in chain(validate(rules), outcomes):
        click.echo(printable(f"{'ok  ' if ok else 'FAIL'}  {name}: {detail}"))
        failed |= not ok
    if scenarios is not None:
        left = ", ".join(unexercised(rules, map(text_of, _files(scenarios))))
        click.echo(f"ok    coverage: scenarios exercise every rule{left and ' but ' + left}")
        failed |= not _run_scenarios((scenarios,))
    if failed:
        sys.exit(1)


@click.command("random")
@click.argument("ruleset")
@click.option("--seats", type=int, required=True, help="number of seats")
@click.option("--seed", default="00", show_default=True, help="hex; the same seed gives the same game")
@click.option("--options", default="{}", callback=json_value, help="options of the ruleset, as JSON")
@click.option("--max-moves", type=click.IntRange(0), default=100_000, show_default=True)
@click.option("--bot", "bots", multiple=True, callback=known_bots, help="who plays, seat after seat in turn")
def random_game(
    ruleset: str, seats: int, seed: str, options: Any, max_moves: int, bots: tuple[str, ...]
) -> None:
    """Print a record of a game of uniformly random legal moves, or of the moves of bots."""
    given = wrong_call(seed_bytes, seed)
    click.echo(compact(wrong_call(playout, ruleset, seats, options, given, max_moves, bots)))


@click.command()
@click.argument("record")
def replay(record: str) -> None:
    """Replay RECORD: final position and result, or the first refused move with its verdict."""
    last = deque(_replayed(record_of(record)), maxlen=1).pop()
    answer = {"position": dump(last.state), "result": last.state.result, "refused": _refused(last)}
    click.echo(compact(answer))
    if last.verdict is not None and not last.verdict.legal:
        raise Shortfall(_why(last))


@click.command()
@click.argument("record")
@click.option("--legal", is_flag=True, help="add each seat's legal moves")
def trace(record: str, legal: bool) -> None:
    """Print a line for each position of RECORD, from the deal on."""
    for step in _replayed(record_of(record)):
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


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def check(paths: tuple[Path, ...]) -> None:
    """Run scenario files, or all of a folder; ends with `N passed, M failed`."""
    if not _run_scenarios(paths):
        sys.exit(1)


def _run_scenarios(paths: tuple[Path, ...]) -> bool:
    """Run scenario files and print what fails; return whether all passed."""
    passed = failed = 0
    for path in paths:
        for file in _files(path):
            for outcome in check_scenarios(text_of(file)):
                if outcome.failure is None:
                    passed += 1
                else:
                    failed += 1
                    click.echo(f"{file}: {printable(f'{outcome.name}: {outcome.failure}')}")
    click.echo(f"{passed} passed, {failed} failed")
    return not failed


def _files(path: Path) -> list[Path]:
    """Return a scenario file, or all of a folder."""
    return sorted(path.rglob("*.yaml")) + sorted(path.rglob("*.yml")) if path.is_dir() else [path]


def _lines(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer every line of standard input on standard output; exit with 1 if one could not be answered."""
    if not stdio.answer_lines(cast(BufferedReader, sys.stdin.buffer), sys.stdout.buffer, answer):
        sys.exit(1)


@click.command()
def judge() -> None:
    """Judge moves: `{"position", "seat", "move", "chance" or "seed"}` a line."""
    _lines(stdio.judged)


@click.command()
def legal() -> None:
    """List legal moves: `{"position", "seat"}` a line."""
    _lines(stdio.legal)


@click.command()
def view() -> None:
    """Show positions as a seat, or a spectator (null), sees them: `{"position", "seat"}` a line."""
    _lines(stdio.viewed)


@click.command("deal")
def deal_games() -> None:
    """Deal games: `{"ruleset", "seats", "options", "chance" or "seed"}` a line."""
    _lines(stdio.dealt)


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
    rule, reason, _ = step.verdict.refusal
    return f"move {step.n} (seat {step.seat}) is refused by {rule}: {reason}"
