"""The hours that players have set in their preferences, for the deadlines of their games."""

from __future__ import annotations

from datetime import time
from uuid import UUID

from api.context import Context
from api.features.mail import store_contacts as contacts
from api.features.mail.preferences import WEEKDAYS, Preferences
from api.games.hours import Hours


def hours(preferences: Preferences) -> Hours | None:
    """Return a player's hours, or None if all time counts."""
    if not preferences.sleep and not preferences.days_off:
        return None
    sleep = preferences.sleep
    between = (time.fromisoformat(sleep["from"]), time.fromisoformat(sleep["until"])) if sleep else None
    days = frozenset(map(WEEKDAYS.index, preferences.days_off))
    return Hours(preferences.zone, between, days)


def of_player(context: Context, player_id: str) -> Hours | None:
    """Return the hours of a player; None if all time counts for it."""
    rows = contacts.of_players(context.session, [UUID(player_id)])
    return hours(Preferences.of(rows[0])) if rows else None
