"""Finished games of an app go after a number of days that the operator sets."""

from api.feature import HOUR, Feature, Job
from api.features.retention import retention, tables

# A game stays until its leaves are in the log of all games, which `proofs` adds. What waits for it in a table
# of notices counts too; `migrate` makes all tables, so that feature may be switched off.
FEATURE = Feature(
    "retention",
    needs=["proofs", "notices"],
    tables=[tables.retentions],
    functions={"forget_games()": retention.definition},
    commands=True,
    jobs=[Job(retention.forget, HOUR)],
)
