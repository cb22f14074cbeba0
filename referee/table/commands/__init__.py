"""Commands: what somebody asks of a table. `decide` makes an event of each, or refuses it by a rule."""

from referee.table.commands import agreements as agreements
from referee.table.commands import clocks as clocks
from referee.table.commands import play as play
from referee.table.commands import seats as seats
from referee.table.commands.asking import asked as asked
from referee.table.commands.base import BEGUN as BEGUN
from referee.table.commands.base import NOT_BEGUN as NOT_BEGUN
from referee.table.commands.base import NOT_PAUSED as NOT_PAUSED
from referee.table.commands.base import OVER as OVER
from referee.table.commands.base import PAUSED as PAUSED
from referee.table.commands.base import Command as Command
from referee.table.commands.base import decide as decide
from referee.table.commands.base import misplaced as misplaced
from referee.table.commands.following import after_time as after_time
from referee.table.commands.following import follow as follow
from referee.table.commands.following import following as following
from referee.table.commands.following import pass_time as pass_time
from referee.table.commands.following import taken_back as taken_back
