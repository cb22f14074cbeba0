"""The findings of the verification of many records: every failure, and the number of each kind."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from referee.engine.jsontext import parse
from referee.engine.verdicts import Malformed
from referee.log.policy import Policy
from referee.log.receipts import Key
from referee.verification.bundle import Bundle, is_bundle, read_bundle, verify_bundle
from referee.verification.findings import NOT_YET, Report
from referee.verification.kinds import kinds
from referee.verification.verify import verify

UNREAD, NO_RECORD, NO_LOG = "archive", "record", "log"  # kinds of failure in addition to the checks

RUNNING = "the seed is secret while the game runs; fetch it again when it is over"


class Failure(NamedTuple):
    """A failed check of a record, and the entry if it is known."""

    name: str
    check: str
    seq: int | None
    detail: str


class Found(NamedTuple):
    """What was found in a batch of records."""

    records: int
    entries: int
    failed: int  # records
    failures: list[Failure]
    unchecked: list[tuple[str, str]]  # a check, and the reason why it could not be made
    rulesets: dict[str, tuple[int, int]]  # of each ruleset the records, and those that failed
    kinds: dict[str, int]  # of each kind, such as imported, the records
    short: int  # records that lack evidence


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
    rulesets: dict[str, tuple[int, int]] = {}
    special: Counter[str] = Counter()
    entries = failed = short = 0
    for name, text in records:
        before, length, ruleset = len(failures), 0, UNREAD
        if type(text) is str:
            failures.append(Failure(name, UNREAD, None, text))
            failed += 1
            continue
        try:
            name, data = _unwrapped(name, parse(text))
            evidence = data if is_bundle(data) else None
            data = evidence["record"] if evidence and "record" in evidence else data
            ruleset = _ruleset(data)
            report, lacking, broken = _verified(data, evidence, keys, policy)
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
        failed += fails
        counts = rulesets.get(ruleset, (0, 0))
        rulesets[ruleset] = counts[0] + 1, counts[1] + fails
    return Found(len(records), entries, failed, failures, unchecked, rulesets, dict(special), short)


def _verified(
    record: Any, evidence: Any, keys: Sequence[Key], policy: Policy | None
) -> tuple[Report, dict[str, str], list[tuple[str, str]]]:
    """Verify a record, or its bundle; return also what evidence is missing, and what it contradicts."""
    if evidence is None and policy is None:
        report = verify(record, keys=keys)
        return report, {} if record.get("seed") else {NOT_YET: RUNNING}, []
    bundle = Bundle(record, None, [*keys], None) if evidence is None else read_bundle(evidence)
    promises, report = verify_bundle(bundle, policy)
    named = {check.name for check in report.checks}
    broken = [(one.name, one.detail) for one in promises if one.ok is False and one.name not in named]
    return report, {one.name: one.detail for one in promises if one.is_missing}, broken


def _ruleset(data: Any) -> str:
    """Return a record's ruleset and version in words."""
    named = data.get("ruleset") if type(data) is dict else None
    return f"{named[:40]} {data.get('version')}" if type(named) is str else UNREAD


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
        self.special: Counter[str] = Counter()
        self.rulesets: dict[str, tuple[int, int]] = {}

    def add(self, tally: Found) -> None:
        """Count a batch."""
        self.records += tally.records
        self.entries += tally.entries
        self.failed += tally.failed
        self.short += tally.short
        self.special.update(tally.kinds)
        self.kinds.update(failure.check for failure in tally.failures)
        self.unchecked.update(tally.unchecked)
        for name, (records, failed) in tally.rulesets.items():
            before = self.rulesets.get(name, (0, 0))
            self.rulesets[name] = before[0] + records, before[1] + failed

    def lines(self) -> list[str]:
        """Return the summary: totals, each kind of failure, and what could not be checked."""
        lines = [f"NOTE  {name}: {_counted(number)}" for name, number in self.special.most_common()]
        lacks = f", {self.short} lack evidence" if self.short else ""
        holding = self.records - self.failed - self.short
        lines.append(
            f"{_counted(self.records)}, {self.entries} entries: {holding} hold, {self.failed} do not{lacks}"
        )
        lines += [f"FAIL  {kind}: {_counted(number)}" for kind, number in self.kinds.most_common()]
        alike: dict[tuple[int, str], list[str]] = {}
        for (check, why), number in self.unchecked.most_common():
            alike.setdefault((number, why), []).append(check)
        for (number, why), checks in alike.items():
            lines.append(f"-     {', '.join(checks)}: not checked in {_counted(number)}: {why}")
        return lines

    def by_ruleset(self) -> list[str]:
        """Return a line for each ruleset."""
        return [
            f"{'FAIL' if failed else 'ok  '}  {name}: {_counted(records)}, {failed} do not hold"
            for name, (records, failed) in sorted(self.rulesets.items())
        ]


def _counted(records: int) -> str:
    return "1 record" if records == 1 else f"{records} records"
