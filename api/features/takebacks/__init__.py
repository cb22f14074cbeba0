"""Take-backs: a move is taken back if all agree."""

from api.feature import Feature

FEATURE = Feature(
    "takebacks",
    needs=["post"],
    routes=["routes"],
)
