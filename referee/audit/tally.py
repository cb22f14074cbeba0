"""The findings of the verification of many records: every failure, and the number of each kind."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from referee.engine.jsontext import parse
from referee.engine.verdicts import Malformed, UnknownLog
from referee.proofs.policy import Policy
from referee.proofs.receipts import Key
from referee.verification.bundle import (
    Bundle,
    evidence,
    is_bundle,
    read_bundle,
    verdict_of,
    verify_bundle,
    what_to_do,
)
from referee.verification.findings import CONTRADICTED, EXITS, NOT_YET, PROVED, Report, verdict
from referee.verification.kinds import kinds
from referee.verification.verify import verify

UNREAD, NO_RECORD, NO_LOG = "archive", "record", "log"  # kinds of failure in addition to the checks


class Failure(NamedTuple):
    """A failed check of a record, and the entry if it is known."""

    name: str
    check: str
    seq: int | None
    detail: str


class Game(NamedTuple):
    """The verdict on a record, what it is about ("" if nothing is known), and how to get what is missing."""

    name: str
    verdict: str
    ended: str
    why: str


class Judged(NamedTuple):
    """A verified record: what evidence is missing and how to get it, and what contradicts it.

    `vouched`: somebody whose key is pinned vouches for it.
    """

    report: Report
    lacking: dict[str, str]
    to_do: str
    broken: list[tuple[str, str]]
    vouched: bool


class Found(NamedTuple):
    """What was found in a batch of records."""

    records: int
    entries: int
    failed: int  # records
    failures: list[Failure]
    unchecked: list[tuple[str, str]]  # a check, and the reason why it could not be made
    kinds: dict[str, int]  # of each kind, such as imported, the records
    short: int  # records that lack evidence
    games: list[Game]


def verify_batch(
    records: Sequence[tuple[str, bytes | str]],
    require_log: bool,
    keys: Sequence[Key] = (),
    policy: Policy | None = None,
) -> Found:
    """Verify records, each given as its name, and its JSON or the reason why it cannot be read.

    This function runs in other processes.
    """
    failures: list[Failure] = []
    unchecked: list[tuple[str, str]] = []
    special: Counter[str] = Counter()
    games: list[Game] = []
    entries = failed = short = 0
    for name, text in records:
        before, length = len(failures), 0
        if type(text) is str:
            failures.append(Failure(name, UNREAD, None, text))
            games.append(Game(name, CONTRADICTED, "", text))
            failed += 1
            continue
        data, lacking, to_do, vouched = None, dict[str, str](), "", False
        try:
            name, data = _unwrapped(name, parse(text))
            bundle = data if is_bundle(data) else None
            data = bundle["record"] if bundle and "record" in bundle else data
            report, lacking, to_do, broken, vouched = _verified(data, bundle, keys, policy)
        except UnknownLog as error:
            lacking, to_do = {NO_LOG: str(error)}, str(error)
            unchecked.append((NO_LOG, str(error)))
            short += 1
        except Malformed as error:
            failures.append(Failure(name, NO_RECORD, None, str(error)))
        else:
            length = len(data.get("entries") or ())
            failures += [
                Failure(name, check.name, check.seq, check.detail) for check in report.checks if not check.ok
            ]
            failures += [Failure(name, promise, None, detail) for promise, detail in broken]
            special.update(kinds(data))
            if require_log and not report.logged:
                failures.append(Failure(name, NO_LOG, None, "there is no log"))
            unchecked += {**report.unchecked, **lacking}.items()
            short += bool(lacking) and len(failures) == before
        entries += length
        fails = len(failures) > before
        found = verdict(fails, bool(lacking), vouched)
        why = _where(failures[before]) if fails else to_do
        games.append(Game(name, found, ending(data), why))
        failed += fails
    return Found(len(records), entries, failed, failures, unchecked, dict(special), short, games)


def _verified(record: Any, whole: Any, keys: Sequence[Key], policy: Policy | None) -> Judged:
    """Verify a record, or its bundle."""
    if whole is None and policy is None:
        report = verify(record, keys=keys)
        lacks, vouched = evidence(record, report, keys)
        return Judged(report, {NOT_YET: lacks} if lacks else {}, lacks, [], vouched)
    bundle = Bundle(record, None, [*keys]) if whole is None else read_bundle(whole)
    promises, report = verify_bundle(bundle, policy)
    named = {check.name for check in report.checks}
    broken = [(one.name, one.detail) for one in promises if one.ok is False and one.name not in named]
    lacking = {one.name: one.detail for one in promises if one.is_missing}
    to_do = f"lacks {', '.join(lacking)}; {what_to_do(promises)}" if lacking else ""
    return Judged(report, lacking, to_do, broken, verdict_of(promises) == PROVED)


def ending(record: Any) -> str:
    """Return who won a record's game, or how it ended otherwise; "" if it does not say that."""
    entries = record.get("entries") if type(record) is dict else None
    entries = [entry for entry in entries if type(entry) is dict] if type(entries) is list else []
    if entries and entries[-1].get("type") == "cancelled":
        return "called off"
    result = record.get("result") if type(record) is dict else None
    winners = result.get("winners") if type(result) is dict else None
    if type(winners) is not list:
        return ""
    names = {str(entry.get("seat")): _holder(entry) for entry in entries if entry.get("type") == "joined"}
    won = [names.get(str(seat)) or f"seat {seat}" for seat in winners if type(seat) is int]
    return f"{' and '.join([*filter(None, [', '.join(won[:-1])]), *won[-1:]])} won" if won else "nobody won"


