"""Take-backs, pauses and hand-overs in a log: requested by a seat, and agreed to by all the others."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Self

from referee.log.entries import ENTRY_TYPES

Newcomer = tuple[str | None, str | None]


class Request(NamedTuple):
    """An open request to take back the move of entry `of`: the seat that asks, and those that have agreed."""

    of: int
    seat: int
    agreed: set[int]


class Consent:
    """The requests of a log, one at a time; any action at the table ends a request.

    `moves` are those that count, each as the seq of its entry and its seat; `forced` are the moves that were
    made because a seat's time was over, with what an entry that undoes this says (`undone`); `barrier` is the
    last entry that no take-back may reach beyond; `pause` has the seats that have agreed to a pause since,
    and `endings` those that have agreed to an end of the game.
    """

    def __init__(self) -> None:
        self.moves: list[tuple[int, int]] = []
        self.forced: dict[int, dict[str, int]] = {}
        self._late: dict[int, int] = {}  # seat → the entry of its latest time-out
        self.barrier = 0
        self.request: Request | None = None
        self.pause: set[int] = set()
        self._is_copied = False  # the log was written from a record, which does not say who agreed
        self.endings: dict[object, set[int]] = {}  # how to end the game → the seats that agree to it

    def to_json(self, before: int) -> dict[str, Any]:
        """Return what later entries depend on; of moves up to entry `before`, each seat's last one.

        Agreements to a pause or an end are not in it: the table has them.
        """
        last = {seat: seq for seq, seat in self.moves if seq <= before}  # after take-backs they are the last
        moves = [[seq, seat] for seq, seat in self.moves if seq > before or last[seat] == seq]
        request = self.request and [self.request.of, self.request.seat, sorted(self.request.agreed)]
        forced = [[seq, self.forced[seq]] for seq, _ in moves if seq in self.forced]
        late = [[seat, seq] for seat, seq in self._late.items()]
        return {"moves": moves, "forced": forced, "late": late, "barrier": self.barrier, "request": request}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Return what `to_json` returned."""
        consent = cls()
        consent.moves = [(seq, seat) for seq, seat in data["moves"]]
        consent.forced, consent._late = dict(data["forced"]), dict(data["late"])
        consent.barrier = data["barrier"]
        if data["request"] is not None:
            of, seat, agreed = data["request"]
            consent.request = Request(of, seat, {*agreed})
        return consent

    def read(self, seq: int, entry: Mapping[str, Any], players: Collection[int] = ()) -> str | None:
        """Read the next entry; return what is wrong with it. `players` are the seats that a player holds."""
        kind, seat, of = entry["type"], entry.get("seat"), entry.get("of")
        declared = ENTRY_TYPES[kind]
        self._is_copied = self._is_copied or (kind == "created" and "origin" in entry)
        if declared.aside:
            if kind == "pause_agreed" and type(seat) is int:
                self.pause.add(seat)
            if kind == "ending_agreed" and type(seat) is int and type(entry.get("ending")) is str:
                self._agree_to_end(entry["ending"], seat)
            return self._read_talk(kind, of, seat) if kind.startswith("take_back_") else None
        fault = self._missing("pauses", players, self.pause) if kind == "paused" else None
        if kind == "drawn" or "agreed" in entry:
            fault = self._missing_end(kind, players)
        self.pause.clear()
        self.endings.clear()
        if kind == "moved":
            self.moves.append((seq, seat if type(seat) is int else -1))
            if entry.get("random") and type(seat) is int and seat in self._late:
                self.forced[seq] = {"seat": seat, "timed_out": self._late[seat]}
        elif kind == "taken_back":
            fault = self._read_taken_back(of, seat, players)
        elif kind == "timeout_undone":
            fault = self._read_undone(of, entry.get("undone"))
        elif declared.final:
            self.barrier = seq
            if kind == "timed_out" and type(seat) is int:
                self._late[seat] = seq
        self.request = None
        return fault

    def _read_talk(self, kind: str, of: object, seat: object) -> str | None:
        if type(seat) is not int or type(of) is not int:
            return "does not say which move is to be taken back, or who says so"
        if kind == "take_back_requested":
            own = [made for made, mover in self.moves if mover == seat]
            self.request = Request(of, seat, {seat})
            return None if own and own[-1] == of else f"entry {of} is not the last move of seat {seat}"
        if self.request is None or self.request.of != of:
            return f"nobody asks to take back the move of entry {of}"
        if kind == "take_back_agreed":
            self.request.agreed.add(seat)
        else:
            self.request = None
        return None

    def _read_taken_back(self, of: object, seat: object, players: Collection[int]) -> str | None:
        request = self.request
        self._forget(of)
        if request is None or (request.of, request.seat) != (of, seat):
            return f"seat {seat} has not asked to take back the move of entry {of}"
        if request.of < self.barrier:
            return "takes back a move although a seat has run out of time since"
        return self._missing("takes back a move", players, request.agreed)

    def _read_undone(self, of: object, undone: object) -> str | None:
        last, seat = self.moves[-1] if self.moves else (0, -1)
        self._forget(of)
        if type(of) is not int or of not in self.forced:
            return f"entry {of} is no move that was made because a seat's time was over"
        if undone != self.forced[of]:
            return f"the move of entry {of} was made because of another time-out"
        return None if of == last else f"undoes a time-out although seat {seat} has acted since"

    def _agree_to_end(self, ending: str, seat: int) -> None:
        for agreed in self.endings.values():
            agreed.discard(seat)
        self.endings.setdefault(ending, set()).add(seat)

    def _missing_end(self, kind: str, players: Collection[int]) -> str | None:
        if kind not in ("drawn", "cancelled") or self._is_copied:
            return None
        agreed = self.endings.get("draw" if kind == "drawn" else "cancellation", set())
        if not players:
            return "says that the players agree, and there is none"
        return self._missing("ends the game", players, agreed)

    def _missing(self, does: str, players: Collection[int], agreed: Collection[int]) -> str | None:
        missing = ", ".join(str(seat) for seat in sorted(players) if seat not in agreed)
        return f"{does} without the consent of seat {missing}" if missing else None

    def _forget(self, of: object) -> None:
        if type(of) is int:
            self.moves = [made for made in self.moves if made[0] < of]


