"""The director of a game: time, time-outs, and rulings by its app."""

from api.feature import Feature

FEATURE = Feature(
    "director",
    routes=["routes"],
    commands=True,
)
