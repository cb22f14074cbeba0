"""The course of a log: links between entries, players of seats, and endings."""
