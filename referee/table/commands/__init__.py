"""Commands: what somebody asks of a table. `decide` makes an event of each, or refuses it by a rule."""

from referee.table.commands import agreements, clocks, play, seats
from referee.table.commands.base import (
    BEGUN,
    NOT_BEGUN,
    NOT_PAUSED,
    OVER,
    PAUSED,
    Command,
    decide,
    misplaced,
)
from referee.table.commands.following import follow, following, pass_time, taken_back

__all__ = [
    "BEGUN",
    "NOT_BEGUN",
    "NOT_PAUSED",
    "OVER",
    "PAUSED",
    "Command",
    "agreements",
    "clocks",
    "decide",
    "follow",
    "following",
    "misplaced",
    "pass_time",
    "play",
    "seats",
    "taken_back",
]