def _holder(joined: dict[str, Any]) -> str:
    """Return the name of who took a seat; "" if it is none."""
    player, bot = joined.get("player"), joined.get("bot")
    name = player.get("name") if type(player) is dict else None
    return name[:80] if type(name) is str else f"bot {bot}"[:80] if bot else ""


def _where(failure: Failure) -> str:
    where = "" if failure.seq is None else f" at entry {failure.seq}"
    return f"{failure.check}{where}: {failure.detail}"


def _unwrapped(name: str, data: Any) -> tuple[str, Any]:
    """Return a line's record and its name: the game in the line, or the number of the line."""
    if type(data) is dict and "record" in data and "format" not in data:
        return str(data.get("game") or name), data["record"]
    return name, data


class Summary:
    """The sum of everything found, in constant memory."""

    def __init__(self) -> None:
        self.records = self.entries = self.failed = 0
        self.kinds: Counter[str] = Counter()
        self.unchecked: Counter[tuple[str, str]] = Counter()
        self.short = 0
        self.verdicts: Counter[str] = Counter()
        self.special: Counter[str] = Counter()

    def add(self, tally: Found) -> None:
        """Count a batch."""
        self.records += tally.records
        self.entries += tally.entries
        self.failed += tally.failed
        self.short += tally.short
        self.verdicts.update(game.verdict for game in tally.games)
        self.special.update(tally.kinds)
        self.kinds.update(failure.check for failure in tally.failures)
        self.unchecked.update(tally.unchecked)

    def sentence(self) -> str:
        """Return the verdict on all games as a sentence that can be read aloud."""
        if len(self.verdicts) == 1:
            (found,) = self.verdicts
            return f"{_of_all(self.records)}: {found}."
        return (
            f"Of {self.records} games "
            + ", ".join(
                f"{self.verdicts[found]} {'is' if self.verdicts[found] == 1 else 'are'} {_said(found)}"
                for found in EXITS
                if found in self.verdicts
            )
            + "."
        )

    def unusual(self) -> list[str]:
        """Return how many records are of no ordinary games; nobody should overlook it, so it comes first."""
        return [f"NOTE  {name}: {_counted(number)}" for name, number in self.special.most_common()]

    def lines(self) -> list[str]:
        """Return the summary: totals, each kind of failure, and what could not be checked."""
        lacks = f", {self.short} lack evidence" if self.short else ""
        holding = self.records - self.failed - self.short
        lines = [
            f"{_counted(self.records)}, {self.entries} entries: {holding} hold, {self.failed} do not{lacks}"
        ]
        lines += [f"FAIL  {kind}: {_counted(number)}" for kind, number in self.kinds.most_common()]
        alike: dict[tuple[int, str], list[str]] = {}
        for (check, why), number in self.unchecked.most_common():
            alike.setdefault((number, why), []).append(check)
        for (number, why), checks in alike.items():
            lines.append(f"-     {', '.join(checks)}: not checked in {_counted(number)}: {why}")
        return lines


def _of_all(games: int) -> str:
    return "The game" if games == 1 else f"All {games} games"


def _said(found: str) -> str:
    """Return a verdict as the end of a sentence about games."""
    return "without enough evidence yet" if found == NOT_YET else found


def _counted(records: int) -> str:
    return "1 record" if records == 1 else f"{records} records"
