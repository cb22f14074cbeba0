"""The clocks of a table, and the times and durations that records have.

>>> pace = Pace.of({"per_move": "P1DT12H", "on_timeout": "resign"})
>>> pace.per_move == duration("PT36H")
True
>>> duration_text(pace.per_move)
'PT129600S'
"""

from referee.log.pace import (
    MOST_MISSED,
    ON_TIMEOUT,
    Clock,
    Pace,
    add_time,
    end_turn,
    fact,
    go_away,
    outlast,
    pause,
    resume,
    turn_over,
)
from referee.log.times import duration, duration_text, later, read_time, timestamp

__all__ = [
    "MOST_MISSED",
    "ON_TIMEOUT",
    "Clock",
    "Pace",
    "add_time",
    "duration",
    "duration_text",
    "end_turn",
    "fact",
    "go_away",
    "later",
    "outlast",
    "pause",
    "read_time",
    "resume",
    "timestamp",
    "turn_over",
]
