"""Applies events to a table. Nothing else changes one."""

from referee.log.entries import ENTRY_TYPES
from referee.table.commands import agreements, clocks, play, seats
from referee.table.events import Effects, Event, Facts, Given
from referee.table.seats import Seat
from referee.table.table import Table

ALONE = Given()
NO_FACTS = Facts({})
EFFECTS: Effects = {**seats.EFFECTS, **play.EFFECTS, **agreements.EFFECTS, **clocks.EFFECTS}


def apply(table: Table[Seat], event: Event, given: Given = ALONE, effects: Effects = EFFECTS) -> Facts:
    """Let an event happen; return what its entry records beside the event's members. Times never go back."""
    kind, declared = event.kind, ENTRY_TYPES[event.kind]
    table.version += 1
    table.updated_at = max(event.at, table.updated_at)
    if given.earlier is not None:
        table.state, table.drawn = given.earlier
    effect = effects.get(kind)
    facts = (effect(table, event) if effect else None) or NO_FACTS
    if declared.aside:
        return facts
    table.forget_agreements()
    if not (declared.turns or declared.ends or declared.last):
        return facts
    newcomer = kind == "joined"
    moved = event.members["seat"] if newcomer or kind == "moved" else None
    forced = newcomer or bool(event.members.get("random"))
    clocks = table.turn_over(moved, afresh=declared.afresh, forced=forced, returned=given.returned)
    return facts._replace(public={**facts.public, **clocks}) if clocks and declared.turns else facts
