"""The report for a person who has to settle a dispute about a match."""
