"""Verification of a game's record and log, offline.

What can be checked follows from what there is: a whole record with its log entirely, a record without a log
by replaying its moves, the redacted log of a running game by its chain. The entries pass by once, so that
a log of any length can be verified while it is read.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from referee.chance import commitment, game_key
from referee.clocks import Clocks
from referee.consent import Consent
from referee.findings import Findings, Report
from referee.games import find
from referee.listed import Listed
from referee.loading import read_options
from referee.log import FIRST, LOG, chain, seal
from referee.members import STAGES, unknown_in_entry, unknown_in_record
from referee.record import read_record
from referee.retelling import Retelling
from referee.timeouts import forced_move
from referee.verdicts import Malformed

SHOWN_WITH = ("hash", "private")  # what stands with an entry and is not in its public form
OF_THE_LOG = (
    "sequence",
    "times",
    "chain",
    "order",
    "terms",
    "seats",
    "clocks",
    "consent",
    "sealed",
    "transfers",
    "moves",
)
BEHIND_THE_SEED = ("commitment", "sealed", "shuffles", "verdicts", "transfers")
_time = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z").fullmatch


def verify(data: object, entries: Iterable[Any] | None = None) -> Report:
    """Verify a record with its log: the `entries` given, in order, else those in the record.

    Raises Malformed where the data is no record at all.
    """
    if entries is None and type(data) is dict and data.get("entries") is not None:
        entries = data["entries"]
        if type(entries) is not list:
            raise Malformed("entries", "must be a list")
    verification = Verification(data)
    for entry in entries or ():
        verification.see(entry)
    return verification.report(logged=entries is not None)


class Verification:
    """A verification under way: `see` each entry, then `report`.

    `head` is the hash of the last entry seen, `state` the position that it led to (None before the deal,
    without a seed, and after an illegal move).
    """

    def __init__(self, data: object) -> None:
        """Read a record; "moves" and "seed" may be left out. Raises Malformed."""
        if type(data) is not dict:
            raise Malformed("record", "must be an object")
        self._data: dict[str, Any] = data
        self._open = data.get("seed") is not None  # without the seed nothing hidden can be checked
        self._record = read_record(
            {**data, "seed": data["seed"] if self._open else "", "moves": data.get("moves", [])}
        )
        self._game = find(self._record.ruleset, self._record.version)
        _, self._options = read_options(self._game, self._record.seats, self._record.options)
        game_key(b"", self._record.entropy)  # refuses entropy that is too long
        self._listed = Listed(self._record.moves) if "moves" in data else None
        self._findings = Findings()
        self._told = Retelling(self._record, data.get("chance"), self._findings)
        self._seen = 0
        self._stage = "nothing"
        self._time = ("", "")
        self._clocks = Clocks(self._record.seats, self._findings)
        self._consent = Consent(self._findings)
        self._holders: dict[int, Mapping[str, Any]] = {}
        self._ending: dict[str, Any] | None = None
        self._gave_up: list[int] = []
        self._late: set[int] = set()
        self._finished: Mapping[str, Any] | None = None
        self.head = FIRST
        if (unknown := unknown_in_record(data)) is not None:
            self._fail("members", unknown)

    @property
    def state(self) -> Any:
        """The position that the entries seen have led to."""
        return self._told.state

    @property
    def drawn(self) -> int:
        """How many outcomes of chance were drawn."""
        return self._told.drawn

    @property
    def refused(self) -> dict[str, Any] | None:
        """The first illegal move, `{"n", "seat", "move", "verdict"}`; None where all are legal."""
        return self._told.refused

    def see(self, entry: object) -> None:
        """Check the next entry against all that came before it."""
        self._seen += 1
        self._findings.seq = self._seen
        if type(entry) is not dict:
            self._fail("order", "an entry must be an object")
            return
        self._see_link(entry)
        if self._open:
            self._see_sealed(entry)
        kind = entry.get("type")
        if type(kind) is not str or kind not in STAGES:
            self._fail("order", f"{str(kind)[:20]!r} is no type of entry")
        elif self._stage in STAGES[kind]:
            players = [seat for seat, held in self._holders.items() if held.get("player")]
            self._consent.see(self._seen, entry, players)
            getattr(self, f"_see_{kind}")(entry)
            self._clocks.see(entry, self._waiting())
            if (unknown := unknown_in_entry(entry)) is not None:
                self._fail("members", unknown)
        else:
            self._fail("order", f"{kind} cannot stand here: the game is {self._stage}")

    def _waiting(self) -> list[int] | None:
        """Return the seats that the game now waits for; None where that is not known."""
        if self.state is None:
            return None
        return self.state.to_act if self.state.result is None else []

    # --- what every entry has ---

    def _see_link(self, entry: dict[str, Any]) -> None:
        seq, at = entry.get("seq"), entry.get("at")
        if type(seq) is not int or seq != self._seen:
            self._fail("sequence", f"numbered {str(seq)[:20]} where {self._seen} is due")
        found = _time(at) if type(at) is str else None
        if found is None:
            self._fail("times", "has no time in RFC 3339, UTC")
        else:
            time = (found[1], (found[2] or "").ljust(9, "0"))
            if time < self._time:
                self._fail("times", f"{at} is before the entry before it")
            self._time = time
        public = {key: value for key, value in entry.items() if key not in SHOWN_WITH}
        try:
            self.head = chain(self.head, public)
        except (ValueError, TypeError):
            self._fail("chain", "has no canonical form")
        if entry.get("hash") != self.head.hex():
            self._fail("chain", "the hash does not fit this entry and the hash before it")

    def _see_sealed(self, entry: dict[str, Any]) -> None:
        private, sealed = entry.get("private"), entry.get("sealed")
        if sealed is None and not private:
            return
        if sealed is None:
            self._fail("sealed", "has a private part that was not sealed")
        elif type(private) is not dict:
            self._fail("sealed", "the private part is missing")
        else:
            try:
                fits = seal(self._record.seed, self._seen, private) == sealed
            except (ValueError, TypeError):
                fits = False
            if not fits:
                self._fail("sealed", "the private part is not the one that was sealed")

    # --- each type of entry ---

    def _see_created(self, entry: dict[str, Any]) -> None:
        self._stage = "open"
        due = {"ruleset": self._game.ID, "ruleset_version": self._game.VERSION, "seats": self._record.seats}
        for key, value in due.items():
            if entry.get(key) != value:
                self._fail("terms", f"announces another {key} than the record's {value}")
        try:
            _, options = read_options(self._game, self._record.seats, entry.get("options"))
        except Malformed:
            options = None
        if options != self._options:
            self._fail("terms", "announces other options than the record's")
        log = entry.get("log", 1)
        if type(log) is int and 1 <= log <= LOG:
            self._told.log = log
        else:
            self._fail("terms", f"is the log of a kind that is not known here: {str(log)[:20]}")
        published = entry.get("commitment")
        if self._data.get("commitment", published) != published:
            self._fail("commitment", "the record names another commitment than this entry")
        elif self._open and commitment(self._record.seed) != published:
            self._fail("commitment", "the seed does not hash to the commitment published here")

    def _see_joined(self, entry: dict[str, Any]) -> None:
        seat = self._seat(entry)
        if seat is None or seat in self._holders:
            self._fail("seats", "joins a seat that is not free")
        else:
            self._holders[seat] = entry

    def _see_left(self, entry: dict[str, Any]) -> None:
        seat = self._seat(entry)
        held = None if seat is None else self._holders.pop(seat, None)
        if held is None:
            self._fail("seats", "leaves a seat that nobody held")
        elif _who(held) != _who(entry):
            self._fail("seats", "names another player than the one who held the seat")

    def _see_started(self, entry: dict[str, Any]) -> None:
        self._stage = "running"
        record = self._record
        if len(self._holders) != record.seats:
            self._fail("seats", "starts while seats are free")
        given = [self._holders.get(seat, {}).get("entropy") or "" for seat in range(record.seats)]
        if given != record.entropy:
            self._fail("seats", "the record's entropy is not what the seats gave when they joined")
        if self._open:
            self._told.deal(record.entropy, entry)

    def _see_moved(self, entry: dict[str, Any]) -> None:
        seat, move = self._held(entry), entry.get("move")
        shares = entry.get("private")
        own = shares.get(str(seat)) if type(shares) is dict else None
        if type(own) is dict and "move" in own:
            move = own["move"]
        if seat is None:
            self._told.lose_track()
            return
        if entry.get("random") and self.state is not None:
            due = forced_move(self.state, seat, game_key(self._record.seed, self._record.entropy), self._seen)
            if move != due:
                self._fail("clocks", "another move was made for the seat than the one that the seed gives")
        self._told.move(seat, move, entry)
        if self._listed is not None:
            self._listed.see(self._seen, seat, move, entry)

    def _see_taken_back(self, entry: dict[str, Any]) -> None:
        self._held(entry)
        of = entry.get("of")
        if type(of) is not int:
            self._fail("order", "does not say what is taken back")
            self._told.lose_track()
            return
        self._told.take_back(of)
        if self._listed is not None:
            self._listed.take_back(of)

    def _see_resigned(self, entry: dict[str, Any]) -> None:
        self._give_up(entry)

    def _see_timed_out(self, entry: dict[str, Any]) -> None:
        if self._clocks.resigns:
            self._give_up(entry)
        else:
            self._held(entry)

    def _see_finished(self, entry: dict[str, Any]) -> None:
        self._conclude()
        self._stage, self._finished = "over", entry
        if self._open and entry.get("seed") != self._record.seed.hex():
            self._fail("result", "the seed revealed here is not the record's")
        if self.state is not None and entry.get("result") != self.state.result:
            self._fail("result", f"the game came to {self.state.result}")

    def _see_cancelled(self, entry: dict[str, Any]) -> None:
        self._stage, self._ending = "over", {"type": "cancelled"}

    def _see_imported(self, entry: dict[str, Any]) -> None:
        """From here on another server has written the log, without the players."""
        self._holders = {seat: {**held, "player": None} for seat, held in self._holders.items()}
        if type(entry.get("imported_by")) is not dict:
            self._fail("order", "does not say who imported the game")

    def _see_said(self, entry: dict[str, Any]) -> None:
        if entry.get("seat") is not None:
            self._held(entry)
        elif entry.get("player") is not None:
            self._fail("seats", "is said by a player without a seat")

    def _give_up(self, entry: dict[str, Any]) -> None:
        """Note that a seat gives up, or one of several that are late, which lose together at `finished`."""
        seat, kind = self._held(entry), entry["type"]
        self._stage = "timed out" if kind == "timed_out" else "given up"
        if seat is None:
            self._told.lose_track()
            return
        if seat in self._gave_up:
            self._fail("order", f"seat {seat} has run out of time already")
        self._gave_up.append(seat)
        self._ending = {"type": kind, "seat": self._gave_up[0]}
        if len(self._gave_up) > 1:
            self._ending["seats"] = self._gave_up
        else:
            self._late = self._clocks.late(entry.get("at"))

    def _conclude(self) -> None:
        """End the game that seats gave up."""
        if self._ending is None or self._told.state is None:
            return
        told = self._record.result or {}
        early = len(self._gave_up) == 1 and told.get("reason") == "resigned"  # see `record.close`
        forgotten = self._late - {*self._gave_up}
        if self._stage == "timed out" and forgotten and not early:
            self._fail("clocks", f"the time of seat {min(forgotten)} was over too")
        try:
            self._told.end(self._ending)
        except Malformed as error:
            self._fail("order", error.detail)

    # --- seats ---

    def _seat(self, entry: dict[str, Any]) -> int | None:
        seat = entry.get("seat")
        return seat if type(seat) is int and 0 <= seat < self._record.seats else None

    def _held(self, entry: dict[str, Any]) -> int | None:
        """Return the entry's seat, which must be the one of the player that it names."""
        seat = self._seat(entry)
        if seat is None:
            self._fail("seats", "names a seat that the table does not have")
        elif seat not in self._holders or _who(self._holders[seat]) != _who(entry):
            self._fail("seats", f"names another player than the one who holds seat {seat}")
        return seat

    # --- the end ---

    def report(self, logged: bool = True) -> Report:
        """Check how it all ends and report; without a log (`logged`) the record's moves are replayed."""
        self._findings.seq = self._seen or None
        if not logged:
            self._findings.skip("the record has no log", *OF_THE_LOG)
        if not self._open:
            self._findings.skip("the seed is not public while the game runs", *BEHIND_THE_SEED)
        if logged:
            self._end_of_log()
        else:
            self._replay()
        result = self._data.get("result")
        if self.state is not None and self.state.result != result:
            self._fail("result", f"the record says {result}, the game came to {self.state.result}")
        if self._told.has_more_outcomes() and self.state is not None:
            self._fail("shuffles", "the record names outcomes of chance that were never drawn")
        return self._findings.report(logged)

    def _end_of_log(self) -> None:
        if self._stage == "nothing":
            self._fail("order", "the log has no created entry")
        if self._finished is None:
            if self._stage in ("given up", "timed out") or (
                self.state is not None and self.state.result is not None
            ):
                self._fail("order", "the game is over, but no finished entry follows")
            if self._data.get("result") is not None:
                self._fail("result", "the record has a result, but its log no finished entry")
        elif self._finished.get("result") != self._data.get("result"):
            self._fail("result", "the record has another result than this entry")
        if self._listed is None:
            self._findings.skip("no list of moves was given", "moves")
            return
        self._listed.end(self._findings)
        ended = self._record.ended
        if (ended and {key: ended.get(key) for key in self._ending or ended}) != self._ending:
            self._fail("moves", "the record does not end as its log does")

    def _replay(self) -> None:
        published = self._data.get("commitment")
        if published is None:
            self._findings.skip("the record names no commitment", "commitment")
        elif self._open and commitment(self._record.seed) != published:
            self._fail("commitment", "the seed does not hash to the commitment")
        if self._data.get("chance") is None:
            self._findings.skip("the record does not say what was dealt", "shuffles")
        if not self._open:
            self._findings.skip("the seed is not public while the game runs", "result")
            return
        self._told.deal(self._record.entropy)
        for made in self._record.moves:
            self._told.move(made["seat"], made["move"])
        if self._record.ended is not None:
            try:
                self._told.end(self._record.ended)
            except Malformed as error:
                self._fail("result", str(error))

    def _fail(self, name: str, detail: str) -> None:
        self._findings.fail(name, detail)


def _who(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the player's id and the bot's name that an entry speaks of: one of them is None."""
    player = entry.get("player")
    return player.get("id") if type(player) is dict else player, entry.get("bot")
