"""The referee without a stored game: it judges positions and records that it is sent."""

from api.feature import Feature

FEATURE = Feature(
    "stateless",
    routes=["routes"],
)
