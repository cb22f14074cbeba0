"""The terms that a log announces, held against those of its record."""

from typing import Any

from referee.games import Ruleset
from referee.loading import read_options
from referee.log.record import Record
from referee.verdicts import Malformed
from referee.verification.findings import Findings


def hold_terms(
    entry: dict[str, Any], rules: Ruleset[Any], record: Record, test_clock: object, findings: Findings
) -> None:
    """See whether the first entry announces the ruleset, seats, options and test clock of the record."""
    due = {"ruleset": rules.ID, "ruleset_version": rules.VERSION, "seats": record.seats}
    for key, value in due.items():
        if entry.get(key) != value:
            findings.fail("terms", f"announces another {key} than the record's {value}")
    try:
        announced = read_options(rules, record.seats, entry.get("options"))
    except Malformed:
        announced = None
    if announced != read_options(rules, record.seats, record.options):
        findings.fail("terms", "announces other options than the record's")
    if entry.get("test_clock") != test_clock:
        findings.fail("terms", "announces another test clock than the record's, or one of the two none")
