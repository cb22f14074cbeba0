"""What is checked of a record, and what was found."""

from referee.verification.findings import CHECKS as CHECKS
from referee.verification.findings import Check as Check
from referee.verification.findings import Report as Report
