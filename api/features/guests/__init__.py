"""Guests: players without an account, of one game or of this server."""

from api.feature import HOUR, Feature, Job
from api.features.guests import guests, idle

FEATURE = Feature(
    "guests",
    routes=["routes"],
    commands=True,
    jobs=[Job(idle.end_guests, HOUR), Job(guests.erase, HOUR)],
)
