"""The events that the log tells, and those of turns: what each means, the shape of its notice, an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, NotRequired, TypedDict
from uuid import UUID

import referee.records
from api.feature import EventType
from api.features.notices import events
from api.features.notices.events import TurnNotice
from api.games.answers import Tested
from api.games.answers_of_logs import Entry
from api.games.views import SPECTATOR, show_entry
from api.http.answers import Count, Timestamp, Uuid, choice
from api.rulesets.answers import Result
from referee.clocks import timestamp


class OfGame(TypedDict):
    """The game, with the app's labels."""

    game: Uuid
    version: Annotated[Count, "The number of the last entry of the log at that time."]
    ruleset: NotRequired[str]
    title: NotRequired[str | None]
    external_id: NotRequired[Annotated[str | None, "The app's own id of the game."]]
    metadata: NotRequired[Annotated[dict[str, str], "Data of the app about the game."]]
    test_clock: NotRequired[Tested]
    entry: NotRequired[Annotated[Entry, "The entry that this notification is about, if included."]]


class OfSeat(OfGame):
    """The seat of a game and its player; null if the seat is open."""

    seat: NotRequired[Count | None]
    player: NotRequired[Uuid | None]


class OfEnding(OfSeat):
    """The seat that agrees to end the game, and how."""

    ending: Annotated[str, choice(*referee.records.ENDINGS_AGREED)]


class OfTurn(OfSeat):
    """The seat whose turn it is, and the deadline."""

    deadline: Timestamp | None


class OfResult(OfGame):
    """The end of a game."""

    result: NotRequired[Result | None]


# Of examples.
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
GAME = UUID("019ca94f-4d80-7000-8000-000000000000")
ANNA, BEN = (f"019ca94f-4d80-7000-8000-00000000001{number}" for number in range(2))
TURN = events.of_turn(events.TURN_BEGAN, TurnNotice(GAME, 9, 0, ANNA, AT + timedelta(days=3))).data


def _of_log() -> Iterator[EventType]:
    """Yield the event of each type of entry, and that of a seat that was taken over."""
    kinds = referee.records.ENTRY_TYPES
    for number, (name, kind) in enumerate(kinds.items(), 1):
        notice, replaced = kind.notice, kind.notice_of_replacement
        yield _of_entry(number, name, notice.about, notice.example, on_request=notice.on_request)
        if replaced is not None:
            yield _of_entry(len(kinds) + 1, name, replaced.about, {"replaced": True})


def _of_entry(
    number: int, name: str, about: str, members: Mapping[str, Any], *, on_request: bool = False
) -> EventType:
    of_seat = referee.records.ENTRY_TYPES[name].has("seat")
    public: Any = {"seq": number, "type": name, "at": timestamp(AT)}
    if of_seat:
        public |= {"by": "player", "seat": 0, "player": {"id": ANNA}, "bot": None}
    entry = referee.records.Entry(public | {**members}, {}, bytes(32))
    first = events.of_entry(GAME, entry)[0]
    example = {**first.data, "entry": show_entry(entry, SPECTATOR)} if name == "said" else first.data
    shape: type[Any] = OfSeat if of_seat else OfGame
    if first.event == events.GAME_ENDING_AGREED:
        shape = OfEnding
    elif name in referee.records.LAST:
        shape = OfResult
    return EventType(first.event, about, shape, example, on_request)


EVENTS = (
    *_of_log(),
    EventType(
        events.GAME_INVITED,
        "A player is invited to a seat, which they can take without its code.",
        OfSeat,
        events.of_invitation(GAME, 1, 1, BEN).data,
    ),
    EventType(
        events.REVEAL_DUE,
        "All seats are taken, and a player has to reveal the seat's entropy in time.",
        OfTurn,
        TURN,
    ),
    EventType(events.TURN_BEGAN, "It is a seat's turn, until the deadline if there is one.", OfTurn, TURN),
    EventType(events.TURN_WARNING, "A seat's deadline is near.", OfTurn, TURN),
    EventType(events.DEADLINE_MOVED, "The deadline of a current turn has changed.", OfTurn, TURN),
)
