"""Bundles: a finished game with everything that is needed to verify it offline, in one file."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.audit import records
from api.context import Context
from api.core.errors import Conflict
from api.game import receipts

FORMAT = "card-referee-bundle/1"


def bundle(context: Context, game_id: UUID) -> dict[str, Any]:
    """Return a finished game's record, the receipt of its end, and the server's keys.

    Raises NotFound, Conflict.
    """
    record = records.record(context, game_id)
    if not (record["seed"] and record["entries"]):
        raise Conflict("The bundle is available when the game is over: until then the seed is secret.")
    last = record["entries"][-1]
    receipt = receipts.sign(context, game_id, last["seq"], bytes.fromhex(last["hash"]))
    return {
        "format": FORMAT,
        "record": record,
        "receipts": [receipt] if receipt else [],
        "keys": receipts.listing(context)["items"],
    }
