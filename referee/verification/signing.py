"""Actions that players sign with their own keys, and the check of these signatures."""

from collections.abc import Mapping
from typing import Any

from referee.log.chain import canonical
from referee.log.keys import is_key
from referee.verification.findings import Findings

CHECK = "signatures"
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
PEOPLE = ("player", "app")
DIRECTORS = ("app", "operator")  # who act for no seat
SEATING = ("joined", "left")  # what an app does with a bot


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


class Signatures:
    """Checks who has acted in a log, and the signatures of players with keys."""

    def __init__(self, is_open: bool, findings: Findings) -> None:
        """Unless a log `is_open`, some shares are hidden, and these may contain signatures."""
        self._findings = findings
        self._open = is_open
        self._keys: dict[int, str] = {}
        self._checked = self._hidden = self._retired = 0
        self._game = ""
        self._says = False

    def read(self, previous: bytes, entry: Mapping[str, Any]) -> None:
        """Check the next entry, of a known type; `previous` is the hash before it."""
        kind, seat = entry["type"], entry.get("seat")
        if kind == "created":
            self._game = str(entry.get("commitment"))
            self._says = "origin" not in entry
        elif "seat" in entry:
            if self._says or "by" in entry:
                self._read_by(kind, entry)
            if kind in CHOSEN and (self._keys or "signature" in entry or "private" in entry):
                self._read_act(previous, entry, self._keys.get(seat) if type(seat) is int else None)
        elif entry.get("by", "app") not in DIRECTORS:
            self._findings.fail("seats", f"says that it is by {str(entry['by'])[:20]}, and is not")
        if kind == "key_retired":
            self._retired += 1
            if type(seat) is not int or self._keys.pop(seat, None) is None:
                self._findings.fail(CHECK, "gives up a key that the seat does not have")
        if kind in ("joined", "left") and type(seat) is int:
            self._keys.pop(seat, None)
            if kind == "joined" and "public_key" in entry:
                self._sit_down(seat, entry)

    def _sit_down(self, seat: int, entry: Mapping[str, Any]) -> None:
        if not is_key(entry["public_key"]) or entry.get("player") is None:
            self._findings.fail("seats", "a seat has a key that can be nobody's")
        self._keys[seat] = str(entry["public_key"])

    def _read_by(self, kind: str, entry: Mapping[str, Any]) -> None:
        """Check that an entry's `by` agrees with the rest of the entry."""
        if "by" not in entry:
            self._findings.fail("seats", "does not say by whom it is")
            return
        due = by_itself(kind, entry)
        if kind == "moved" and sum(bool(entry.get(mark)) for mark, _ in MARKS) > 1:
            self._findings.fail("seats", "says that a move was made in two ways at once")
        if due is None and entry.get("bot") is not None and kind not in SEATING:
            self._findings.fail("seats", f"{kind} is nothing that a bot does, and nobody acts for one")
        if entry["by"] not in ((due,) if due else PEOPLE):
            self._findings.fail("seats", f"says that it is by {str(entry['by'])[:20]}, and is not")

    def _read_act(self, previous: bytes, entry: Mapping[str, Any], key: str | None) -> None:
        shares = entry.get("private")
        share = shares.get(str(entry["seat"])) if type(shares) is dict else None
        share = share if type(share) is dict else {}
        hidden = "move" in share  # then the signature is hidden too, because moves could be tried with it
        place, other = (share, entry) if hidden else (entry, share)
        signature = place.get("signature")
        if "signature" in other:
            self._findings.fail(CHECK, "the signature does not stand where the move does")
        elif key is None or entry.get("by", "player") not in PEOPLE:
            if "signature" in place:
                self._findings.fail(CHECK, "is signed, and nobody can tell by whom")
        elif "signature" not in place and "sealed" in entry and not share and not self._open:
            self._hidden += 1
        else:
            move = share.get("move", entry.get("move"))
            try:
                good = type(signature) is str and fits(
                    key, signature, self._game, previous.hex(), action_of(entry, move)
                )
            except (ValueError, TypeError):
                good = False
            if good and entry.get("by", "player") == "player":
                self._checked += 1
            else:
                self._findings.fail(CHECK, "the player has a key and has not signed this")

    def report(self) -> None:
        """Report what holds, if there was something to check."""
        if (self._checked or self._hidden or self._keys) and CHECK not in self._findings.failed:
            unseen = f"; {self._hidden} more may be in shares that are not shown" if self._hidden else ""
            retired = f"; {self._retired} of these acts give a key up" if self._retired else ""
            what = f"{self._checked} acts of players with keys are signed by them{retired}{unseen}"
            self._findings.confirm(CHECK, what)