class Votes:
    """Which seats have agreed that somebody takes over a seat: seat → the seats that agree → the newcomer.

    A seat's own move, or a new player of it, ends what the others have agreed to about it; a move that was
    made for it because it was late does not. A new player of a seat that has agreed has not agreed.
    """

    def __init__(self) -> None:
        self._votes: dict[Any, dict[Any, Newcomer]] = {}
        self.late: Counter[Any] = Counter()  # seat → how often in a row its time was over

    def to_json(self) -> dict[str, Any]:
        """Return all of it."""
        votes = [
            [about, [[seat, *who] for seat, who in named.items()]] for about, named in self._votes.items()
        ]
        return {"votes": votes, "late": [[seat, turns] for seat, turns in self.late.items()]}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Return what `to_json` returned."""
        votes = cls()
        for about, named in data["votes"]:
            votes._votes[about] = {seat: (player, bot) for seat, player, bot in named}
        votes.late = Counter(dict(data["late"]))
        return votes

    def read(self, entry: Mapping[str, Any]) -> None:
        """Read the next entry, in the newest form."""
        kind, seat = entry["type"], entry.get("seat")
        if kind == "moved" and not self.late and not self._votes:
            return
        vote = entry.get("replacement")
        undone = entry.get("undone")
        if kind == "timeout_undone" and type(undone) is dict and type(undone.get("seat")) is int:
            self.late -= Counter([undone["seat"]])
        if type(seat) is not int:
            return
        if kind == "replacement_agreed" and type(vote) is dict and type(vote.get("seat")) is int:
            self._votes.setdefault(vote["seat"], {})[seat] = newcomer(vote)
        elif kind == "joined":
            for votes in self._votes.values():
                votes.pop(seat, None)
        elif kind == "timed_out":
            self.late[seat] += 1
        if kind == "joined" or (kind == "moved" and not (seat in self.late and entry.get("random"))):
            self.late.pop(seat, None)
            self._votes.pop(seat, None)

    def about(self, seat: int) -> dict[Any, Newcomer]:
        """Return who has agreed to whom."""
        return dict(self._votes.get(seat, {}))


def newcomer(entry: Mapping[str, Any]) -> Newcomer:
    """Return the player's id and the bot that an entry or an agreement names; one of them is None."""
    player, bot = entry.get("player"), entry.get("bot")
    name = player.get("id") if type(player) is dict else player
    return name if type(name) is str else None, bot if type(bot) is str else None
