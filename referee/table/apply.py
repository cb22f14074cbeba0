"""What each type of entry does to a table. Nothing else changes one."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple, cast

from referee.engine.play import advance, conclude, deal, draw, resign, rule
from referee.engine.position import Moved, Position
from referee.log.chain import account
from referee.log.entries import ENTRY_TYPES
from referee.log.members import Members
from referee.log.pace import (
    NOTHING,
    Delays,
    Pace,
    add_time,
    change_pace,
    end_turn,
    go_away,
    outlast,
    pause,
    resume,
    turn_over,
    undelayed,
)
from referee.log.parts import Json, Result
from referee.log.times import duration
from referee.table.dealing import Dealing
from referee.table.seats import Seat, Who
from referee.table.table import CANCELLED, FINISHED, OPEN, RUNNING, Table

NOTHING_SAID: Members = {}


class Event(NamedTuple):
    """What happens at a table: the type of its entry, its time, and what the entry says by itself.

    A `moved` has the whole move, also where the entry hides a part of it.
    """

    kind: str
    at: datetime
    members: Members = NOTHING_SAID


class Earlier(NamedTuple):
    """The position to which a game goes back, and how many outcomes of chance were drawn before it."""

    state: Position
    drawn: int


class Given(NamedTuple):
    """What a table does not know by itself.

    `delays` come from the hours of players; `earlier` is the position before what is taken back, and
    `returned` what seats got by the moves that are taken back with it. A result has the `reason` of an older
    record, if there is one.
    """

    delays: Delays = undelayed
    earlier: Earlier | None = None
    returned: Mapping[int, timedelta] = NOTHING
    reason: str | None = None


class Facts(NamedTuple):
    """What an entry records beside its own members: for everybody, and for each seat.

    `transfers` are the movements of cards in the form of the engine.
    """

    public: Json
    private: Mapping[str, Json] = MappingProxyType({})
    transfers: Sequence[Moved] = ()


ALONE = Given()
NO_FACTS = Facts({})


def apply(table: Table[Seat], event: Event, given: Given = ALONE) -> Facts:
    """Let an event happen; return what its entry records beside the event's members. Times never go back."""
    kind, declared = event.kind, ENTRY_TYPES[event.kind]
    table.version += 1
    table.updated_at = max(event.at, table.updated_at)
    effect = EFFECTS.get(kind)
    facts = (effect(table, event, given) if effect else None) or NO_FACTS
    if declared.aside:
        return facts
    table.forget_agreements()
    if not (declared.turns or declared.ends or declared.last):
        return facts
    newcomer = kind == "joined"
    moved = event.members["seat"] if newcomer or kind == "moved" else None
    clocks = turn_over(
        *(table.seats, table.to_act, table.timing, table.updated_at, moved, declared.afresh),
        forced=newcomer or bool(event.members.get("random")),
        delays=given.delays,
        returned=given.returned,
    )
    return facts._replace(public={**facts.public, **clocks}) if declared.turns else facts


def _create(table: Table[Seat], event: Event, given: Given) -> None:
    table.pace, table.dealing = event.members["pace"], Dealing.of(event.members)


def _join(table: Table[Seat], event: Event, given: Given) -> None:
    seat = event.members["seat"]
    table.change(seat, **Who.of(event.members)._asdict(), public_key=event.members.get("public_key"))
    if table.status == OPEN:  # a player who takes over a seat later adds nothing to the game's chance
        table.change(
            seat, entropy=event.members.get("entropy", ""), commitment=event.members.get("commitment")
        )
        _go_on_dealing(table)


def _leave(table: Table[Seat], event: Event, given: Given) -> Facts:
    number, clocks = event.members["seat"], {}
    if table.status == OPEN:
        table.change(number, entropy="", commitment=None)
    else:
        clocks = end_turn(table.seats, number, table.timing, table.updated_at)
    player = table.seats[number].player
    if event.members.get("replaced") and player is not None:
        former = {**table.seats[number].former, player.id: table.version}
        table.change(number, former=former, previous=player)
    table.seats[number] = table.seats[number].vacated()
    return Facts(clocks)


def _reveal(table: Table[Seat], event: Event, given: Given) -> None:
    table.change(event.members["seat"], entropy=event.members["entropy"])
    _go_on_dealing(table)


def _go_on_dealing(table: Table[Seat]) -> None:
    if table.full and table.dealing is not None:
        table.dealing = table.dealing.go_on(table.seats, table.updated_at)


def _start(table: Table[Seat], event: Event, given: Given) -> Facts:
    if table.dealing is not None and "randomness" in event.members:
        table.dealing = table.dealing.drawn(**event.members["randomness"])
    table.drawn = 0
    chance = table.chance
    rules = table.ruleset, len(table.seats), table.options
    table.state, transfers = deal(*rules, chance, version=table.ruleset_version)
    table.drawn, table.status = chance.drawn, RUNNING
    return Facts(*account(table.position, None, transfers), transfers)


