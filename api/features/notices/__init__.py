"""Notices: what the entries of the log tell those who listen, found by following the log."""

from api.feature import HOUR, SECOND, Due, Feature, Job
from api.features.notices import declared, outbox, projection, tables, warnings
from api.games import deadlines
from api.store import due_work

BEHIND = Due(
    "notices",
    "notice_positions p CROSS JOIN LATERAL (SELECT e.public FROM entries e WHERE e.app_id = p.app_id"
    " AND (e.tick, e.game_id, e.seq) > (p.tick, p.game_id, p.seq)"
    " ORDER BY e.app_id, e.tick, e.game_id, e.seq LIMIT 1) AS first",
    "(first.public::json ->> 'at')::timestamptz",
    cluster=False,
)

FEATURE = Feature(
    "notices",
    tables=[tables.notice_positions, tables.outbox],
    events=declared.EVENTS,
    answers=[deadlines.warned.by(warnings.warn)],
    jobs=[
        Job(projection.announce_all, SECOND, BEHIND),  # when nobody was woken, because a process died
        Job(warnings.warn_all, SECOND, Due("warnings", due_work.OF_SEATS.format("warn_at"), "warn_at")),
        Job(outbox.prune, HOUR),
    ],
    runners=[lambda settings, contexts: projection.Projector(contexts)],
)
