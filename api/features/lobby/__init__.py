"""Finding others to play with: seeks, rematches, invitations."""

from api.callers import players
from api.feature import HOUR, Feature, Job
from api.features.lobby import seeks, tables

FEATURE = Feature(
    "lobby",
    tables=[tables.seeks],
    routes=["routes", "routes_of_rematches"],
    answers=[players.leaving.by(seeks.forget)],  # first, as whoever matches seeks locks their players
    jobs=[Job(seeks.prune, HOUR)],
)
