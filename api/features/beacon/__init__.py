"""Deals that depend on a public beacon of chance."""

from api.feature import SECOND, Feature, Job
from api.features.beacon import draws

FEATURE = Feature(
    "beacon",
    jobs=[Job(draws.draw_all, SECOND, "games WHERE draw_at <= %(now)s")],
)
