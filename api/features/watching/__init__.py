"""Watching a private game by a link or on request."""

from api.feature import Feature

FEATURE = Feature(
    "watching",
    needs=["guests"],
    routes=["routes"],
)
