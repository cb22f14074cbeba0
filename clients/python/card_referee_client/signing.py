"""Signatures of players who have keys of their own: nobody else can act in their name then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol


class Key(Protocol):
    """A private Ed25519 key, such as `cryptography` has."""

    def sign(self, data: bytes, /) -> bytes:
        """Return the signature of some bytes."""
        ...


def sign_action(key: Key, commitment: str, previous: str, action: Mapping[str, Any]) -> dict[str, str]:
    """Return what a request has as `signed`, for a seat that has been taken with a `public_key`.

    `commitment` is the game's, `previous` its `head` as the player last saw it. The action has the `type`
    of the entry that is to be made, the `seat`, and what the player chooses: `move` for `moved`, `days` for
    `vacation_taken`, `replacement` (`seat`, `player`, `bot`) for `replacement_agreed`, `moves` for `orders`;
    nothing more for `resigned`, `take_back_requested`, `take_back_agreed` and `take_back_refused`.
    """
    message = {"action": dict(action), "game": commitment, "previous": previous}
    # RFC 8785 for what actions are made of: no fractions, and names in ASCII.
    text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"previous": previous, "signature": key.sign(text.encode()).hex()}
