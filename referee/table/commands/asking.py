"""What the author of an entry must have asked for."""

from referee.log.members import Members
from referee.table.commands import agreements, clocks, play, seats
from referee.table.commands.base import Command

_COMMANDS: dict[str, type[Command]] = {
    command.event_kind: command
    for command in (
        *(seats.Sit, seats.GetUp, play.Reveal, play.Resign, play.Cancel, play.Adjudicate),
        *(agreements.EndPause, agreements.UndoTimeout),
        *(clocks.TakeVacation, clocks.AddTime, clocks.ReturnTime),
    )
}


def asked(entry: Members) -> Command | None:
    """Return what was asked for if this entry was written.

    None: it is a move, which the rules of the game judge; it happens by itself; or it leads to nothing by
    itself, as what is said and agreed to.
    """
    kind = entry["type"]
    if "replaced" in entry:
        return seats.HandOver.of(entry) if kind == "left" else None
    if "reason" in entry:
        return play.CancelEndless.of(entry)
    command = _COMMANDS.get(kind)
    return None if command is None else command.of(entry)
