"""Finished games of an app go after a number of days that the operator sets."""

from api.feature import HOUR, Feature, Job
from api.features.retention import retention, tables

# A game stays until its leaves are in the log of all games, which `proofs` adds. What waits for it in tables
# of notices and webhooks counts too; `migrate` makes all tables, so those features may be switched off.
FEATURE = Feature(
    "retention",
    needs=["proofs"],
    tables=[tables.retentions],
    functions={"forget_games()": retention.definition},
    commands=True,
    jobs=[Job(retention.forget, HOUR)],
)
