"""Who sits where, what seats agree to, who has acted, and how the deal came about."""

from __future__ import annotations

from typing import Any

from tests.independent.game import Fault
from tests.independent.numbers import (
    FORMAT,
    SECOND,
    canonical,
    hashed,
    is_key,
    is_signed,
    length,
    time,
)

PEOPLE = ("player", "app")
Entry = dict[str, Any]


def who(named: Entry) -> tuple[Any, Any]:
    """Return the player's id and the bot: only who comes has the hash of a name, too."""
    player = named.get("player")
    return player and player["id"], named.get("bot")


class Table:
    """The seats of a game and their agreements."""

    def __init__(self, created: Entry) -> None:
        self.count = created["seats"]
        self.game = created["commitment"]
        self.is_copied = "origin" in created  # the log was written from a record
        self.names_by = not self.is_copied
        self.held: dict[int, tuple[Any, Any]] = {}
        self.keys: dict[int, str] = {}
        self.request: tuple[int, int, set[int]] | None = None
        self.pause: set[int] = set()
        self.endings: dict[int, str] = {}
        self.barrier = 0
        self.moves: list[tuple[int, int]] = []
        self.timed_out: dict[int, int] = {}
        self.forced: dict[int, Entry] = {}
        self.votes: dict[int, dict[int, tuple[Any, Any]]] = {}
        self.late: dict[int, int] = {}
        self.left: tuple[int, Any] | None = None
        self.dropped = False
        self.before = ""
        self.out: set[int] = set()
        self.pace: Entry = created.get("pace") or {}

    @property
    def players(self) -> set[int]:
        return {seat for seat, (player, _) in self.held.items() if player}

    # --- seats ---

    def sit(self, entry: Entry, running: bool) -> None:
        """Check the seat of an entry, and who holds it."""
        kind, seat = entry["type"], entry.get("seat")
        if "replacement" in entry and not 0 <= entry["replacement"]["seat"] < self.count:
            raise Fault("is about a seat that the table does not have")
        if kind == "nudged":
            nudge = entry.get("nudge") or {}
            nudged = nudge.get("seat")
            if nudged in (None, seat) or self.held.get(nudged) != who(nudge):
                raise Fault("nudges somebody who does not hold that seat")
        if kind in ("joined", "left") and ("replaced" in entry) != running:
            raise Fault("a seat changes hands at the wrong time")
        if kind == "started" and len(self.held) != self.count:
            raise Fault("starts with free seats")
        if "seat" not in FORMAT["types"][kind]["members"]:
            return
        if kind == "joined":
            if seat is None or not 0 <= seat < self.count or seat in self.held:
                raise Fault("joins a seat that is not free")
            self.held[seat] = who(entry)
            player, bot = entry.get("player"), entry.get("bot")
            if player is None and not bot and not self.is_copied:
                raise Fault("is taken by nobody")
            if player is not None and (bot is not None or not player.get("id")):
                raise Fault("is taken by a player and a bot, or by a player without an id")
        elif kind == "said" and seat is None:
            if entry.get("player") is not None:
                raise Fault("a player without a seat")
        elif seat is None or self.held.get(seat) != who(entry):
            raise Fault("names somebody who does not hold the seat")
        elif kind == "left":
            del self.held[seat]

    # --- who has acted ---

    def act(self, entry: Entry, previous: str) -> None:
        """Check `by`, and the signature of a player with a key."""
        kind, seat = entry["type"], entry.get("seat")
        if "seat" in entry and (self.names_by or "by" in entry):
            marks = {"random": "clock", "order": "order", "bot": "bot"}
            due = [by for mark, by in marks.items() if entry.get(mark)] if kind == "moved" else []
            if len(due) > 1:
                raise Fault("a move that was made in two ways")
            if kind in ("timed_out", "forfeited", "dropped") or "dropped" in entry:
                due = ["clock"]
            if not due and entry.get("bot") is not None and kind not in ("joined", "left"):
                raise Fault("a bot does nothing but move")
            if entry.get("by") not in (due or PEOPLE):
                raise Fault("does not say who has acted")
        if "seat" not in entry and entry.get("by", "app") not in ("app", "operator"):
            raise Fault("does not say who has decided")
        if "signed" in FORMAT["types"][kind]:
            self._check_signature(entry, previous)
        if kind == "key_retired" and self.keys.pop(seat, None) is None:  # type: ignore[arg-type]
            raise Fault("gives up a key that the seat does not have")
        if kind in ("joined", "left"):
            self.keys.pop(seat, None)  # type: ignore[arg-type]
        if kind == "joined" and "public_key" in entry:
            if not is_key(entry["public_key"]) or not entry.get("player"):
                raise Fault("a key that can be nobody's")
            self.keys[entry["seat"]] = entry["public_key"]

    def _check_signature(self, entry: Entry, previous: str) -> None:
        key = self.keys.get(entry["seat"])
        shares = entry.get("private", {})
        own = [shares[name] for name in (str(entry["seat"]), "all") if name in shares]
        share = next((one for one in own if "move" in one), own[0] if own else {})
        place, other = (share, entry) if "move" in share else (entry, share)
        if "signature" in other:
            raise Fault("the signature is in the wrong place")
        if key is None or entry.get("by", "player") not in PEOPLE:
            if "signature" in place:
                raise Fault("a signature of nobody")
            return
        if "all" in entry.get("seals", {}) and "all" not in shares and "signature" not in place:
            return  # it was erased with the text
        action: Entry = {"type": entry["type"], "seat": entry["seat"]}
        for name in FORMAT["types"][entry["type"]]["signed"]:
            action[name] = {
                "move": lambda: share.get("move", entry.get("move")),
                "ending": lambda: entry["ending"],
                "days": lambda: entry["vacation"]["days"],
                "replacement": lambda: self._replacement(entry["replacement"]),
            }[name]()
        message = canonical({"action": action, "game": self.game, "previous": previous})
        if entry.get("by", "player") != "player" or not is_signed(key, place.get("signature"), message):
            raise Fault("the player has not signed this")

    @staticmethod
    def _replacement(named: Entry) -> Entry:
        player, bot = who(named)
        return {"seat": named["seat"], "player": player, "bot": bot}

    # --- agreements ---

    def agree(self, seq: int, entry: Entry) -> None:
        """Check take-backs, pauses, and hand-overs; call before the seats are changed."""
        kind, seat = entry["type"], entry.get("seat")
        self.pace = entry.get("pace") or self.pace
        self._drop(entry)
        self._hand_over(entry)
        if kind.startswith("take_back_"):
            self._ask(kind, entry["of"], seat)
        elif kind == "pause_agreed":
            self.pause.add(entry["seat"])
        elif kind == "ending_agreed":
            self.endings[entry["seat"]] = entry["ending"]
        if "aside" in FORMAT["types"][kind]:
            return
        if kind == "paused" and not self.players <= self.pause:
            raise Fault("pauses without consent")
        if "reason" in entry and (self.players or "by" in entry):
            raise Fault("only a game of bots alone is endless")
        agreed = kind == "drawn" or (kind == "cancelled" and "agreed" in entry)
        if agreed and not self.is_copied:
            wanted = "draw" if kind == "drawn" else "cancellation"
            if not self.players or any(self.endings.get(seat) != wanted for seat in self.players):
                raise Fault("ends without consent")
        self.pause, self.endings = set(), {}
        request, self.request = self.request, None
        if kind == "moved":
            self.moves.append((seq, entry["seat"]))
            if entry.get("random"):
                self.forced[seq] = {"seat": seat, "timed_out": self.timed_out.get(entry["seat"])}
        elif kind in ("taken_back", "timeout_undone"):
            self._go_back(entry, request)
        elif kind in ("created", "started", "resigned", "timed_out"):
            self.barrier = seq
        if kind == "timed_out":
            self.timed_out[entry["seat"]] = seq

    def _go_back(self, entry: Entry, request: tuple[int, int, set[int]] | None) -> None:
        of = entry["of"]
        if entry["type"] == "taken_back":
            if request is None or request[:2] != (of, entry["seat"]) or not self.players <= request[2]:
                raise Fault("takes back without consent")
            if of < self.barrier:
                raise Fault("takes back too much")
        elif not self.moves or self.moves[-1][0] != of or self.forced.get(of) != entry["undone"]:
            raise Fault("undoes something else than the last time-out")
        self.moves = [made for made in self.moves if made[0] < of]

    def _ask(self, kind: str, of: int, seat: Any) -> None:
        if kind == "take_back_requested":
            if [made for made, mover in self.moves if mover == seat][-1:] != [of]:
                raise Fault("asks for a move that is not its last")
            self.request = (of, seat, {seat})
        elif self.request is None or self.request[0] != of:
            raise Fault("answers no request")
        elif kind == "take_back_agreed":
            self.request[2].add(seat)
        else:
            self.request = None

    def _drop(self, entry: Entry) -> None:
        """Check that exactly the seats are out that have missed too many turns."""
        kind, seat = entry["type"], entry.get("seat")
        ends = kind == "dropped" and not self.is_copied
        if ends or (kind == "left" and "dropped" in entry):
            if seat not in self.out or ends != ("stand_in" not in self.pace):
                raise Fault("a seat is out that is not, or otherwise than agreed")
        elif self.out and not (kind == "joined" and "dropped" in entry):
            is_late = kind == "timed_out" and self.before == kind and seat not in self.out
            if not (is_late or kind == "finished" or (kind == "moved" and "random" in entry)):
                raise Fault("a seat is not out that should be")
        if kind in ("dropped", "finished"):
            self.out.clear()
        self.before = kind
        if kind == "joined" and ("dropped" in entry) != self.dropped:
            raise Fault("does not say whether the seat was out")
        self.dropped = kind == "left" and "dropped" in entry
        if kind == "joined":
            self.out.discard(entry["seat"])
        elif kind == "timeout_undone":
            undone = entry["undone"]["seat"]
            self.late[undone] = max(0, self.late.get(undone, 0) - 1)
            self.out.discard(undone)

    def _hand_over(self, entry: Entry) -> None:
        kind, seat = entry["type"], entry.get("seat")
        if self.left is not None:
            free, due = self.left
            if kind != "joined" or seat != free or (due is not None and who(entry) != due):
                raise Fault("a seat is not taken at once by whom it was given to")
            self.left = None
        if kind == "left" and "replaced" in entry:
            if "dropped" in entry:
                self.left = (entry["seat"], (None, self.pace["stand_in"]))
                if "agreed" in entry:
                    raise Fault("two reasons for a hand-over")
                return
            others = self.players - {entry["seat"]}
            named = {self.votes.get(entry["seat"], {}).get(other) for other in others}
            if "agreed" in entry and (len(named) != 1 or None in named):
                raise Fault("a seat is handed over without consent")
            if "agreed" not in entry and entry.get("by") != "app":
                raise Fault("does not say who has decided")
            self.left = (entry["seat"], named.pop() if "agreed" in entry else None)
        elif kind == "left" and "agreed" in entry:
            raise Fault("nobody has to agree before the start")
        self._vote(kind, entry, seat)

    def _vote(self, kind: str, entry: Entry, seat: Any) -> None:
        if kind == "replacement_agreed":
            self.votes.setdefault(entry["replacement"]["seat"], {})[seat] = who(entry["replacement"])
        elif kind == "timed_out":
            self.late[entry["seat"]] = self.late.get(entry["seat"], 0) + 1
            if self.late[entry["seat"]] >= self.pace.get("out_after", 99):
                self.out.add(entry["seat"])
        elif kind == "joined":
            for votes in self.votes.values():
                votes.pop(seat, None)
        if kind == "joined" or (kind == "moved" and not (entry.get("random") and seat in self.late)):
            self.late.pop(entry["seat"], None)
            self.votes.pop(seat, None)


