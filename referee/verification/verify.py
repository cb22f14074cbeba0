"""Verification of a game's record and log, offline.

The checks depend on what is available: a whole record with its log is checked completely, a record without a
log by replaying its moves, the redacted log of a running game by its chain. Entries are read only once, so a
log of any length can be verified while it is read.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from referee.engine.chance import Noted
from referee.engine.jsontext import same
from referee.engine.loading import read_options
from referee.engine.registry import find
from referee.engine.verdicts import Malformed, UnknownLog
from referee.log.checks import unknown_member
from referee.log.entries import ENTRY_TYPES, NOTHING, EntryType, stage_after
from referee.log.known import unknown_in_moves
from referee.log.record import read_record, steps
from referee.log.words import texts_of
from referee.proofs.receipts import Key
from referee.table import Seat
from referee.verification.choices import Choices
from referee.verification.deciding import Deciding, Refused, Seen, refuse
from referee.verification.endings import Endings
from referee.verification.findings import Findings, Report
from referee.verification.inclusion import LEAVES, Inclusion
from referee.verification.links import Links
from referee.verification.movelist import MoveList
from referee.verification.outcome import COMPARED, Outcomes
from referee.verification.sealed import Seals
from referee.verification.signing import Signatures
from referee.verification.terms import IMPORTED, check_commitment, check_head, check_terms
from referee.verification.unseen import Unseen

OF_THE_LOG = (
    *("sequence", "times", "chain", "order", "terms", "seats"),
    *("bots", "clocks", "consent", "sealed", "transfers", "moves"),
)
OVER = "over"  # the stage
NO_SEED = "the game is over, and its seed is not shown: whoever hides it may have rigged the deal"
RUNNING = "the seed is not public while the game runs"
AFTER_RESULT = ("said", "moved", "finished")  # a move is refused, for another reason
BEHIND_THE_SEED = ("commitment", "bots", "shuffles", "verdicts", "transfers")
# The members that the check of seats compares with those of an earlier entry.
SEATED = {
    kind: ("player",) if declared.has("player") and kind != "joined" else ()
    for kind, declared in ENTRY_TYPES.items()
}
CARDS = {kind: (*seated, *COMPARED) for kind, seated in SEATED.items()}
BEFORE = datetime.min.replace(tzinfo=UTC)


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
        rules = self._ruleset, self._record.seats, self._record.options
        options = read_options(*rules)[1]  # refuses invalid options
        _ = self._record.key  # refuses an entropy that is too long
        self._listed = MoveList(self._record.moves, self._ruleset.MOVES) if "moves" in data else None
        self._findings = Findings()
        self._seen = 0
        self._stage = NOTHING
        self._seed = self._record.seed if self._open else None
        table = (Seen if self._open else Unseen)(
            ruleset=self._ruleset.ID,
            ruleset_version=self._ruleset.VERSION,
            options=options,
            seats=[Seat()] * self._record.seats,
            seed=self._record.seed,
            updated_at=BEFORE,
        )
        self._outcomes = Outcomes(data.get("chance"), self._findings)
        choices = Choices(effort, self._findings)
        self._table = Deciding(self._record, table, self._outcomes, choices, self._findings)
        self._seals = Seals(self._seed, data.get("names"), texts_of(self._ruleset.MOVES), self._findings)
        self._signatures = Signatures(self._open, self._findings)
        self._inclusion = Inclusion(data, keys, self._findings)
        self._links = Links(self._findings)
        self._endings = Endings()
        self._replayed: Any = None  # the position of a record without a log
        self._refused: Refused | None = None
        self._imported = data.get("origin") == IMPORTED
        check_head(data, self._findings)

    @property
    def head(self) -> bytes:
        """The hash of the last entry seen."""
        return self._links.head

    @property
    def state(self) -> Any:
        """The position after the entries seen."""
        return self._table.state or self._replayed

    @property
    def drawn(self) -> int:
        """The number of outcomes of chance that were drawn."""
        return self._table.table.drawn

    @property
    def refused(self) -> dict[str, Any] | None:
        """The first illegal move, `{"n", "seat", "move", "verdict"}`, or None if all are legal."""
        refused = self._table.refused or self._refused
        return refused and refused._asdict()

    def read(self, entry: object, name: object = None) -> None:
        """Check the next entry against all previous ones; its newcomer's `name` may be given with it."""
        self._seen += 1
        if name is not None:
            self._seals.tell(self._seen, name)
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
        # What an entry of cards says is compared with what happened, and then of the right types.
        later = declared.shared and self._open
        unknown = unknown_member(entry, CARDS[kind] if later else SEATED[kind])
        if kind in LEAVES:
            self._inclusion.read(entry)
        self._signatures.read(previous, entry)
        if kind == "created":
            self._read_terms(entry)
        if kind == "cancelled" and "reason" in entry and ("by" in entry or self._stage != "running"):
            self._fail("seats", "is called off as endless, and not only bots play")
        self._endings.read(entry, resigning=self._table.resigns)
        if kind == "finished":
            self._read_end(entry)
        if kind not in AFTER_RESULT and self._stage == "running" and self._is_decided():
            self._fail("order", f"{kind} cannot stand here: the game has a result")
        else:
            self._table.read(entry, self._links.at, typed=unknown is None)
        if declared.then:
            self._stage = stage_after(kind, self._stage, self._table.resigns)
        if self._listed is not None:
            self._listed.read(self._seen, entry)
        if later and not self._table.compared:
            unknown = unknown_member(entry)
        if unknown is not None:
            self._fail("members", unknown)

    def _is_decided(self) -> bool:
        return self.state is not None and self.state.result is not None

    def _read_terms(self, entry: dict[str, Any]) -> None:
        if "log" in entry:
            raise UnknownLog(entry["log"])
        if entry.get("origin") == IMPORTED and not self._imported:
            self._fail("terms", "says that the game was imported, and the record does not")
        check_terms(entry, self._ruleset, self._record, self._data, self._findings)
        check_commitment(self._data, self._seed, entry.get("commitment"), self._findings)

    def _read_end(self, entry: dict[str, Any]) -> None:
        if entry.get("seed") != (self._seed and self._seed.hex()):
            self._fail("result", "the seed revealed here is not the record's")
        if self.state is not None and not same(entry.get("result"), self.state.result):
            self._fail("result", f"the game came to {self.state.result}")

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
            self._table.report(self._open)
        else:
            self._replay()
        result = self._data.get("result")
        if self.state is not None:
            if not same(self.state.result, result):
                self._fail("result", f"the record says {result}, the game came to {self.state.result}")
            self._outcomes.end()
        erased = self._seals.report(logged)
        self._inclusion.report(logged)
        self._signatures.report()
        scores = None if self.state is None else [*self.state.scores]
        return self._findings.report(logged, erased)._replace(scores=scores)

    def _end_of_log(self) -> None:
        finished = self._endings.finished
        if self._stage == NOTHING:
            self._fail("order", "the log has no created entry")
        if finished is None:
            if self._is_decided() or self._stage in ("given up", "timed out", "forfeited", "decided"):
                self._fail("order", "the game is over, but no finished entry follows")
            if self._data.get("result") is not None:
                self._fail("result", "the record has a result, but its log no finished entry")
        elif not same(finished.get("result"), self._data.get("result")):
            self._fail("result", "the record has another result than this entry")
        if self._listed is None:
            self._findings.skip("no list of moves was given", "moves")
            return
        self._listed.end(self._findings)
        if not self._endings.fit(self._record.ended):
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
        self._play()

    def _play(self) -> None:
        """Replay the moves of a record without a log."""
        chance = Noted(self._record.key)
        try:
            for step in steps(self._record, chance):
                self._replayed = step.state
                self._outcomes.draw(chance.outcomes)
                if step.verdict is not None and not step.verdict.legal:
                    self._refused = refuse(step.n, step.seat, step.move, step.verdict, self._findings)
                    self._replayed = None
        except Malformed as error:
            self._fail("result", error.detail)

    def _fail(self, name: str, detail: str) -> None:
        self._findings.fail(name, detail)
