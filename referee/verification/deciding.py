"""Decides again what a log says: every entry is what somebody could ask for then, or what follows by itself.

The table, its commands and their effects are those of a game that is played (`referee.table`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from referee.engine.jsontext import same
from referee.engine.play import judge
from referee.engine.position import Position
from referee.engine.registry import find
from referee.engine.verdicts import Refusal, Verdict
from referee.log.entries import ENTRY_TYPES
from referee.log.pace import Pace
from referee.log.parts import Json
from referee.log.record import Record
from referee.log.words import full_move, put_back
from referee.table import Event, Fold, Seat, Table, TakenBackBefore, Watched, commands
from referee.verification.agreed import Agreements
from referee.verification.choices import Choices
from referee.verification.entropy import Entropy
from referee.verification.findings import Findings
from referee.verification.following import GRACE, LATE, Following
from referee.verification.outcome import CLOCKS, PUBLIC, Outcomes
from referee.verification.seats import Seats
from referee.verification.unseen import Unseen, UnseenFold

TIMED = frozenset(
    ("timed_out", "paused", "resumed", "vacation_taken", "time_returned", "time_added", "timeout_undone")
)
NOT_FOLLOWED = "the game cannot be followed to its end"

# The rules by which a table refuses what a log must not say → the check that fails then. Other rules only
# keep order among those who ask: an entry against them leads to nothing.
CHECK_OF = {
    "table.endless": "seats",
    "table.full": "entropy",
    "table.commitment": "entropy",
    "table.entropy": "entropy",
    "table.no_commitments": "entropy",
    "table.not_full": "entropy",
    "table.revealed": "entropy",
    "table.not_forced": "consent",
    "table.acted": "consent",
    "table.vacation": "clocks",
    "table.no_turn": "clocks",
    "table.no_clock": "clocks",
    "table.ruling": "order",
}


class Wrong(NamedTuple):
    """The check that fails, and what is wrong, if an entry says another value than it must."""

    check: str
    words: str


WRONG = {
    "of": Wrong("consent", "entry {written} is no move that was made because a seat's time was over"),
    "undone": Wrong("consent", "the move of entry {entry[of]} was made because of another time-out"),
    "since": Wrong("clocks", "returns time from before the entry before it"),
}


def _difference(event: Event, decided: Event) -> Wrong | None:
    """Return what an entry says otherwise than it was decided."""
    written: Mapping[str, Any] = event.members
    due: Mapping[str, Any] = decided.members
    for name, (check, words) in WRONG.items():
        if name in due and not same(written.get(name), due[name]):
            return Wrong(check, words.format(written=written.get(name), due=due[name], entry=written))
    return None


@dataclass(slots=True, kw_only=True)
class Seen(Watched[Seat]):
    """A table whose position is known."""

    def turn_over(
        self, moved: int | None, *, afresh: bool, forced: bool, returned: Mapping[int, timedelta]
    ) -> Json:
        """Set all clocks; without deadlines, nobody asks here how long a table has waited."""
        if self.pace is None:
            return {}
        return Table.turn_over(self, moved, afresh=afresh, forced=forced, returned=returned)


class Refused(NamedTuple):
    """The first illegal move: its number, and the verdict of the rules."""

    n: int
    seat: int | None
    move: Any
    verdict: dict[str, Any]


def refuse(n: int, seat: int | None, move: Any, verdict: Verdict, findings: Findings) -> Refused:
    """Report the first illegal move, after which nothing can be followed."""
    assert verdict.refusal is not None
    rule, reason, _ = verdict.refusal
    findings.fail("verdicts", f"move {n}, of seat {seat}, is refused by {rule}: {reason}")
    findings.skip(NOT_FOLLOWED, "shuffles", "verdicts", "transfers", "result")
    return Refused(n, seat, move, verdict.to_json())


class Deciding:
    """A table at which the entries of a log happen again, as far as its position is known.

    It is not without the seed, and after what cannot happen. Late seats resign if it `resigns`; the last
    entry is `compared` if all that it says of what happened is true.
    """

    def __init__(
        self, record: Record, table: Table[Seat], outcomes: Outcomes, choices: Choices, findings: Findings
    ) -> None:
        """Begin with a table before the first entry of its log: a seen one, or an unseen one."""
        self._record, self._outcomes, self._choices, self._findings = record, outcomes, choices, findings
        self.table = table
        self._fold = UnseenFold(table) if isinstance(table, Unseen) else Fold(table)
        self._seats = Seats(findings)
        self._agreements = Agreements(findings)
        self._entropy = Entropy(findings)
        self._following = Following(choices, findings)
        self._copied = self._lost = False
        self.resigns = True  # late seats do
        self.compared = False
        self.refused: Refused | None = None

    @property
    def state(self) -> Position | None:
        """The position, if it is known."""
        return None if self._lost else self.table.state

    def read(self, entry: dict[str, Any], at: datetime | None, *, typed: bool) -> None:
        """Decide the next entry, of a type that is possible now, and let it happen.

        What is not `typed` as it should be has been reported, and may be impossible to count with.
        """
        self.compared = False
        if self._lost:
            return
        try:
            self._read(entry, at)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, TakenBackBefore):
            if typed:
                self._findings.fail("clocks", "has times that cannot be counted with")
            self._lose()

    def _read(self, entry: dict[str, Any], at: datetime | None) -> None:
        table, kind = self.table, entry["type"]
        shares = entry.get("private", {})
        members: Any = put_back(entry, shares, None)
        if kind == "moved":
            members = {
                **entry,
                "move": full_move(entry, shares, find(table.ruleset, table.ruleset_version).MOVES),
            }
        if kind == "created":
            members = self._create(entry)
        event = Event(kind, at or table.updated_at, members)
        if not self._seats.read(table, entry):
            self._lose()
            return
        timed = kind in TIMED and not (kind == "time_returned" and table.reveals)
        if table.pace is None and timed and not (self._copied and kind == "timed_out"):
            self._findings.fail("clocks", "speaks of time in a game without deadlines")
            self._lose()
            return
        if table.pace is None and not entry.keys().isdisjoint(CLOCKS):
            self._findings.fail("clocks", "speaks of time in a game without deadlines")
        follows = self._following.read(table, self._fold.recent, event)
        if not (self._copied and ENTRY_TYPES[kind].ends):
            self._decide(event, follows)
        self._happen(entry, event)

    def _happen(self, entry: dict[str, Any], event: Event) -> None:
        table = self.table
        if isinstance(table, Unseen):
            table.expect(event)
            if table.pace and ENTRY_TYPES[event.kind].turns:
                self._findings.skip("whose turn it was is not known without the deal", "clocks")
        facts = self._fold.happen(event)
        if isinstance(table, Seen) and table.noted is not None and table.noted.outcomes:
            self._outcomes.draw(table.noted.outcomes)
        self.compared = self._outcomes.compare(entry, facts, CLOCKS if table.state is None else PUBLIC)

    def _decide(self, event: Event, follows: bool) -> None:
        """Check that an entry can stand here; one that `follows` from those before it can."""
        table, kind, entry, recent = self.table, event.kind, event.members, self._fold.recent
        if kind == "moved":
            self.judge(event, follows)
        elif kind == "started":
            self._entropy.start(table, self._record.entropy)
        elif kind == "forfeited":
            self._entropy.forfeit(table, event)
        elif kind in ("paused", "drawn"):
            self._agreements.end(table, kind)
        elif kind.startswith("take_back_"):
            self._agreements.request(recent, entry)
        elif kind == "taken_back":
            if not self._agreements.take_back(table, recent, entry):
                self._close_eyes()
        elif not follows and (command := commands.asked(entry)) is not None:
            self.ask(command, event)
        if kind == "cancelled" and "agreed" in entry:
            self._agreements.end(table, kind)
        if kind in ("joined", "revealed", "cancelled"):
            self._entropy.read(table, event)

    def ask(self, command: commands.Command, event: Event) -> None:
        """Decide what was asked for, and compare."""
        decided = commands.decide(self.table, command, event.at, self._fold.recent)
        wrong = self._refusal(event, decided) if isinstance(decided, Refusal) else _difference(event, decided)
        if wrong is None:
            return
        self._findings.fail(*wrong)
        if event.kind == "timeout_undone":
            self._close_eyes()

    def _refusal(self, event: Event, refusal: Refusal) -> Wrong | None:
        """Return what is wrong with an entry that a rule of the table refuses."""
        if refusal.rule == "table.lasting" and event.kind == "timeout_undone":
            return Wrong("order", f"takes back a move although {self._fold.recent.shown}")
        check = CHECK_OF.get(refusal.rule)
        return None if check is None else Wrong(check, f"is refused by {refusal.rule}: {refusal.reason}")

    def judge(self, event: Event, follows: bool) -> None:
        """Check a move: whether its seat moves by itself, and is allowed to."""
        table, entry = self.table, event.members
        seat, state = entry["seat"], table.state
        if state is None:
            return
        deadline = table.seats[seat].deadline
        late = deadline is not None and deadline <= event.at - GRACE
        if late and not follows:
            self._findings.fail("clocks", LATE)
        if "random" not in entry and entry.get("bot") is not None:
            self._choices.check(table.key, table.version + 1, entry, state)
        verdict = judge(state, seat, entry["move"])
        if not verdict.legal:
            n = len(self._fold.moves) + 1
            self.refused = refuse(n, seat, entry["move"], verdict, self._findings)
            self._close_eyes()

    def _create(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return the terms with which the table can work; others are reported."""
        self._copied = self._seats.may_be_nobody = "origin" in entry
        self._following.copied = self._copied
        entry = self._entropy.create(entry)
        if entry["pace"] is not None:
            try:
                self.resigns = Pace.of(entry["pace"]).on_timeout == "resign"
            except ValueError:
                self._findings.fail("clocks", "announces a pace that cannot be counted with")
                return {**entry, "pace": None}
        return entry

    def _close_eyes(self) -> None:
        """Go on without the position, because no later entry has a meaning for it."""
        self.table = Unseen.of(self.table)
        self._fold = UnseenFold(self.table, self._fold.recent)
        self._following.forget()
        self._skip()

    def _lose(self) -> None:
        """Give up, because the table cannot do what an entry says."""
        self._lost = True
        self._skip()

    def _skip(self) -> None:
        self._findings.skip(NOT_FOLLOWED, "shuffles", "verdicts", "transfers", "result")

    def report(self, is_open: bool) -> None:
        """Report what is missing at the end of a log."""
        if not self._lost:
            self._entropy.report(self.table, self._record.entropy)
            if is_open:
                self._following.report()
