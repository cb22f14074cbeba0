"""The report for a person who has to settle a dispute about a match."""

from referee.dispute.page import dispute_report as dispute_report
