"""A finished game with all its evidence: in one file, or as a report for a person."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import referee
import referee.dispute
from api.context import Context
from api.core.errors import Conflict, NotFound, RulesetNotInstalled
from api.features.proofs import answers, keys
from api.games.export import record

BUNDLE = "card-referee-bundle/1"


def bundle(context: Context, game_id: UUID) -> answers.GameBundle:
    """Return everything that is needed to verify a finished game offline, in one file.

    Raises NotFound, Conflict.
    """
    content = record(context, game_id)
    if not (content["seed"] and content["entries"]):
        raise Conflict("The bundle is available when the game is over: until then the seed is secret.")
    content.get("inclusion", {}).pop("keys", None)  # they stand beside the record
    last = content["entries"][-1]
    size, root, now = last["seq"], bytes.fromhex(last["hash"]), context.now()
    receipt = context.signer and context.signer.checkpoint(context.session, now, str(game_id), size, root)
    return {
        "format": "card-referee-bundle/1",
        "record": content,
        "receipts": [receipt] if receipt else [],
        "keys": keys.show_all(context.session),
    }


def dispute_report(context: Context, game_id: UUID, seat: int) -> Iterator[str]:
    """Yield an HTML report of a finished game from a seat's point of view. Raises NotFound, Conflict."""
    game_record = record(context, game_id)
    if game_record["seed"] is None:
        raise Conflict("The report is available when the game is over: until then the seed is secret.")
    if not any(entry["type"] == "started" for entry in game_record["entries"]):
        raise Conflict("The game was called off before it began: there is nothing to report.")
    if game_record["version"] not in referee.versions(game_record["ruleset"]):
        raise RulesetNotInstalled(game_record["ruleset"], game_record["version"])
    if seat >= game_record["seats"]:
        raise NotFound(f"The game has seats 0 to {game_record['seats'] - 1}.")
    return referee.dispute.dispute_report(game_record, seat, game=str(game_id))
