"""What players with keys of their own have to sign, so that nobody else can do it in their name."""

from __future__ import annotations

from typing import Any

import referee
from api.core.errors import BadRequest, SignatureNeeded, StaleVersion
from api.game.game import UNSIGNED, Game, Signed


def signature(game: Game, seat: int, given: dict[str, str] | None, kind: str, **chosen: Any) -> Signed:
    """Return what the entry of an act has of its signature: nothing where the seat has no key.

    `given` is what came with the request; `kind` and `chosen` are what is signed. Whoever has sent it, what
    is signed is by the player. Raises SignatureNeeded, BadRequest; StaleVersion where something has happened
    that the signer has not seen.
    """
    key = game.seats[seat].public_key
    if key is None:
        if given is not None:
            raise BadRequest({"signed": [f"Seat {seat} has no public key."]})
        return UNSIGNED
    if given is None:
        raise SignatureNeeded(f"Seat {seat} has a public key, and this is not signed.")
    if given["previous"] != game.head.hex():
        raise StaleVersion(game.version)
    action = {"type": kind, "seat": seat, **chosen}
    if not referee.fits(key, given["signature"], referee.commitment(game.seed), given["previous"], action):
        raise SignatureNeeded(f"The signature is not one of seat {seat}'s key for this.")
    return {"by": "player", "signature": given["signature"]}
