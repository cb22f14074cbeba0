"""Clocks after outages, time that was added and undone time-outs: two computations agree.

One is that of tables (`referee.log.pace`), the other that of the campaigns, which shares no code with it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.log import pace, times
from tests.campaigns.clocks import HOUR, Clocks

SEATS = 3
PACE = {"per_move": "PT24H", "on_timeout": "random_move", "warn_before": None, "reserve": "PT9H"}
TERMS = {**PACE, "increment": "PT2H", "vacation_days": 4, "quiet_weekends": False}
hours = st.integers(1, 40)
STEPS = st.one_of(
    st.tuples(st.just("move"), hours),
    st.tuples(st.sampled_from(["outage", "add", "pause", "late", "undo"]), hours),
    st.tuples(st.just("away"), st.integers(1, 3)),
)


class Table:
    """A game in which seats move in turn, counted in two ways."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.pace = pace.Pace.of(TERMS)
        self.seats = [pace.Clock()] * SEATS
        self.model = Clocks(TERMS, SEATS)
        self.turn = self.seq = 0
        self.increments = pace.Increments()
        self.forced: list[tuple[int, int, timedelta]] = []  # entry, seat, and the reserve before
        self.write("created", pace=TERMS)
        self.write("started", **pace.turn_over(self.seats, [0], self.pace, self.at))
        self.model.turn_over([0], (), self.at)

    def write(self, kind: str, **members: Any) -> None:
        self.seq += 1
        entry = {"seq": self.seq, "type": kind, "at": times.timestamp(self.at), **members}
        self.increments.read(self.seq, entry)

    def move(self, length: int) -> None:
        deadline = self.seats[self.turn].deadline
        assert deadline is not None
        self.at = max(self.at, min(self.at + length * HOUR, deadline - HOUR))
        self._pass(forced=False)

    def late(self, length: int) -> None:
        deadline = self.seats[self.turn].deadline
        assert deadline is not None
        self.at = max(self.at, deadline) + length * HOUR
        self.write("timed_out", seat=self.turn)
        self.forced.append((self.seq + 1, self.turn, self.model.all[self.turn].reserve))
        self._pass(forced=True)

    def _pass(self, forced: bool) -> None:
        mover, self.turn = self.turn, (self.turn + 1) % SEATS
        facts = pace.turn_over(self.seats, [self.turn], self.pace, self.at, mover, forced=forced)
        self.model.turn_over([self.turn], (), self.at, mover, forced=forced)
        self.write("moved", seat=mover, **({"random": True} if forced else {}), **facts)
        if not forced:
            self.forced.clear()

    def undo(self, length: int) -> None:
        if not self.forced:
            return
        self.at += length * HOUR
        of, seat, before = self.forced.pop()
        self.turn = seat
        returned = self.increments.since(of)
        facts = pace.turn_over(self.seats, [seat], self.pace, self.at, afresh=True, returned=returned)
        used = {seat: self.model.all[seat].reserve - before}
        self.model.turn_over([seat], (), self.at, afresh=True, returned=used)
        assert self.model.all[seat].reserve == before
        self.write("timeout_undone", of=of, undone={"seat": seat, "timed_out": of - 1}, **facts)

    def outage(self, length: int) -> None:
        since, self.at = self.at, self.at + length * HOUR
        facts = pace.outlast(self.seats, self.pace, since, self.at)
        self.model.pause(since)
        self.model.resume(self.at)
        self.write("time_returned", since=times.timestamp(since), **facts)

    def pause(self, length: int) -> None:
        pace.pause(self.seats, self.pace, self.at)
        self.model.pause(self.at)
        self.write("paused")
        self.at += length * HOUR
        self.model.resume(self.at)
        self.write("resumed", **pace.resume(self.seats, self.pace, self.at))

    def add(self, length: int) -> None:
        facts = pace.add_time(self.seats, self.turn, self.pace, length * HOUR)
        clock = self.model.all[self.turn]
        assert clock.deadline is not None
        clock.deadline += length * HOUR
        self.write("time_added", added={"seat": self.turn, "time": f"PT{length}H"}, **facts)

    def away(self, days: int) -> None:
        if self.model.go_away(self.turn, days, self.at):
            facts = pace.go_away(self.seats, self.turn, self.pace, self.at, days)
            self.write("vacation_taken", seat=self.turn, **facts)

    def agree(self) -> None:
        """Compare the two."""
        counted = [
            (seat.deadline, self.pace.reserve_left(seat), self.pace.vacation_left(seat), seat.away_until)
            for seat in self.seats
        ]
        assert counted == [
            (clock.deadline, clock.reserve, clock.days, clock.away_until) for clock in self.model.all
        ]


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_two_computations_of_clocks_agree(steps: list[tuple[str, int]]) -> None:
    table = Table()
    table.agree()
    for kind, value in steps:
        getattr(table, kind)(value)
        table.agree()
