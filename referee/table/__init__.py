"""What happens at a table: the people, clocks and agreements around a position, determined by the log alone.

A `Table` changes only by `apply`, which a live move runs once and a `Fold` of a log runs on every entry.

>>> from datetime import UTC, datetime
>>> now = datetime(2026, 1, 1, tzinfo=UTC)
>>> terms = {"ruleset": "cats_and_dogs", "ruleset_version": 1, "options": {}, "seed": b"secret"}
>>> table = Table(**terms, seats=[Seat(), Seat()], updated_at=now)
>>> dealt = apply(table, Event("started", now, {}))
>>> table.status, table.version, table.position.phase
('running', 1, 'play')
"""

from referee.computer.timeouts import forced_move as forced_move
from referee.engine.play import conclude as conclude
from referee.engine.play import draw as draw
from referee.engine.play import rule as rule
from referee.engine.takeback import reveals as reveals
from referee.engine.talk import FREE_TALK as FREE_TALK
from referee.engine.talk import TALK_KINDS as TALK_KINDS
from referee.engine.talk import Talk as Talk
from referee.engine.talk import talk as talk
from referee.log.consent import Request as Request
from referee.log.members import Members as Members
from referee.log.parts import Holder as Holder
from referee.log.parts import Json as Json
from referee.log.parts import Named as Named
from referee.log.parts import Result as Result
from referee.log.parts import Ruling as Ruling
from referee.log.words import full_move as full_move
from referee.table import commands as commands
from referee.table.apply import apply as apply
from referee.table.dealing import COMMIT as COMMIT
from referee.table.dealing import Dealing as Dealing
from referee.table.dealing import entropy_commitment as entropy_commitment
from referee.table.events import Earlier as Earlier
from referee.table.events import Event as Event
from referee.table.events import Given as Given
from referee.table.fold import Fold as Fold
from referee.table.fold import TakenBackBefore as TakenBackBefore
from referee.table.recent import Recent as Recent
from referee.table.seats import PlayerName as PlayerName
from referee.table.seats import Seat as Seat
from referee.table.seats import Who as Who
from referee.table.seats import seats_to_reveal as seats_to_reveal
from referee.table.table import CANCELLED as CANCELLED
from referee.table.table import FINISHED as FINISHED
from referee.table.table import OPEN as OPEN
from referee.table.table import RUNNING as RUNNING
from referee.table.table import Table as Table
from referee.table.table import Watched as Watched
