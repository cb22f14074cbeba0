"""Take-backs, pauses and hand-overs in a log: requested by a seat, and agreed to by all the others."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Self

from referee.log.entries import ENTRY_TYPES, GOING_BACK

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
    last entry that no take-back may reach beyond.
    """

    def __init__(self) -> None:
        self.moves: list[tuple[int, int]] = []
        self.forced: dict[int, dict[str, int]] = {}
        self._late: dict[int, int] = {}  # seat → the entry of its latest time-out
        self.barrier = 0
        self.request: Request | None = None

    def to_json(self, before: int) -> dict[str, Any]:
        """Return what later entries depend on; of moves up to entry `before`, each seat's last one."""
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

    def read(self, seq: int, entry: Mapping[str, Any]) -> None:
        """Read the next entry."""
        kind, seat = entry["type"], entry.get("seat")
        declared = ENTRY_TYPES[kind]
        if declared.aside:
            self._read_talk(kind, entry)
            return
        self.request = None
        if kind == "moved":
            self.moves.append((seq, entry["seat"]))
            if entry.get("random") and seat in self._late:
                self.forced[seq] = {"seat": entry["seat"], "timed_out": self._late[entry["seat"]]}
        elif kind in GOING_BACK:
            self.moves = [made for made in self.moves if made[0] < entry["of"]]
        elif declared.final:
            self.barrier = seq
            if kind == "timed_out":
                self._late[entry["seat"]] = seq

    def _read_talk(self, kind: str, entry: Mapping[str, Any]) -> None:
        if kind == "take_back_requested":
            self.request = Request(entry["of"], entry["seat"], {entry["seat"]})
        elif kind == "take_back_agreed" and self.request is not None:
            self.request.agreed.add(entry["seat"])
        elif kind == "take_back_refused":
            self.request = None


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
        """Read the next entry."""
        kind, seat = entry["type"], entry.get("seat")
        if kind == "moved" and not self.late and not self._votes:
            return
        if kind == "timeout_undone":
            self.late -= Counter([entry["undone"]["seat"]])
        elif kind == "replacement_agreed":
            self._votes.setdefault(entry["replacement"]["seat"], {})[seat] = newcomer(entry["replacement"])
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

    def unanimous(self, seat: int, others: Collection[int]) -> Newcomer | None:
        """Return who is to have a seat as all others have agreed; None if they have not."""
        named = {self.about(seat).get(other) for other in others}
        return named.pop() if len(named) == 1 else None


def newcomer(entry: Mapping[str, Any]) -> Newcomer:
    """Return the player's id and the bot that an entry or an agreement names; one of them is None."""
    player = entry["player"]
    return player and player["id"], entry.get("bot")
