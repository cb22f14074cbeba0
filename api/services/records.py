"""Games as records: what a replay anywhere else needs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
from api.services.access import sight
from api.services.context import Context
from api.services.history import full_move, shares
from api.services.showing import show_entry
from api.services.table import FINISHED, load
from api.services.texts import loads
from api.store import log

ENDS = ("resigned", "timed_out", "cancelled")


def record(context: Context, game_id: UUID) -> dict[str, Any]:
    """Give a game's record: whole once the game is over, until then what the caller may see of it."""
    table = load(context, game_id)
    seen = sight(context.caller, table)
    over = table.status == FINISHED
    seen = seen._replace(whole=seen.whole or over)
    moves, entries, ended = [], [], None
    for entry in log.all_entries(context.session, table.id, table.version):
        public, private = loads(entry.public), shares(entry)
        shown = show_entry(referee.Entry(public, private, bytes(entry.hash)), seen)
        entries.append(shown)
        if public["type"] == "moved":
            move = full_move(public, shown.get("private", {}))
            moves.append({"seat": public["seat"], "move": move, "seq": entry.seq, "at": public["at"]})
        elif public["type"] in ENDS:
            ended = {"type": public["type"], "seat": public.get("seat")}
    return {
        "format": "card-referee/1",
        "ruleset": table.ruleset,
        "version": table.ruleset_version,
        "seats": len(table.seats),
        "options": table.options,
        "seed": table.seed.hex() if over else None,
        "entropy": [seat["entropy"] for seat in table.seats],
        "moves": moves,
        "result": table.result,
        "commitment": referee.commitment(table.seed),
        **({"ended": ended} if ended else {}),
        "entries": entries,
    }
