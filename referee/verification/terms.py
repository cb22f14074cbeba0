"""Compares the terms in a log with those of its record."""

from typing import Any

from referee.engine.chance import commitment
from referee.engine.jsontext import same
from referee.engine.loading import read_options
from referee.engine.ruleset import Ruleset
from referee.log.known import unknown_in_record
from referee.log.members import MEMBERS
from referee.log.record import Record
from referee.verification.findings import Findings

DEALT, IMPORTED = "dealt", "imported"
TESTED = "a test game: its app has set what time it is, and no time in the log is a real one"


def check_head(data: dict[str, Any], findings: Findings) -> None:
    """Check that a record, apart from its log, has only known members.

    For a game on a test clock, the report says that its times are not real.
    """
    if (unknown := unknown_in_record(data)) is not None:
        findings.fail("members", unknown)
    origin = data.get("origin")
    is_strange = data.get("imported_by") and origin != IMPORTED
    if origin not in (None, DEALT, IMPORTED) or is_strange:
        findings.fail("members", "says otherwise than a record does where the game came from")
    if (clock := data.get("test_clock")) is not None:
        if not MEMBERS["test_clock"].kind.accepts(clock):
            findings.fail("members", "names a test clock that is none")
        findings.confirm("test_clock", TESTED)


def check_commitment(data: dict[str, Any], seed: bytes | None, published: object, findings: Findings) -> None:
    """Check that the published commitment is the record's, and the seed's if the seed is known."""
    if data.get("commitment", published) != published:
        findings.fail("commitment", "the record names another commitment than this entry")
    elif seed is not None and commitment(seed) != published:
        findings.fail("commitment", "the seed does not hash to the commitment that was published")


def check_terms(
    entry: dict[str, Any], rules: Ruleset[Any], record: Record, data: dict[str, Any], findings: Findings
) -> None:
    """Check that the first entry has the ruleset, seats, options, test clock and source of the record."""
    due = {"ruleset": rules.ID, "ruleset_version": rules.VERSION, "seats": record.seats}
    if ("imported_by" in entry) != (type(entry.get("origin")) is str):
        findings.fail("terms", "says that the game was imported, or by whom, not both")
    for key, value in due.items():
        if not same(entry.get(key), value):
            findings.fail("terms", f"announces another {key} than the record's {value}")
    whole = read_options(rules, record.seats, record.options)[1]  # with options that are newer than the game
    if not any(same(entry.get("options"), options) for options in (whole, record.options)):
        findings.fail("terms", "announces other options than the record's")
    if entry.get("test_clock") != data.get("test_clock"):
        findings.fail("terms", "announces another test clock than the record's, or one of the two none")
