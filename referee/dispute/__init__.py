"""The report for whoever has to decide an argument about a match."""

from referee.dispute.page import report

__all__ = ["report"]
