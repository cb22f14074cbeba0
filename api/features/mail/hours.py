"""The hours that players have set in their preferences, for the deadlines of their games."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from uuid import UUID

from api.context import Context
from api.features.mail import store_contacts as contacts
from api.features.mail.preferences import WEEKDAYS, Preferences
from api.game.hours import Hours


def hours(preferences: Preferences) -> Hours | None:
    """Return a player's hours, or None if all time counts."""
    if not preferences.sleep and not preferences.days_off:
        return None
    sleep = preferences.sleep
    between = (time.fromisoformat(sleep["from"]), time.fromisoformat(sleep["until"])) if sleep else None
    days = frozenset(map(WEEKDAYS.index, preferences.days_off))
    return Hours(preferences.zone, between, days)


def of_players(context: Context, player_ids: Sequence[UUID]) -> dict[str, Hours]:
    """Return the hours of those of these players for whom not all time counts, by the player's id."""
    rows = contacts.of_players(context.session, player_ids)
    each = {str(row.player_id): hours(Preferences.of(row)) for row in rows}
    return {player: known for player, known in each.items() if known is not None}
