"""The findings of the verification of many records: every failure, and the number of each kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from referee.audit.games import NEWER_LOG, UNREADABLE, Game, told
from referee.engine.jsontext import parse
from referee.engine.verdicts import Malformed, UnknownLog
from referee.proofs.policy import Policy
from referee.proofs.receipts import Key, Receipt
from referee.verification.assessment import Assessment, assess, is_bundle
from referee.verification.findings import CONTRADICTED, NOT_YET, PROVED, UNVOUCHED

UNREAD, NO_RECORD, NO_LOG = "archive", "record", "log"  # kinds of failure in addition to the checks


class Terms(NamedTuple):
    """What is asked of records, whom to trust, and the receipts of each game, with who holds them."""

    require_log: bool = False
    keys: Sequence[Key] = ()
    policy: Policy | None = None
    receipts: Mapping[str, Sequence[tuple[str, Receipt]]] = {}


class Failure(NamedTuple):
    """A failed check of a record, and the entry if it is known."""

    name: str
    check: str
    seq: int | None
    detail: str


class Found(NamedTuple):
    """What was found in a batch of records."""

    entries: int
    failures: list[Failure]
    unchecked: list[tuple[str, str]]  # a check, and the reason why it could not be made
    checks: Counter[tuple[str, bool | None]]  # of each check and finding, the records
    games: list[Game]


def verify_batch(records: Sequence[tuple[str, bytes | str]], terms: Terms) -> Found:
    """Verify records, each given as its name, and its JSON or the reason why it cannot be read.

    This function runs in other processes.
    """
    found = Found(0, [], [], Counter(), [])
    for name, text in records:
        if type(text) is str:
            found.failures.append(Failure(name, UNREAD, None, text))
            found.games.append(Game(name, CONTRADICTED, reason=UNREADABLE))
            continue
        try:
            name, data = _unwrapped(name, parse(text))
            holders, assessment = _assessed(data, terms)
        except UnknownLog as error:
            found.unchecked.append((NO_LOG, str(error)))
            found.games.append(Game(name, NOT_YET, reason=NEWER_LOG))
        except Malformed as error:
            found.failures.append(Failure(name, NO_RECORD, None, str(error)))
            found.games.append(Game(name, CONTRADICTED, reason=UNREADABLE))
        else:
            found = _add(found, name, assessment, holders, terms.require_log)
    return found


def _assessed(data: Any, terms: Terms) -> tuple[list[str], Assessment]:
    record = data.get("record") if is_bundle(data) else data
    game = str(record.get("game")) if type(record) is dict else ""
    held = terms.receipts.get(game, ())
    receipts = [receipt for _, receipt in held]
    return [holder for holder, _ in held], assess(data, terms.policy, terms.keys, receipts)


def _add(found: Found, name: str, assessment: Assessment, holders: list[str], require_log: bool) -> Found:
    """Return the findings with those of another record."""
    report, game = assessment.report, told(name, assessment, holders)
    found.failures.extend(Failure(name, one.name, one.seq, one.detail) for one in assessment.broken)
    if require_log and not report.logged:
        found.failures.append(Failure(name, NO_LOG, None, "there is no log"))
        game = game._replace(verdict=CONTRADICTED, reason=NO_LOG)
    missing = {one.name: one.detail for one in assessment.missing}
    found.unchecked.extend({**report.unchecked, **missing}.items())
    found.checks.update({(one.name, one.ok) for one in assessment.promises})
    found.games.append(game)
    return found._replace(entries=found.entries + len(assessment.record.get("entries") or ()))


def _unwrapped(name: str, data: Any) -> tuple[str, Any]:
    """Return a line's record and its name: the game in the line, or the number of the line."""
    if type(data) is dict and "record" in data and "format" not in data:
        return str(data.get("game") or name), data["record"]
    return name, data


class Summary:
    """The sum of everything found, in constant memory."""

    def __init__(self) -> None:
        self.records = self.entries = 0
        self.failures: Counter[str] = Counter()
        self.unchecked: Counter[tuple[str, str]] = Counter()
        self.checks: Counter[tuple[str, bool | None]] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.special: Counter[str] = Counter()

    def add(self, found: Found) -> None:
        """Count a batch."""
        self.records += len(found.games)
        self.entries += found.entries
        self.failures.update(failure.check for failure in found.failures)
        self.unchecked.update(found.unchecked)
        self.checks.update(found.checks)
        self.verdicts.update(game.verdict for game in found.games)
        self.special.update(kind for game in found.games for kind in game.kinds)

    @property
    def verdict(self) -> str:
        """The worst verdict of all games; for none there is no evidence."""
        worst = (CONTRADICTED, NOT_YET, UNVOUCHED, PROVED)
        return next((verdict for verdict in worst if self.verdicts[verdict]), NOT_YET)

    def unusual(self) -> list[str]:
        """Return how many records are of no ordinary games; nobody should overlook it, so it comes first."""
        return [f"NOTE  {name}: {_counted(number)}" for name, number in self.special.most_common()]

    def lines(self) -> list[str]:
        """Return the summary: totals, each kind of failure, and what could not be checked."""
        failed, short = self.verdicts[CONTRADICTED], self.verdicts[NOT_YET]
        lacks = f", {short} lack evidence" if short else ""
        holding = self.records - failed - short
        lines = [f"{_counted(self.records)}, {self.entries} entries: {holding} hold, {failed} do not{lacks}"]
        lines += [f"FAIL  {kind}: {_counted(number)}" for kind, number in self.failures.most_common()]
        return [*lines, *self.unchecked_lines()]

    def unchecked_lines(self) -> list[str]:
        """Return what could not be checked, and why."""
        lines = []
        alike: dict[tuple[int, str], list[str]] = {}
        for (check, why), number in self.unchecked.most_common():
            alike.setdefault((number, why), []).append(check)
        for (number, why), checks in alike.items():
            lines.append(f"-     {', '.join(checks)}: not checked in {_counted(number)}: {why}")
        return lines


def _counted(records: int) -> str:
    return "1 record" if records == 1 else f"{records} records"
