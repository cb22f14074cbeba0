"""Lists of games, with filters."""

from api.feature import Feature

FEATURE = Feature(
    "search",
    routes=["routes"],
)
