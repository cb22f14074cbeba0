"""Commands at a table without a service: what is refused by which rule, and what follows by itself."""

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import referee
import referee.clocks
import referee.records
import referee.table
from referee.log.entries import ENTRY_TYPES
from referee.table import commands
from referee.table.commands import Command

AT = datetime(2026, 3, 1, tzinfo=UTC)
PACE = {"per_move": "P5D", "on_timeout": "resign", "vacation_days": 3}
BOT = referee.table.Who(bot="random")
# What examples of commands say where the type of the value is not enough.
GIVEN: dict[str, Any] = {
    "seat": 0,
    "who": BOT,
    "began_at": AT,
    "move": {"type": "none"},
    "ending": "draw",
    "length": timedelta(hours=1),
    "pace": PACE,
    "ruling": {"winners": [0], "losers": [1]},
}
OF_TYPES = {int: 1, str: "words"}


def all_commands(kind: type[Command]) -> list[type[Command]]:
    """List the commands of a kind, itself included."""
    return [kind, *chain.from_iterable(map(all_commands, kind.__subclasses__()))]


def example(kind: type[Command]) -> Command:
    """Return a command with a value for every field that has no default."""
    types = get_type_hints(kind)
    needed = [each.name for each in fields(kind) if each.default is each.default_factory is MISSING]
    return kind(**{name: GIVEN[name] if name in GIVEN else OF_TYPES[types[name]] for name in needed})


# By their names: a dataclass with slots is made twice.
KINDS = {kind.__name__: kind for kind in all_commands(Command) if hasattr(kind, "event_kind")}
EXAMPLES = [*map(example, KINDS.values()), commands.play.Say(None, "Hello")]
STAGES = ("open", "running", "paused", "over")
OUT_OF_PLACE = {
    commands.OVER.rule,
    commands.BEGUN.rule,
    commands.NOT_BEGUN.rule,
    commands.PAUSED.rule,
    commands.NOT_PAUSED.rule,
}


def enter(fold: referee.table.Fold, event: referee.table.Event) -> referee.table.Event:
    """Apply an event as its entry would be read."""
    entry: dict[str, Any] = {
        "seq": fold.table.version + 1,
        "type": event.kind,
        "at": referee.clocks.timestamp(event.at),
    }
    fold.read({**entry, **event.members}, {})
    return event


def obey(fold: referee.table.Fold, command: Command, at: datetime = AT) -> list[str] | referee.Refusal:
    """Carry out a command; return the types of the entries that it leads to, or its refusal."""
    event = commands.decide(fold.table, command, at, fold.recent)
    if isinstance(event, referee.Refusal):
        return event
    kinds = [enter(fold, event).kind]
    if (back := commands.taken_back(fold.table, at, fold.recent)) is not None:
        kinds.append(enter(fold, back).kind)
    while (then := commands.follow(fold.table, at)) is not None:
        kinds.append(enter(fold, then).kind)
    return kinds


def table(
    stage: str = "running", ruleset: str = "bisca", names: str = "AB", pace: dict[str, Any] | None = PACE
) -> referee.table.Fold:
    """Return a game of these players at a stage."""
    seats = [referee.table.Seat()] * len(names)
    version = referee.find(ruleset).VERSION
    empty = referee.table.Table(
        ruleset=ruleset, ruleset_version=version, options={}, seats=seats, seed=bytes(32), updated_at=AT
    )
    fold = referee.table.Fold(empty)
    enter(fold, referee.table.Event("created", AT, {"pace": pace}))
    for seat, name in enumerate(names):
        player = {"id": str(seat), "name": name}
        members = {"seat": seat, "player": player, "bot": None, "entropy": name}
        enter(fold, referee.table.Event("joined", AT, members))
    if stage == "open":
        fold.table.seats[1] = referee.table.Seat()
        return fold
    dealt = commands.follow(fold.table, AT)
    assert dealt is not None
    enter(fold, dealt)
    if stage == "paused":
        assert obey(fold, commands.agreements.AgreeToPause(0)) == ["pause_agreed"]
        assert obey(fold, commands.agreements.AgreeToPause(1)) == ["pause_agreed", "paused"]
    if stage == "over":
        assert obey(fold, commands.play.Resign(0)) == ["resigned", "finished"]
    return fold


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("stage", STAGES)
def test_a_command_is_out_of_place_where_its_entry_is(stage: str, command: Command) -> None:
    fold = table(stage)
    decided = commands.decide(fold.table, command, AT, fold.recent)
    refused = isinstance(decided, referee.Refusal) and decided.rule in OUT_OF_PLACE
    assert refused == (
        stage == "over" or stage not in (command.stages or ENTRY_TYPES[command.event_kind].stages)
    )


