"""Who follows a game: which players are at the table, and how many others watch."""

from api.feature import HOUR, Feature, Job
from api.features.presence import presence, tables
from api.streams import channels

FEATURE = Feature(
    "presence",
    tables=[tables.followers],
    routes=["routes"],
    answers=[channels.followed.by(presence.keep)],
    jobs=[Job(presence.forget, HOUR)],
)
