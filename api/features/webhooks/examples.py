"""An example notice for each event."""

from __future__ import annotations

from uuid import UUID

from api.core.names import Labels
from api.feature import EventType
from api.features.notices.declared import ANNA, AT, BEN, GAME
from api.features.notices.events import Notification, Subject, payload
from api.features.webhooks import posting
from api.http.answers import Json

APP = UUID("019ca94f-4d80-7000-8000-000000000001")
SUBJECT = Subject(APP, GAME, "pies", "Final", Labels("table-7", {"cup": "2026"}), (ANNA, BEN))


def example(event: EventType) -> Json:
    """Return what is sent of an event."""
    notice = Notification(event.name, {**event.example})
    if "game" in notice.data:
        [notice] = posting.about(SUBJECT, [notice])
    return payload(notice, AT)


def examples() -> dict[str, Json]:
    """Return an example of every event."""
    return {event.name: example(event) for event in (*posting.events().values(), posting.TEST)}
