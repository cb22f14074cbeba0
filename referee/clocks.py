"""The clocks of a table, and the times and durations that records have.

>>> pace = Pace.of({"per_move": "P1DT12H", "on_timeout": "resign"})
>>> pace.per_move == duration("PT36H")
True
>>> duration_text(pace.per_move)
'PT129600S'
"""

from referee.log.pace import MOST_MISSED as MOST_MISSED
from referee.log.pace import ON_TIMEOUT as ON_TIMEOUT
from referee.log.pace import Clock as Clock
from referee.log.pace import Pace as Pace
from referee.log.pace import add_time as add_time
from referee.log.pace import end_turn as end_turn
from referee.log.pace import fact as fact
from referee.log.pace import go_away as go_away
from referee.log.pace import outlast as outlast
from referee.log.pace import pause as pause
from referee.log.pace import resume as resume
from referee.log.pace import turn_over as turn_over
from referee.log.times import duration as duration
from referee.log.times import duration_text as duration_text
from referee.log.times import later as later
from referee.log.times import read_time as read_time
from referee.log.times import timestamp as timestamp