def test_what_all_have_agreed_to_happens() -> None:
    for ending, entries in (("draw", ["drawn", "finished"]), ("cancellation", ["cancelled"])):
        fold = table()
        assert obey(fold, commands.agreements.AgreeToEnd(0, ending)) == ["ending_agreed"]
        assert obey(fold, commands.agreements.AgreeToEnd(0, ending)) == referee.Refusal(
            "table.agreed", "Seat 0 has agreed already."
        )
        assert obey(fold, commands.agreements.AgreeToEnd(1, ending)) == ["ending_agreed", *entries]
        assert fold.table.over


def test_a_move_is_taken_back_when_all_have_agreed() -> None:
    fold = table(ruleset="dog_cards", names="ABCD")  # what is given to a partner stays hidden
    seat = fold.table.to_act[0]
    left, across, right = {0, 1, 2, 3} - {seat}
    before = referee.dump(fold.table.state)
    move = next(iter(referee.legal_moves(fold.table.state, seat)))
    assert obey(fold, commands.play.Move(seat, move)) == ["moved"]
    asked, refused = commands.agreements.AskTakeBack(seat), commands.agreements.RefuseTakeBack(left)
    assert (obey(fold, asked), obey(fold, refused)) == (["take_back_requested"], ["take_back_refused"])
    assert obey(fold, commands.agreements.AgreeToTakeBack(right)) == referee.Refusal(
        "table.not_asked", "Nobody has asked to take back a move."
    )
    assert obey(fold, asked) == ["take_back_requested"]
    for other in (left, across):
        assert obey(fold, commands.agreements.AgreeToTakeBack(other)) == ["take_back_agreed"]
    assert obey(fold, commands.agreements.AgreeToTakeBack(right)) == ["take_back_agreed", "taken_back"]
    assert referee.dump(fold.table.state) == before


def test_a_pause_begins_when_all_have_agreed_and_nothing_has_happened_since() -> None:
    fold = table()
    assert obey(fold, commands.agreements.AgreeToPause(0)) == ["pause_agreed"]
    seat = fold.table.to_act[0]
    move = next(iter(referee.legal_moves(fold.table.state, seat)))
    assert obey(fold, commands.play.Move(seat, move)) == ["moved"]
    assert obey(fold, commands.agreements.AgreeToPause(1)) == ["pause_agreed"]
    assert obey(fold, commands.agreements.AgreeToPause(0)) == ["pause_agreed", "paused"]
    assert obey(fold, commands.agreements.EndPause(1)) == ["resumed"]
    assert obey(fold, commands.agreements.EndPause(1)) == commands.NOT_PAUSED
    untimed = table()
    untimed.table.pace = None
    assert isinstance(obey(untimed, commands.agreements.AgreeToPause(0)), referee.Refusal)


def test_a_seat_is_nudged_after_a_day_and_once_a_day() -> None:
    fold = table()
    seat = fold.table.to_act[0]
    nudge = commands.clocks.Nudge(1 - seat, seat)
    waited = [AT + timedelta(hours=hours) for hours in (23, 24, 47, 48)]
    assert [obey(fold, nudge, at) == ["nudged"] for at in waited] == [False, True, False, True]


def moved(fold: referee.table.Fold) -> int:
    """Make a legal move; return the seat that has made it."""
    seat = fold.table.to_act[0]
    move = next(iter(referee.legal_moves(fold.table.state, seat)))
    assert isinstance(entries := obey(fold, commands.play.Move(seat, move)), list)
    assert entries[0] == "moved"
    return seat


def committing(*players: str, full: bool = False) -> referee.table.Fold:
    """Return an open table whose seats commit to entropy; these players have committed to `a`."""
    fold = table("open")
    fold.table.dealing = referee.table.Dealing("PT1H")
    fold.table.change(0, player=None)
    for seat, name in enumerate(players):
        who = referee.table.PlayerName(str(seat), name)
        fold.table.change(seat, player=who, commitment=HASH, entropy="a" if full else "")
    return fold


