"""What players with keys of their own must sign, so that nobody else can do it in their name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import referee
from api.core.errors import BadRequest, SignatureNeeded, StaleVersion
from api.game.game import UNSIGNED, Game, Signed

Given = dict[str, str] | None
"""The signature in a request, if there is one."""


def signature(game: Game, action: Mapping[str, Any], signed: Given) -> Signed:
    """Return the members for the signature in an action's entry; empty if its seat has no key.

    `signed` is the signature in the request. A signed action is the player's own, whoever has sent the
    request. Raises SignatureNeeded, BadRequest; StaleVersion if something has happened that the signer has
    not seen.
    """
    seat = action["seat"]
    key = game.seats[seat].public_key
    if key is None:
        if signed is not None:
            raise BadRequest({"signed": [f"Seat {seat} has no public key."]})
        return UNSIGNED
    if signed is None:
        raise SignatureNeeded(f"Seat {seat} has a public key, and this is not signed.")
    if signed["previous"] != game.head.hex():
        raise StaleVersion(game.version)
    if not referee.fits(key, signed["signature"], referee.commitment(game.seed), signed["previous"], action):
        raise SignatureNeeded(f"The signature does not match this action and the key of seat {seat}.")
    return {"by": "player", "signature": signed["signature"]}
