"""The refused requests of an app, for those who look for what is wrong with them."""

from api.feature import HOUR, Feature, Job
from api.features.requests import refusals, tables
from api.http.problem_types import refused

FEATURE = Feature(
    "requests",
    tables=[tables.refused_requests],
    routes=["routes"],
    answers=[refused.by(refusals.record)],
    jobs=[Job(refusals.prune, HOUR)],
)
