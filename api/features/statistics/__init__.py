"""Statistics of players."""

from api.feature import Feature

FEATURE = Feature(
    "statistics",
    routes=["routes"],
)