class Dealing:
    """How the entropy of the seats was given."""

    def __init__(self, created: Entry) -> None:
        self.seats = created["seats"]
        self.within = created.get("reveal_within")
        self.commits = "entropy" in created
        if self.commits != (self.within is not None) or created.get("entropy", "commit") != "commit":
            raise Fault("does not say how entropy is given")
        length(self.within)
        self.entropy: dict[int, str] = {}
        self.commitments: dict[int, str] = {}
        self.missing: set[int] = set()
        self.taken: set[int] = set()
        self.full_at: int | None = None
        self.before = 0

    def _too_late(self, at: int) -> bool:
        return self.full_at is not None and at > self.full_at + length(self.within) + SECOND

    def read(self, entry: Entry, running: bool) -> None:
        """Check an entry; the seat is already checked."""
        kind, seat, at = entry["type"], entry.get("seat"), time(entry["at"])
        if kind == "joined":
            self._join(entry, running, at)
        elif kind == "left" and not running:
            if self.full_at is not None and self.commits:
                raise Fault("leaves when all seats are taken")
            for known in (self.entropy, self.commitments):
                known.pop(entry["seat"], None)
            self.taken.discard(entry["seat"])
            self.missing.discard(entry["seat"])
            self.full_at = None
        elif kind == "revealed":
            if self.full_at is None or seat not in self.missing or self._too_late(at):
                raise Fault("reveals at the wrong time")
            if hashed(entry["entropy"].encode()) != self.commitments[entry["seat"]]:
                raise Fault("reveals something else")
            self.entropy[entry["seat"]] = entry["entropy"]
            self.missing.remove(entry["seat"])
        elif kind == "forfeited":
            if self.full_at is None or seat not in self.missing or at < self.full_at + length(self.within):
                raise Fault("forfeits a seat that was in time")
            self.missing.remove(entry["seat"])
        elif kind == "time_returned" and not running:
            if self.full_at is None or not self.missing:
                raise Fault("nobody has to reveal")
            if not self.before <= (since := time(entry["since"])) <= at:
                raise Fault("the server was not down at that time")
            self.full_at += at - since
        elif kind == "started" and self.missing:
            raise Fault("starts before all have revealed")
        self.before = at

    def cancel(self, at: int, forfeited: bool) -> None:
        if self.full_at is not None and self.missing and (forfeited or self._too_late(at)):
            raise Fault("a late seat is not named")

    def _join(self, entry: Entry, running: bool, at: int) -> None:
        commitment = entry.get("commitment")
        must = self.commits and not running and not entry.get("bot")
        known = (*self.commitments.values(), hashed(b""))
        if (commitment is not None) != must or (must and commitment in known):
            raise Fault("another commitment")
        if self.commits and entry.get("entropy"):
            raise Fault("gives entropy where seats commit to it")
        if running:
            return
        self.entropy[entry["seat"]] = entry.get("entropy") or ""
        if must:
            self.commitments[entry["seat"]] = commitment
            self.missing.add(entry["seat"])
        self.taken.add(entry["seat"])
        if len(self.taken) == self.seats:
            self.full_at = at

    def given(self) -> list[str]:
        return [self.entropy.get(seat, "") for seat in range(self.seats)]
