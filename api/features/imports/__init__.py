"""Games that were begun elsewhere: imported records, and forks."""

from api.feature import Feature
from api.features.imports import forks, imports, tables
from api.games import games

FEATURE = Feature(
    "imports",
    tables=[tables.imports],
    routes=["routes"],
    problems=[imports.CommitmentKnown],
    answers=[games.copied.by(forks.create)],
)
