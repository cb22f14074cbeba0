"""Signatures of players who have their own keys, so that nobody else can act in their name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol


class Key(Protocol):
    """A private Ed25519 key, such as those of `cryptography`."""

    def sign(self, data: bytes, /) -> bytes:
        """Return the signature of some bytes."""
        ...


def sign_action(key: Key, commitment: str, previous: str, action: Mapping[str, Any]) -> dict[str, str]:
    """Return the member `signed` of a request, for a seat that was taken with a `public_key`.

    `commitment` is the game's, `previous` is its `head` as the player last saw it. The action has the `type`
    of the resulting entry, the `seat`, and what the player chooses: `move` for `moved`, `days` for
    `vacation_taken`, `replacement` (`seat`, `player`, `bot`) for `replacement_agreed`, `ending` for
    `ending_agreed`, `moves` for `orders`; nothing more for `resigned`, `take_back_requested`,
    `take_back_agreed` and `take_back_refused`.
    """
    message = {"action": dict(action), "game": commitment, "previous": previous}
    # This is RFC 8785, because actions contain no fractions and have names in ASCII.
    text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"previous": previous, "signature": key.sign(text.encode()).hex()}
