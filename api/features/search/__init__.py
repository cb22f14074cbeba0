"""Finding games."""

from api.feature import Feature

FEATURE = Feature(
    "search",
    routes=["routes"],
)
