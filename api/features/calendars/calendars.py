"""A player's deadlines as a calendar (RFC 5545), at a secret address."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from api.context import Context
from api.core.errors import Conflict
from api.features.mail import links, store
from api.features.mail.contacts import own_contact
from api.features.mail.phrases import speaking, translate
from api.features.mail.store import Contact
from api.features.mail.words import name_of
from api.store import due_work

MOST = 500  # deadlines
REFRESH = timedelta(hours=1)
ALARM = timedelta(hours=-3)


def show(context: Context) -> dict[str, Any]:
    """Show the address of the caller's calendar, if it has one."""
    contact = store.get(context.session, context.player_id)
    return {"url": _address(context, contact) if contact else None}


def replace(context: Context) -> dict[str, Any]:
    """Create a new address for the caller's calendar; the old one stops working.

    Raises Conflict if this server does not know its own address.
    """
    if not context.settings.public_url:
        raise Conflict("This server has no calendars: its operator has not set PUBLIC_URL.")
    with context.session.transaction():
        contact = own_contact(context)
        contact = contact._replace(calendar=int.from_bytes(context.random_bytes(4), "big") >> 1)
        store.update(context.session, contact)
    return {"url": _address(context, contact)}


def delete(context: Context) -> None:
    """Delete the address of the caller's calendar."""
    with context.session.transaction():
        store.update(context.session, own_contact(context)._replace(calendar=None))


def _address(context: Context, contact: Contact) -> str | None:
    if contact.calendar is None:
        return None
    token = links.make(contact, links.CALENDAR)
    return f"{context.settings.public_url}/calendar/{token}.ics"


def read(context: Context, token: str) -> bytes:
    """Return the calendar with this address. Raises NotFound.

    An event is one turn of a seat. Every change in its game raises its SEQUENCE, including changes of its
    deadline: otherwise programs may keep the old version (RFC 5545, 3.8.7.4).
    """
    from icalendar import Alarm, Calendar, Event  # imported only here: 3 MB and a tenth of the start time

    contact = links.follow(context, links.CALENDAR, token)
    with speaking(contact.preferences.language):
        ends, soon = translate("your time ends"), translate("your time ends soon")
    calendar = Calendar()
    calendar.add("prodid", "-//Card Referee//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", "Card Referee")
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    host = urlsplit(context.settings.public_url).hostname
    for turn in due_work.turns(context.session, contact.player_id, None, MOST, tested=False):
        if turn.deadline is None:
            continue
        event, name = Event(), name_of(turn.ruleset, turn.title)
        event.add("uid", f"{turn.game_id}-{turn.seat}-{turn.since:%Y%m%dT%H%M%S%f}@{host}")
        event.add("dtstamp", turn.updated_at)  # without METHOD the same as LAST-MODIFIED (3.8.7.2)
        event.add("last-modified", turn.updated_at)
        event.add("sequence", turn.version)
        event.add("dtstart", turn.deadline)
        event.add("summary", f"{name}: {ends}")
        event.add("url", f"{context.settings.public_url}/table/{turn.game_id}")
        event.add("transp", "TRANSPARENT")
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", f"{name}: {soon}")
        alarm.add("trigger", ALARM)
        event.add_component(alarm)
        calendar.add_component(event)
    if not calendar.subcomponents:
        calendar.add_component(_universal_time())
    return bytes(calendar.to_ical())


def _universal_time() -> Any:
    """Return the component of a calendar without deadlines, which must have at least one (RFC 5545, 3.6).

    It is an unused time zone, which calendar programs read without showing it.
    """
    from icalendar import Timezone, TimezoneStandard

    zone, always = Timezone(), TimezoneStandard()
    zone.add("tzid", "Etc/UTC")
    always.add("dtstart", datetime(1970, 1, 1))  # local time, as 3.6.5 requires
    always.add("tzoffsetfrom", timedelta())
    always.add("tzoffsetto", timedelta())
    always.add("tzname", "UTC")
    zone.add_component(always)
    return zone
