"""Notices: what the entries of the log tell those who listen, found by following the log."""

from api.feature import Feature, Job
from api.features.notices import projection, tables
from api.play.automatic import deadlines

FEATURE = Feature(
    "notices",
    tables=[tables.notice_positions],
    answers=[deadlines.before_warnings.by(projection.announce_all)],
    jobs=[Job(projection.announce_all, 10.0)],  # what nobody was woken for, because a process died
    runners=[lambda settings, contexts: projection.Projector(contexts)],
)
