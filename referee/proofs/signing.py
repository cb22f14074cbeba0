"""Actions that players sign with their own keys."""

from collections.abc import Mapping
from typing import Any

from referee.log.chain import canonical

# What a player chooses in an entry of a type; the previous hash determines the rest.
CHOSEN: dict[str, tuple[str, ...]] = {
    "moved": ("move",),
    "resigned": (),
    "take_back_requested": (),
    "take_back_agreed": (),
    "take_back_refused": (),
    "vacation_taken": ("days",),
    "replacement_agreed": ("replacement",),
    "pause_agreed": (),
    "ending_agreed": ("ending",),
    "resumed": (),
    "key_retired": (),
}
MARKS = (("random", "clock"), ("order", "order"), ("bot", "bot"))


def bytes_to_sign(game: str, previous: str, action: Mapping[str, Any]) -> bytes:
    """Return what a player's key signs of an action.

    `game` is the game's commitment and `previous` the hash of the newest entry that the player has seen,
    both in hex. The action has `type` (of the entry that it makes), `seat`, and what the player chooses: for
    `moved` the `move`, for `vacation_taken` the `days`, for `replacement_agreed` the `replacement` (`seat`,
    `player`, an id or null, and `bot`, a name or null). Orders have the type `orders` and the `moves`.
    """
    return canonical({"action": dict(action), "game": game, "previous": previous})


def fits(key: str, signature: str, game: str, previous: str, action: Mapping[str, Any]) -> bool:
    """Return whether a signature (hex) of a key (hex) is of this action."""
    # Imported only here, because most logs have no signature and the import is slow.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), bytes_to_sign(game, previous, action))
    except (InvalidSignature, ValueError):
        return False
    return True


def by_itself(kind: str, entry: Mapping[str, Any]) -> str | None:
    """Return who made an entry of a type that nobody decides on, or None for other types."""
    if kind == "moved":
        for mark, by in MARKS:
            if entry.get(mark):
                return by
    return "clock" if kind in ("timed_out", "forfeited", "dropped") or entry.get("dropped") else None


def action_of(entry: Mapping[str, Any], move: Any) -> dict[str, Any]:
    """Return the action of an entry; `move` is its whole move."""
    kind = entry["type"]
    action = {"type": kind, "seat": entry.get("seat")}
    if kind == "moved":
        action["move"] = move
    elif kind == "ending_agreed":
        action["ending"] = entry.get("ending")
    elif kind == "vacation_taken":
        action["days"] = _inside(entry, "vacation").get("days")
    elif kind == "replacement_agreed":
        replacement = _inside(entry, "replacement")
        player = replacement.get("player")
        newcomer = player.get("id") if type(player) is dict else player
        action["replacement"] = {
            "seat": replacement.get("seat"),
            "player": newcomer,
            "bot": replacement.get("bot"),
        }
    return action


def signed_action(kind: str, members: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a player's key signs of what happens at a table; None if nobody signs that."""
    return action_of({**members, "type": kind}, members.get("move")) if kind in CHOSEN else None


def _inside(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = entry.get(name)
    return value if type(value) is dict else {}
