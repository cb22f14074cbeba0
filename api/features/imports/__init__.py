"""Games that were begun elsewhere: imported records, and forks."""

from api.feature import Feature
from api.features.imports import forks, tables
from api.games import games

FEATURE = Feature(
    "imports",
    tables=[tables.imports],
    routes=["routes"],
    answers=[games.copied.by(forks.create)],
)
