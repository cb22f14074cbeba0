"""An example notice for each event, created by the code that creates notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

import referee.records
from api.core.names import Labels
from api.features.notices import events
from api.features.notices.events import Notification, Subject, TurnNotice
from api.features.webhooks import posting
from api.features.webhooks.store import Listener
from api.http.answers import Json

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
GAME, APP, HOOK = (UUID(f"019ca94f-4d80-7000-8000-00000000000{number}") for number in range(3))
ANNA, BEN = ({"id": f"019ca94f-4d80-7000-8000-00000000001{number}"} for number in range(2))
SUBJECT = Subject(APP, GAME, "pies", "Final", Labels("table-7", {"cup": "2026"}), (ANNA["id"], BEN["id"]))
READER = Listener(HOOK, [], None, [events.ENTRY])


@cache
def examples() -> dict[str, Json]:
    """Return an example of every event."""
    named: dict[str, Json] = {}
    for notice in _notices():
        named.setdefault(notice.event, events.payload(notice, AT))
    return {event: named[event] for event in events.ABOUT}


def _notices() -> Iterator[Notification]:
    of_game = [notice for entry in _entries() for notice in events.of_entry(GAME, entry)]
    turn = TurnNotice(GAME, 9, 0, ANNA["id"], AT + timedelta(days=3))
    of_turns = (
        events.REVEAL_DUE,
        events.TURN_BEGAN,
        events.TURN_WARNING,
        events.ORDERS_CANCELLED,
    )
    of_game += [events.of_turn(event, turn) for event in of_turns]
    of_game.append(events.Notification(events.GAME_IMPORTED, {"game": str(GAME), "version": 30}))
    of_game.append(events.of_invitation(GAME, 1, 1, BEN["id"]))
    for notice in posting.about(SUBJECT, of_game):
        said = notice.event == events.GAME_SAID
        yield posting.as_asked(READER, notice) if said else notice
    error = "the mail server refused the recipient (5.7.1)"
    yield events.of_failed_mail(UUID(ANNA["id"]), 554, error, disabled=False)
    yield posting.of_test(HOOK)


def _entries() -> Sequence[referee.records.Entry]:
    entries = []
    kinds = [*events.OF_ENTRIES, "joined"]
    for number, kind in enumerate(kinds, 1):
        public: Any = {"seq": number, "type": kind, "at": "2026-03-01T12:00:00.000000Z"}
        declared = referee.records.ENTRY_TYPES[kind]
        if declared.has("seat"):
            public |= {"by": "player", "seat": 0, "player": ANNA, "bot": None}
        if number == len(kinds):
            public["replaced"] = True
        public |= declared.notice.example
        entries.append(referee.records.Entry(public, {}, bytes(32)))
    return entries