def _move(table: Table[Seat], event: Event, given: Given) -> Facts:
    seat, move, chance = event.members["seat"], event.members["move"], table.chance
    transfers = advance(table.position, seat, move, chance)
    table.drawn = chance.drawn
    return Facts(*account(table.position, move, transfers, seat), transfers)


def _go_back(table: Table[Seat], event: Event, given: Given) -> None:
    assert given.earlier is not None
    table.state, table.drawn = given.earlier


def _take_vacation(table: Table[Seat], event: Event, given: Given) -> Facts:
    days = event.members["vacation"]["days"]
    facts = go_away(table.seats, event.members["seat"], _timing(table), table.updated_at, days, given.delays)
    return Facts(facts)


def _nudge(table: Table[Seat], event: Event, given: Given) -> None:
    table.change(event.members["nudge"]["seat"], nudged_at=table.updated_at)


def _retire_key(table: Table[Seat], event: Event, given: Given) -> None:
    table.change(event.members["seat"], public_key=None)


def _agree_to_pause(table: Table[Seat], event: Event, given: Given) -> None:
    table.change(event.members["seat"], pause_agreed=True)


def _agree_to_end(table: Table[Seat], event: Event, given: Given) -> None:
    table.change(event.members["seat"], ending_agreed=event.members["ending"])


def _pause(table: Table[Seat], event: Event, given: Given) -> None:
    pause(table.seats, _timing(table), table.updated_at)


def _resume(table: Table[Seat], event: Event, given: Given) -> Facts:
    return Facts(resume(table.seats, _timing(table), table.updated_at, given.delays))


def _return_time(table: Table[Seat], event: Event, given: Given) -> Facts:
    since = datetime.fromisoformat(event.members["since"])
    return Facts(outlast(table.seats, _timing(table), since, table.updated_at, given.delays))


def _add_time(table: Table[Seat], event: Event, given: Given) -> Facts:
    seat, length = event.members["added"]["seat"], duration(event.members["added"]["time"])
    return Facts(add_time(table.seats, seat, _timing(table), length, given.delays))


def _change_pace(table: Table[Seat], event: Event, given: Given) -> None:
    change_pace(table.seats, _timing(table))
    table.pace = event.members["pace"]


def _give_up(table: Table[Seat], event: Event, given: Given) -> None:
    table.out = (*table.out, event.members["seat"])
    conclude(table.position, resign(table.position, *table.out, reason=given.reason or event.kind))


def _time_out(table: Table[Seat], event: Event, given: Given) -> None:
    """End the game if late seats resign; otherwise a move is made for each of them next."""
    if given.reason or (table.timing and table.timing.on_timeout == "resign"):
        _give_up(table, event, given)


def _draw(table: Table[Seat], event: Event, given: Given) -> None:
    conclude(table.position, draw(table.position))


def _adjudicate(table: Table[Seat], event: Event, given: Given) -> None:
    conclude(table.position, rule(event.members["ruling"]))


def _finish(table: Table[Seat], event: Event, given: Given) -> None:
    table.status = FINISHED
    result = event.members["result"]
    if table.position.result != result:  # in older logs the reason is another one
        table.position.result = {**result}
    table.result = cast(Result, table.position.result)


def _cancel(table: Table[Seat], event: Event, given: Given) -> None:
    table.status = CANCELLED
    if table.dealing is not None:
        table.dealing = table.dealing.called_off()


def _import(table: Table[Seat], event: Event, given: Given) -> None:
    """Go on with a game that began elsewhere, without its players and deadlines."""
    table.pace = None
    for seat in range(len(table.seats)):
        clock = {"deadline": None, "reserve": None, "away_until": None, "vacation_days": None}
        table.change(seat, player=None, public_key=None, paused=False, left=None, **clock)


def _timing(table: Table[Seat]) -> Pace:
    timing = table.timing
    assert timing is not None, "the game has no deadlines"
    return timing


# Types that are not here change nothing but the version and the time.
EFFECTS: Mapping[str, Callable[[Table[Seat], Event, Given], Facts | None]] = {
    "created": _create,
    "joined": _join,
    "left": _leave,
    "revealed": _reveal,
    "started": _start,
    "moved": _move,
    "taken_back": _go_back,
    "timeout_undone": _go_back,
    "vacation_taken": _take_vacation,
    "nudged": _nudge,
    "key_retired": _retire_key,
    "pause_agreed": _agree_to_pause,
    "ending_agreed": _agree_to_end,
    "paused": _pause,
    "resumed": _resume,
    "time_returned": _return_time,
    "time_added": _add_time,
    "pace_changed": _change_pace,
    "resigned": _give_up,
    "timed_out": _time_out,
    "dropped": _give_up,
    "drawn": _draw,
    "adjudicated": _adjudicate,
    "finished": _finish,
    "cancelled": _cancel,
    "imported": _import,
}
