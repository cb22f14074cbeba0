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

from referee.computer.timeouts import forced_move
from referee.engine.play import conclude, draw, rule
from referee.engine.takeback import reveals
from referee.engine.talk import FREE as FREE_TALK
from referee.engine.talk import KINDS as TALK_KINDS
from referee.engine.talk import Talk, talk
from referee.log.consent import Newcomer, Request
from referee.log.members import Members
from referee.log.parts import Holder, Json, Named, Result, Ruling
from referee.table import commands
from referee.table.apply import apply
from referee.table.dealing import COMMIT, Dealing, entropy_commitment
from referee.table.events import Earlier, Event, Given
from referee.table.fold import Fold, PlayedMove, TakenBackBefore
from referee.table.recent import Recent
from referee.table.seats import PlayerName, Seat, Who, seats_to_reveal
from referee.table.table import CANCELLED, FINISHED, OPEN, RUNNING, Table, full_move

__all__ = [
    "CANCELLED",
    "COMMIT",
    "FINISHED",
    "FREE_TALK",
    "OPEN",
    "RUNNING",
    "TALK_KINDS",
    "Dealing",
    "Earlier",
    "Event",
    "Fold",
    "Given",
    "Holder",
    "Json",
    "Members",
    "Named",
    "Newcomer",
    "PlayedMove",
    "PlayerName",
    "Recent",
    "Request",
    "Result",
    "Ruling",
    "Seat",
    "Table",
    "TakenBackBefore",
    "Talk",
    "Who",
    "apply",
    "commands",
    "conclude",
    "draw",
    "entropy_commitment",
    "forced_move",
    "full_move",
    "reveals",
    "rule",
    "seats_to_reveal",
    "talk",
]
