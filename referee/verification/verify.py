"""Verification of a game's record and log, offline.

The checks depend on what is available: a whole record with its log is checked completely, a record without a
log by replaying its moves, the redacted log of a running game by its chain. Entries are read only once, so a
log of any length can be verified while it is read.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from referee.engine.jsontext import same
from referee.engine.loading import read_options
from referee.engine.registry import find
from referee.engine.verdicts import Malformed, UnknownLog
from referee.log.checks import unknown_member
from referee.log.consent import Consent
from referee.log.entries import ENTRY_TYPES, NOTHING, EntryType, stage_after
from referee.log.known import unknown_in_moves
from referee.log.record import read_record
from referee.log.times import read_time
from referee.proofs.receipts import Key
from referee.verification.automatic import Automatic
from referee.verification.clocks import Clocks
from referee.verification.course.ending import Ending
from referee.verification.course.handovers import Handovers
from referee.verification.course.links import Links
from referee.verification.course.seats import Seats
from referee.verification.course.terms import IMPORTED, check_commitment, check_head, check_terms
from referee.verification.dealing import Dealing
from referee.verification.findings import Findings, Report
from referee.verification.inclusion import LEAVES, Inclusion
from referee.verification.movelist import MoveList
from referee.verification.replaying import Replay
from referee.verification.sealed import Seals
from referee.verification.signing import Signatures

OF_THE_LOG = (
    *("sequence", "times", "chain", "order", "terms", "seats"),
    *("bots", "clocks", "consent", "sealed", "transfers", "moves"),
)
OVER = "over"  # the stage
NO_SEED = "the game is over, and its seed is not shown: whoever hides it may have rigged the deal"
RUNNING = "the seed is not public while the game runs"
AFTER_RESULT = ("said", "moved", "finished")  # a move is refused, for another reason
BEHIND_THE_SEED = ("commitment", "bots", "shuffles", "verdicts", "transfers")


def verify(data: object, entries: Iterable[Any] | None = None, *, keys: Sequence[Key] = ()) -> Report:
    """Verify a record with its log: the `entries` given, in order, else those in the record.

    With the server's `keys`, its proofs about the log of all games are checked too.

    Raises Malformed if the data is not a record.
    """
    if entries is None and type(data) is dict and data.get("entries") is not None:
        entries = data["entries"]
        if type(entries) is not list:
            raise Malformed("entries", "must be a list")
    verification = Verification(data, keys=keys)
    for entry in entries or ():
        verification.read(entry)
    return verification.report(logged=bool(entries))


class Verification:
    """A verification in progress: call `read` with each entry, then `report`.

    `head` is the hash of the last entry seen, `state` the position that it led to (None before the deal,
    without a seed, and after an illegal move).
    """

    def __init__(self, data: object, effort: int | None = None, keys: Sequence[Key] = ()) -> None:
        """Read a record; "moves" and "seed" may be left out. Raises Malformed.

        With an `effort`, the choices of bots are repeated up to this total effort.
        """
        if type(data) is not dict:
            raise Malformed("record", "must be an object")
        self._data: dict[str, Any] = data
        self._open = data.get("seed") is not None  # without the seed, hidden parts cannot be checked
        self._record = read_record(
            {**data, "seed": data["seed"] if self._open else "", "moves": data.get("moves", [])}
        )
        self._ruleset = find(self._record.ruleset, self._record.version)
        read_options(self._ruleset, self._record.seats, self._record.options)  # refuses invalid options
        key = self._record.key  # refuses an entropy that is too long
        self._listed = MoveList(self._record.moves) if "moves" in data else None
        self._findings = Findings()
        self._replayed = Replay(self._record, data.get("chance"), self._findings)
        self._seen = 0
        self._stage = NOTHING
        self._seed = self._record.seed if self._open else None
        self._seals = Seals(self._seed, self._findings)
        self._signatures = Signatures(self._open, self._findings)
        self._automatic = Automatic(key, effort, self._findings)
        self._clocks = Clocks(self._record.seats, self._findings)
        self._dealing = Dealing(self._record, self._findings)
        self._inclusion = Inclusion(data, keys, self._findings)
        self._consent = Consent()
        self._handovers = Handovers(self._findings)
        self._links = Links(self._findings)
        self._seats = Seats(self._record.seats, self._findings)
        self._ending = Ending(self._record.seats, self._findings)
        self._finished: Mapping[str, Any] | None = None
        self._imported = data.get("origin") == IMPORTED
        check_head(data, self._findings)

    @property
    def head(self) -> bytes:
        """The hash of the last entry seen."""
        return self._links.head

    @property
    def state(self) -> Any:
        """The position after the entries seen."""
        return self._replayed.state

    @property
    def drawn(self) -> int:
        """The number of outcomes of chance that were drawn."""
        return self._replayed.drawn

    @property
    def refused(self) -> dict[str, Any] | None:
        """The first illegal move, `{"n", "seat", "move", "verdict"}`, or None if all are legal."""
        return self._replayed.refused

    def read(self, entry: object) -> None:
        """Check the next entry against all previous ones."""
        self._seen += 1
        self._findings.seq = self._seen
        if type(entry) is not dict:
            self._fail("order", "an entry must be an object")
            return
        previous = self._links.head
        self._links.read(self._seen, entry)
        self._seals.read(self._seen, entry)
        kind = entry.get("type")
        declared = ENTRY_TYPES.get(kind) if type(kind) is str else None
        if declared is None:
            self._fail("order", f"{str(kind)[:20]!r} is no type of entry")
        elif self._stage not in declared.stages:
            self._fail("order", f"{kind} cannot stand here: the game is {self._stage}")
        else:
            self._read_known(declared, entry, previous)

    def _read_known(self, declared: EntryType, entry: dict[str, Any], previous: bytes) -> None:
        """Check an entry of a type that is possible now."""
        kind = entry["type"]
        if kind not in AFTER_RESULT and self._stage == "running" and self._is_decided():
            self._fail("order", f"{kind} cannot stand here: the game has a result")
        fault = self._consent.read(self._seen, entry, self._seats.players)
        if fault is not None:
            self._fail("consent", fault)
        self._handovers.read(entry, self._seats.players)
        if kind in LEAVES:
            self._inclusion.read(entry)
        self._signatures.read(previous, entry)
        stage = self._stage
        if declared.then:
            self._stage = stage_after(kind, stage, self._clocks.resigns)
        self._replayed.compared = self._seats.read = ()
        READ[kind](self, entry, stage)
        self._clocks.read(entry, self._replayed)
        read = (*self._replayed.compared, *self._seats.read)
        if (unknown := unknown_member(entry, read)) is not None:
            self._fail("members", unknown)

    def _is_decided(self) -> bool:
        return self.state is not None and self.state.result is not None

    # --- each type of entry ---

    def _read_created(self, entry: dict[str, Any], stage: str) -> None:
        if "log" in entry:
            raise UnknownLog(entry["log"])
        self._dealing.create(entry)
        self._ending.begun = read_time(entry.get("at"))
        if entry.get("origin") == IMPORTED and not self._imported:
            self._fail("terms", "says that the game was imported, and the record does not")
        self._seats.may_be_nobody = "origin" in entry
        check_terms(entry, self._ruleset, self._record, self._data, self._findings)
        check_commitment(self._data, self._seed, entry.get("commitment"), self._findings)

    def _read_joined(self, entry: dict[str, Any], stage: str) -> None:
        self._check_replaced(entry, stage)
        seat = self._seats.join(entry)
        if seat is not None:
            self._dealing.join(seat, entry, stage == "running")

    def _read_left(self, entry: dict[str, Any], stage: str) -> None:
        self._check_replaced(entry, stage)
        seat = self._seats.leave(entry)
        if seat is not None and stage == "open":
            self._dealing.leave(seat)

    def _read_revealed(self, entry: dict[str, Any], stage: str) -> None:
        self._dealing.reveal(self._seats.held(entry), entry)

    def _read_forfeited(self, entry: dict[str, Any], stage: str) -> None:
        self._dealing.forfeit(self._seats.held(entry), entry)

    def _read_started(self, entry: dict[str, Any], stage: str) -> None:
        if not self._seats.full:
            self._fail("seats", "starts while seats are free")
        self._dealing.start(entry)
        if self._open:
            self._replayed.deal(entry)

    def _read_moved(self, entry: dict[str, Any], stage: str) -> None:
        seat, move = self._seats.held(entry), entry.get("move")
        shares = entry.get("private")
        own = shares.get(str(seat)) if type(shares) is dict else None
        if type(own) is dict and "move" in own:
            move = own["move"]
        if seat is None:
            self._replayed.lose_track()
            return
        if ("random" in entry or "bot" in entry) and self.state is not None:
            self._automatic.on_timeout = self._clocks.on_timeout
            self._automatic.read(self._seen, entry, seat, move, self.state)
        self._replayed.move(seat, move, entry, self._seen)
        if self._listed is not None:
            self._listed.read(self._seen, seat, move, entry)

    def _read_taken_back(self, entry: dict[str, Any], stage: str) -> None:
        self._seats.held(entry)
        self._go_back(entry.get("of"))

    def _read_timeout_undone(self, entry: dict[str, Any], stage: str) -> None:
        self._go_back(entry.get("of"))

    def _go_back(self, of: object) -> None:
        if type(of) is not int:
            self._fail("order", "does not say what is taken back")
            self._replayed.lose_track()
            return
        self._replayed.take_back(of)
        if self._listed is not None:
            self._listed.take_back(of)

    def _read_dropped(self, entry: dict[str, Any], stage: str) -> None:
        self._give_up(entry)

    def _read_drawn(self, entry: dict[str, Any], stage: str) -> None:
        self._ending.decide(entry)

    def _read_adjudicated(self, entry: dict[str, Any], stage: str) -> None:
        self._ending.decide(entry)

    def _read_resigned(self, entry: dict[str, Any], stage: str) -> None:
        self._give_up(entry)

    def _read_timed_out(self, entry: dict[str, Any], stage: str) -> None:
        if self._clocks.resigns:
            self._give_up(entry)
        else:
            self._seats.held(entry)

    def _read_finished(self, entry: dict[str, Any], stage: str) -> None:
        self._ending.conclude(self._replayed, stage == "timed out")
        self._finished = entry
        if entry.get("seed") != (self._seed and self._seed.hex()):
            self._fail("result", "the seed revealed here is not the record's")
        if self.state is not None and not same(entry.get("result"), self.state.result):
            self._fail("result", f"the game came to {self.state.result}")

    def _read_cancelled(self, entry: dict[str, Any], stage: str) -> None:
        if "reason" in entry and (self._seats.players or "by" in entry or stage != "running"):
            self._fail("seats", "is called off as endless, and not only bots play")
        self._dealing.cancel(entry, stage == "forfeited")
        self._ending.cancel()

    def _read_seat(self, entry: dict[str, Any], stage: str) -> None:
        if not ENTRY_TYPES[entry["type"]].has("seat"):
            return
        if "replacement" in entry and not self._seats.has(entry["replacement"]):
            self._fail("seats", "is about a seat that the table does not have (`replacement`)")
        if entry["type"] == "nudged":
            self._seats.check_nudge(entry, self._replayed.waiting)
        if entry.get("seat") is not None or entry["type"] != "said":
            self._seats.held(entry)
        elif entry.get("player") is not None:
            self._fail("seats", "is said by a player without a seat")

    def _check_replaced(self, entry: dict[str, Any], stage: str) -> None:
        """Check that a seat changes hands while the game runs, and only then."""
        if ("replaced" in entry) != (stage == "running"):
            self._fail("seats", "a seat is handed over while the game runs, and only then")

    def _give_up(self, entry: dict[str, Any]) -> None:
        seat = self._seats.held(entry)
        if seat is None:
            self._replayed.lose_track()
        else:
            self._ending.give_up(entry["type"], seat, self._clocks.late(entry.get("at")))

    # --- the end ---

    def report(self, logged: bool = True) -> Report:
        """Check how it all ends and report; without a log (`logged`) the record's moves are replayed."""
        self._findings.seq = self._seen or None
        if not logged:
            self._findings.skip("the record has no log", *OF_THE_LOG)
        if not self._open:
            over = self._stage == OVER or (not logged and self._data.get("result") is not None)
            if over:
                self._fail("commitment", NO_SEED)
            self._findings.skip(NO_SEED if over else RUNNING, *BEHIND_THE_SEED)
        if logged:
            self._end_of_log()
        else:
            self._replay()
        result = self._data.get("result")
        if self.state is not None and not same(self.state.result, result):
            self._fail("result", f"the record says {result}, the game came to {self.state.result}")
        if self._replayed.has_more_outcomes() and self.state is not None:
            self._fail("shuffles", "the record names outcomes of chance that were never drawn")
        self._dealing.report(logged)
        self._inclusion.report(logged)
        if self._open:
            self._handovers.report()
        self._signatures.report()
        return self._findings.report(logged)

    def _end_of_log(self) -> None:
        if self._stage == NOTHING:
            self._fail("order", "the log has no created entry")
        if self._finished is None:
            if self._is_decided() or self._stage in ("given up", "timed out", "forfeited", "decided"):
                self._fail("order", "the game is over, but no finished entry follows")
            if self._data.get("result") is not None:
                self._fail("result", "the record has a result, but its log no finished entry")
        elif not same(self._finished.get("result"), self._data.get("result")):
            self._fail("result", "the record has another result than this entry")
        if self._listed is None:
            self._findings.skip("no list of moves was given", "moves")
            return
        self._listed.end(self._findings)
        ended = self._record.ended
        named = ended and {key: ended.get(key) for key in self._ending.outcome or ended}
        if not same(named, self._ending.outcome):
            self._fail("moves", "the record does not end as its log does")

    def _replay(self) -> None:
        if (unknown := unknown_in_moves(self._record.moves)) is not None:
            self._fail("members", unknown)
        published = self._data.get("commitment")
        if published is None:
            self._findings.skip("the record names no commitment", "commitment")
        else:
            check_commitment(self._data, self._seed, published, self._findings)
        if self._data.get("chance") is None:
            self._findings.skip("the record does not say what was dealt", "shuffles")
        if not self._open:
            self._findings.skip(RUNNING, "result")
            return
        self._replayed.play()

    def _fail(self, name: str, detail: str) -> None:
        self._findings.fail(name, detail)


# Type of entry → what is done with one, given the stage before it. Of some types only clocks and consent know
# the meaning; here only their seat is checked.
READ: dict[str, Callable[[Verification, dict[str, Any], str], None]] = {
    name: getattr(Verification, f"_read_{name}", Verification._read_seat) for name in ENTRY_TYPES
}
