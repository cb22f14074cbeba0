"""The check of who has acted in a log, and of the signatures of players with keys."""

from collections.abc import Mapping
from typing import Any

from referee.log.keys import is_key
from referee.log.words import ALL, is_erased
from referee.proofs.signing import CHOSEN, MARKS, action_of, by_itself, fits
from referee.verification.findings import Findings

CHECK = "signatures"
PEOPLE = ("player", "app")
DIRECTORS = ("app", "operator")  # who act for no seat
SEATING = ("joined", "left")  # what an app does with a bot


class Signatures:
    """Checks who has acted in a log, and the signatures of players with keys."""

    def __init__(self, is_open: bool, findings: Findings) -> None:
        """Unless a log `is_open`, some shares are hidden, and these may contain signatures."""
        self._findings = findings
        self._open = is_open
        self._keys: dict[int, str] = {}
        self._checked = self._hidden = self._retired = self._erased = 0
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
        shares = shares if type(shares) is dict else {}
        seen = [share for share in map(shares.get, (str(entry["seat"]), ALL)) if type(share) is dict]
        share = next((share for share in seen if "move" in share), seen[0] if seen else {})
        hidden = "move" in share  # then the signature is hidden too, because moves could be tried with it
        place, other = (share, entry) if hidden else (entry, share)
        signature = place.get("signature")
        if "signature" in other:
            self._findings.fail(CHECK, "the signature does not stand where the move does")
        elif key is None or entry.get("by", "player") not in PEOPLE:
            if "signature" in place:
                self._findings.fail(CHECK, "is signed, and nobody can tell by whom")
        elif "signature" not in place and is_erased(entry, shares):
            self._erased += 1
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
        if (
            self._checked or self._hidden or self._erased or self._keys
        ) and CHECK not in self._findings.failed:
            unseen = f"; {self._hidden} more may be in shares that are not shown" if self._hidden else ""
            unseen += f"; {self._erased} more were erased with what was said" if self._erased else ""
            retired = f"; {self._retired} of these acts give a key up" if self._retired else ""
            what = f"{self._checked} acts of players with keys are signed by them{retired}{unseen}"
            self._findings.confirm(CHECK, what)