def forced() -> referee.table.Fold:
    """Return a game in which somebody has moved after a move that was made for a late seat."""
    fold = table(pace={**PACE, "on_timeout": "random_move"})
    assert _events(fold, AT + timedelta(days=5)) == ["timed_out", "moved"]
    moved(fold)
    return fold


def late() -> referee.table.Fold:
    """Return a game in which seat 0 has moved, and somebody has run out of time since."""
    fold = table(pace={**PACE, "on_timeout": "random_move"})
    while moved(fold) != 0:
        pass
    _events(fold, AT + timedelta(days=20))
    return fold


def alone() -> referee.table.Fold:
    """Return a game of one player against a bot."""
    fold = table()
    fold.table.change(1, player=None, bot="random")
    return fold


def agreed() -> referee.table.Fold:
    """Return a game in which seat 0 wants a pause."""
    fold = table()
    assert obey(fold, commands.agreements.AgreeToPause(0)) == ["pause_agreed"]
    return fold


HASH = referee.table.entropy_commitment("a")
CAT = referee.table.Who(referee.table.PlayerName("9", "Cat"))
# For each rule of a table a game, and a command that the rule refuses there.
REFUSED: dict[str, tuple[Callable[[], referee.table.Fold], Command]] = {
    "table.over": (partial(table, "over"), commands.play.Resign(0)),
    "table.begun": (table, commands.seats.GetUp(0)),
    "table.not_begun": (partial(table, "open"), commands.play.Resign(0)),
    "table.paused": (partial(table, "paused"), commands.play.Move(0, {"type": "none"})),
    "table.not_paused": (table, commands.agreements.EndPause(0)),
    "table.untimed": (partial(table, pace=None), commands.agreements.AgreeToPause(0)),
    "table.ruling": (table, commands.play.Adjudicate({"winners": [0], "losers": [0]})),
    "table.taken": (partial(table, "open"), commands.seats.Sit(0, CAT)),
    "table.full": (partial(committing, "A", "B"), commands.seats.GetUp(1)),
    "table.commitment": (committing, commands.seats.Sit(1, CAT)),
    "table.entropy": (partial(committing, "A", "B"), commands.play.Reveal(0, "another")),
    "table.not_full": (partial(committing, "A"), commands.play.Reveal(0, "a")),
    "table.revealed": (partial(committing, "A", "B", full=True), commands.play.Reveal(0, "a")),
    "table.no_commitments": (partial(table, "open"), commands.play.Reveal(0, "a")),
    "table.waiting": (partial(table, "open"), commands.play.Deal()),
    "table.no_key": (table, commands.play.RetireKey(0)),
    "table.not_missing": (table, commands.seats.AgreeToReplace(0, 1, CAT)),
    "table.vacation": (table, commands.clocks.TakeVacation(0, 4)),
    "table.not_waited": (table, commands.clocks.Nudge(0, 1)),
    "table.no_turn": (table, commands.clocks.AddTime(7, timedelta(hours=1))),
    "table.no_clock": (partial(table, pace=None), commands.clocks.ReturnTime(AT)),
    "table.alone": (alone, commands.agreements.AgreeToEnd(0, "draw")),
    "table.agreed": (agreed, commands.agreements.AgreeToPause(0)),
    "table.no_move": (table, commands.agreements.AskTakeBack(0)),
    "table.not_asked": (table, commands.agreements.AgreeToTakeBack(0)),
    "table.not_forced": (table, commands.agreements.UndoTimeout()),
    "table.acted": (forced, commands.agreements.UndoTimeout()),
    "table.lasting": (late, commands.agreements.AskTakeBack(0)),
    "table.endless": (table, commands.play.CancelEndless()),
}
SAID_OTHERWISE = {"table.talk"}  # see the next test


@pytest.mark.parametrize("rule", REFUSED)
def test_a_rule_of_a_table_refuses_and_nothing_changes(rule: str) -> None:
    make, command = REFUSED[rule]
    fold = make()
    before = fold.table.version, fold.table.seats[:], fold.table.state and referee.dump(fold.table.state)
    refused = commands.decide(fold.table, command, fold.table.updated_at, fold.recent)
    assert isinstance(refused, referee.Refusal)
    assert (refused.rule, bool(refused.reason)) == (rule, True)
    after = fold.table.version, fold.table.seats, fold.table.state and referee.dump(fold.table.state)
    assert after == before


