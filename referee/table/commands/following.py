"""What happens at a table by itself: the deal, the end, what all have agreed to, and when time is over."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import cast

from referee.computer.timeouts import forced_move
from referee.log.parts import Json, Result
from referee.table.commands.agreements import CANCELLATION, DRAW
from referee.table.commands.base import decide
from referee.table.commands.play import Deal
from referee.table.commands.seats import HandOver
from referee.table.events import Event
from referee.table.recent import Recent
from referee.table.seats import Seat, Who, seats_to_reveal
from referee.table.table import OPEN, RUNNING, Table


def follow(table: Table[Seat], at: datetime) -> Event | None:
    """Return what happens next by itself: the deal, the end, or what all players have agreed to."""
    if table.status == OPEN:
        event = decide(table, Deal(), at)
        return event if isinstance(event, Event) else None
    if table.status != RUNNING:
        return None
    if table.state is not None and table.state.result is not None:
        result = cast(Result, table.state.result)
        return Event("finished", at, {"result": result, "seed": table.seed.hex()})
    return _agreed(table, at)


def _agreed(table: Table[Seat], at: datetime) -> Event | None:
    """Return the pause or the end to which all players have agreed, or None."""
    players = [seat for seat in table.seats if seat.player]
    if not players:
        return None
    if all(seat.pause_agreed for seat in players):
        return Event("paused", at)
    if all(seat.ending_agreed == DRAW for seat in players):
        return Event("drawn", at)
    if all(seat.ending_agreed == CANCELLATION for seat in players):
        return Event("cancelled", at, {"agreed": True})
    return None


def following(table: Table[Seat], at: datetime) -> Iterator[Event]:
    """Yield all that follows by itself; each event has to be applied before the next one is asked for."""
    while (event := follow(table, at)) is not None:
        yield event


def taken_back(table: Table[Seat], at: datetime, past: Recent) -> Event | None:
    """Return the take-back to which every seat that a player holds has agreed; None if there is none."""
    asked = past.consent.request
    players = {number for number, seat in enumerate(table.seats) if seat.player}
    if asked is None or not players <= asked.agreed:
        return None
    return Event("taken_back", at, {**table.who(asked.seat), "of": asked.of})


def pass_time(table: Table[Seat], at: datetime, past: Callable[[], Recent]) -> Iterator[Event]:
    """Yield what happens because time is over: that of turns, or that in which entropy is revealed.

    Each event has to be applied before the next one is asked for. Either all late seats resign, or a move is
    made for each of them; `past` returns what is recent at the table by then.
    """
    while table.timing and (late := table.overdue(at)):
        for seat in late:
            yield Event("timed_out", at, table.who(seat))
        yield from after_time(table, late, at, past)
    if table.reveal_overdue(at):
        for seat in seats_to_reveal(table.seats):
            yield Event("forfeited", at, table.who(seat))
        yield Event("cancelled", at)


def _forced(table: Table[Seat], seat: int) -> Json:
    on_timeout = table.time_control.on_timeout
    return forced_move(table.position, seat, table.key, table.version + 1, on_timeout)


def after_time(
    table: Table[Seat],
    late: Sequence[int],
    at: datetime,
    past: Callable[[], Recent],
    choose: Callable[[Table[Seat], int], Json] = _forced,
) -> Iterator[Event]:
    """Yield what happens after these seats have run out of time; `choose` makes the moves for them."""
    pace = table.time_control
    if pace.on_timeout == "resign":
        yield from following(table, at)
        return
    for seat in late:
        if seat in table.overdue(at):  # it may have been answered for by the one before it
            move = choose(table, seat)
            yield Event("moved", at, {**table.who(seat), "random": True, "move": move})
            yield from following(table, at)
    if pace.out_after is not None:
        missed = past().votes.late
        yield from _drop(table, [n for n in late if missed[n] >= pace.out_after], at, pace.stand_in)


def _drop(table: Table[Seat], seats: list[int], at: datetime, stand_in: str | None) -> Iterator[Event]:
    """Take seats that have missed too many turns in a row out of the game: a bot may stand in for them.

    Without one, the first of them loses, and the game is over.
    """
    for seat in seats:
        if table.status != RUNNING:
            return
        if stand_in is None:
            yield Event("dropped", at, table.who(seat))
            yield from following(table, at)
        else:
            command = HandOver(seat, Who(bot=stand_in), "dropped")
            left = decide(table, command, at)
            assert isinstance(left, Event)
            yield left
            yield command.then(at)
