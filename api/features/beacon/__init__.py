"""Deals that wait for a public beacon of chance."""

from api.feature import SECOND, Due, Feature, Job
from api.features.beacon import draws

FEATURE = Feature(
    "beacon",
    jobs=[Job(draws.draw_all, SECOND, Due("beacon_rounds", "games WHERE draw_at <= now()", "draw_at"))],
)