def test_what_a_seat_says_in_other_words_than_a_move_is_refused_where_talk_is_a_move() -> None:
    """No command leads there: what is said is a move. A further type of entry with words would."""
    fold = table(ruleset="mau_mau")
    members = {**fold.table.who(0), "text": "Mau"}
    assert commands.base._unsayable(fold.table, members, "Mau") == commands.base.TALK_IS_A_MOVE


def test_no_rule_of_a_table_is_left_out() -> None:
    folder = Path(commands.__file__).parent
    rules = {rule for file in folder.glob("*.py") for rule in re.findall(r'"(table\.\w+)"', file.read_text())}
    assert rules == {*REFUSED} | SAID_OTHERWISE


def test_a_seat_is_taken_once_and_left_before_the_deal() -> None:
    fold = table("open")
    assert obey(fold, commands.seats.Sit(0, BOT)) == referee.Refusal("table.taken", "Seat 0 is taken.")
    ann = referee.table.Who(fold.table.seats[0].player)
    twice = referee.Refusal("table.taken", "A sits at this table already (distinct_players).")
    assert obey(fold, commands.seats.Sit(1, ann, alone=True)) == twice
    assert obey(fold, commands.seats.GetUp(0)) == ["left"]
    assert fold.table.seats[0] == referee.table.Seat()
    assert obey(fold, commands.seats.Sit(0, ann)) == ["joined"]
    assert obey(fold, commands.seats.Sit(1, ann)) == ["joined", "started"]
    assert obey(fold, commands.seats.GetUp(0)) == commands.BEGUN


def test_seats_commit_to_entropy_where_it_is_revealed_later() -> None:
    ann = referee.table.Who(referee.table.PlayerName("0", "Ann"))
    words = {hash: referee.table.entropy_commitment(hash) for hash in ("", "a")}
    fold = table("open")
    assert _field(fold, commands.seats.Sit(1, ann, commitment=words["a"])) == "table.commitment"
    fold.table.dealing = referee.table.Dealing("PT1H")
    assert _field(fold, commands.seats.Sit(1, ann, "words", words["a"])) == "table.entropy"
    for commitment in (None, words[""]):
        assert _field(fold, commands.seats.Sit(1, ann, commitment=commitment)) == "table.commitment"
    fold.table.change(0, commitment=words["a"])
    assert _field(fold, commands.seats.Sit(1, ann, commitment=words["a"])) == "table.commitment"
    fold.table.change(0, commitment=None)
    assert obey(fold, commands.seats.Sit(1, ann, commitment=words["a"])) == ["joined"]
    assert _field(fold, commands.seats.GetUp(1)) == "table.full"
    late = [*_events(fold, AT + timedelta(hours=1))]
    assert late == ["forfeited", "cancelled"]


def _field(fold: referee.table.Fold, command: Command) -> str:
    decided = commands.decide(fold.table, command, AT)
    assert isinstance(decided, referee.Refusal)
    return decided.rule


def _events(fold: referee.table.Fold, at: datetime) -> list[str]:
    """Let the time pass; return the types of the entries that this leads to."""
    passed = commands.pass_time(fold.table, at, lambda: fold.recent)
    return [enter(fold, event).kind for event in passed]


@pytest.mark.parametrize(
    ("pace", "entries"),
    [
        ({}, ["timed_out", "finished"]),
        ({"on_timeout": "random_move"}, ["timed_out", "moved"]),
        ({"on_timeout": "bot", "out_after": 1}, ["timed_out", "moved", "dropped", "finished"]),
        (
            {"on_timeout": "bot", "out_after": 1, "stand_in": "random"},
            ["timed_out", "moved", "left", "joined"],
        ),
    ],
)
def test_what_a_late_seat_loses(pace: dict[str, Any], entries: list[str]) -> None:
    fold = table(pace={**PACE, **pace})
    (seat,) = fold.table.to_act
    assert _events(fold, AT + timedelta(days=5) - timedelta(seconds=1)) == []
    assert _events(fold, AT + timedelta(days=5)) == entries
    assert (fold.table.seats[seat].bot is not None) == ("joined" in entries)
    assert _events(fold, AT + timedelta(days=5)) == []


def test_a_game_is_endless_only_without_players() -> None:
    alone = table()
    for seat in range(len(alone.table.seats)):
        alone.table.change(seat, player=None, bot="random")
    assert obey(alone, commands.play.CancelEndless()) == ["cancelled"]
