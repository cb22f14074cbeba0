"""Talk after the end of a game."""

from api.feature import Feature

FEATURE = Feature(
    "chat",
    routes=["routes"],
)
