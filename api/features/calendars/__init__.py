"""Calendars: the deadlines of a player at a secret address."""

from api.feature import Feature

FEATURE = Feature(
    "calendars",
    needs=["mail"],
    routes=["routes"],
)
