"""Findings of a verification: for each check, whether it holds, fails at an entry, or could not be made."""

from typing import Any, NamedTuple

# The meaning of every check, in the order of reports.
CHECKS = {
    "sequence": "entries are numbered from 1 without a gap",
    "times": "no entry is older than the one before it",
    "chain": "every hash fits its entry and the hash before it",
    "order": "the game was created, joined, started, played and ended in that order",
    "terms": "the record plays what its first entry announced",
    "commitment": "the seed is the one whose hash was published first",
    "seats": "moves were made by those who held the seats, with the entropy they gave",
    "bots": "every bot chose as the seed gives it",
    "clocks": "deadlines, reserves and days off follow from the pace, and only late seats ran out of time",
    "consent": "moves were taken back, and seats handed over by others, as all of them agreed",
    "sealed": "every private part is the one that was sealed",
    "shuffles": "every card dealt follows from the seed and the entropy",
    "verdicts": "every move is legal",
    "transfers": "every entry says what its move did, to everyone and to each seat",
    "moves": "the record lists the moves of the log",
    "result": "the result is the one that the game came to",
    "members": "it has no unknown members, and every value is of its type",
}


class Declared(NamedTuple):
    """What a check proves if it holds, and who guarantees that."""

    proves: str
    by: str


MATHEMATICS, SERVER, WITNESSES = "mathematics", "the server's key", "witnesses"
PLAYERS, NOBODY = "players' keys", "nobody"
# Everything that is promised to players. After the checks that follow from a record alone: what commitments,
# signatures and witnesses add, where there are any, and what is only the server's word.
PROMISES = {
    **{name: Declared(proves, MATHEMATICS) for name, proves in CHECKS.items()},
    "entropy": Declared("nobody could choose the deal", MATHEMATICS),
    "signatures": Declared("players acted themselves", PLAYERS),
    "receipts": Declared("the log is the one that was shown during the game", SERVER),
    "inclusion": Declared(
        "the game is counted in the server's log of all games, with these terms from its beginning", SERVER
    ),
    "witnessed": Declared("everybody is shown the same log of all games", WITNESSES),
    "clock": Declared("the times of entries are right", NOBODY),
    "others": Declared("who looked at hands, and what an app did for players, is listed", NOBODY),
}
VOUCHING = ("receipts", "inclusion", "witnessed")  # with a key that the verifier has pinned

# The verdicts, and the exit status of each. What nobody vouches for may be the log of a stranger.
PROVED, UNVOUCHED = "proved", "consistent; nobody vouches for it"
NOT_YET, CONTRADICTED = "not enough evidence yet", "contradicted"
EXITS = {PROVED: 0, UNVOUCHED: 0, CONTRADICTED: 1, NOT_YET: 2}


class Check(NamedTuple):
    """A check: whether it holds, what was found, and the first entry that fails (None: not certain)."""

    name: str
    ok: bool
    detail: str
    seq: int | None = None


class Report(NamedTuple):
    """The results of all checks; `unchecked` maps the checks that could not be made to the reason.

    Without a log (`logged`), only the moves can be replayed, but not who made them, or when. `scores` are
    those of the last position, if it is known. `erased` says which names and texts are not there any more.
    """

    checks: list[Check]
    unchecked: dict[str, str]
    logged: bool = True
    scores: list[Any] | None = None
    erased: str = ""

    @property
    def ok(self) -> bool:
        """Return whether nothing that could be checked failed."""
        return all(check.ok for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON: `ok`, `logged`, `checks`, and `unchecked` as name → why."""
        checks = [check._asdict() for check in self.checks]
        return {"ok": self.ok, "logged": self.logged, "checks": checks, "unchecked": self.unchecked}


class Findings:
    """The findings so far. Only the first failure of a check counts, because later ones may result from it.

    `seq` is the current entry.
    """

    def __init__(self) -> None:
        self.seq: int | None = None
        self.failed: dict[str, Check] = {}
        self.unchecked: dict[str, str] = {}
        self.confirmed: dict[str, str] = {}  # checks for only some records, and their findings

    def confirm(self, name: str, what: str) -> None:
        """Record that an additional check holds, which not every record needs."""
        self.confirmed[name] = what

    def fail(self, name: str, detail: str) -> None:
        """Record that a check fails at the current entry, with a sentence that says why."""
        self.failed.setdefault(name, Check(name, False, detail, self.seq))

    def skip(self, why: str, *names: str) -> None:
        """Record that checks could not be made."""
        for name in names:
            self.unchecked.setdefault(name, why)

    def report(self, logged: bool, erased: str = "") -> Report:
        """Put the findings in order; what was `erased` is told with the check of the seals."""
        skipped = {name: why for name, why in self.unchecked.items() if name not in self.failed}
        more = {"sealed": f"{CHECKS['sealed']}; {erased}"} if erased else {}
        checks = [
            self.failed.get(name) or Check(name, True, what)
            for name, what in {**CHECKS, **more}.items()
            if name not in skipped
        ]
        checks += [
            Check(name, True, what) for name, what in self.confirmed.items() if name not in self.failed
        ]
        checks += [check for name, check in self.failed.items() if name not in CHECKS]
        return Report(checks, skipped, logged, erased=erased)
