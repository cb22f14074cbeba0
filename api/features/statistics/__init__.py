"""Statistics of players: kept as games end."""

from api.feature import Feature
from api.features.statistics import results, tables
from api.games import saving

FEATURE = Feature(
    "statistics",
    tables=[tables.player_results],
    routes=["routes"],
    answers=[saving.saved.by(results.keep)],
)
