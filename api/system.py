"""What tells of the service itself: health, metrics, the keys of its receipts."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from flask import Response
from psycopg import ProgrammingError

from api.callers.shapes import Health
from api.context import Context
from api.core import metrics
from api.core.errors import DISK_FULL, Unavailable
from api.core.metrics import Family
from api.core.release import release
from api.games import receipts
from api.games.entries import LogKeyList
from api.http import auth
from api.http.operation import Operations
from api.http.queries import KeysForGame
from api.store import due_work, watch
from api.store.database.encryption import WrongKeys
from api.streams.channels import AWAY

READY = "1 if /readyz would answer 200, otherwise 0."
WITHIN = 2.5  # seconds in which the database answers, or we say that it does not


def ready(context: Context) -> dict[str, str]:
    """Return that the service is ready. Raises Unavailable if the disk is full or the schema does not fit.

    A process that does not have the database's newest key cannot use the database at all: WrongKeys.

    A newer schema is accepted if it still fits: during a rollout, the migrations run first, and they keep
    what the previous release needs. Where a write found the disk full, another one is tried here.
    """
    session = context.session
    session.expect_within(WITHIN)
    revision, own = watch.revision(session) or "", watch.newest()
    if revision < own:
        raise Unavailable("The database's schema is older than this release needs; run: referee-api migrate.")
    if revision > own and own < watch.oldest_code(session):
        raise Unavailable("A newer release has changed the database; this one no longer works with it.")
    if session.disk_is_full and not session.finds_space():
        raise Unavailable(DISK_FULL)
    return {"status": "ok"}


def watched(context: Context) -> list[Family]:
    """Return what the database and the disks know; what is not known is left out."""
    return [family for find in (_ready, _of_database, _of_replica, _of_disks) for family in find(context)]


def _ready(context: Context) -> list[Family]:
    try:
        ready(context)
    except (Unavailable, WrongKeys, *AWAY):
        return [Family("referee_ready", READY, "", {"": 0})]
    return [Family("referee_ready", READY, "", {"": 1})]


def _of_database(context: Context) -> list[Family]:
    try:
        depths, due = due_work.depths(context.session), watch.due(context.session)
        seen, revision = watch.watched(context.session), watch.revision(context.session)
    except (WrongKeys, ProgrammingError, *AWAY):  # the schema may be older
        return []
    return [
        Family("referee_release", "The release that answers.", "release", {release(): 1}),
        Family(
            "referee_schema",
            "Schema of the code and of the database.",
            "of",
            {"code": int(watch.newest()), "database": int(revision or 0)},
        ),
        Family("referee_queue_depth", "What waits for the job worker.", "queue", depths),
        Family("referee_due", "Work that is due.", "work", {each.work: each.waiting for each in due}),
        Family(
            "referee_due_oldest_seconds",
            "For how long the oldest work has been due.",
            "work",
            {each.work: each.oldest or 0 for each in due},
        ),
        Family("referee_workers", "Job workers that are up.", "", {"": seen.workers}),
        Family("referee_web_processes", "Web processes that are up.", "", {"": seen.web}),
        Family("referee_database_up_seconds", "Since the start of the database.", "", {"": seen.database}),
        *_known("referee_youngest_process_seconds", "Since a process started last.", seen.youngest),
        *_known("referee_worker_unseen_seconds", "Since a job worker was last up.", seen.unseen),
        *_known("referee_backup_age_seconds", "Since `backup` last wrote a file.", seen.backup_age),
        Family("referee_log_months_ahead", "Partitions of months to come.", "", {"": seen.months_ahead}),
    ]


def _known(name: str, about: str, number: float | None) -> list[Family]:
    return [] if number is None else [Family(name, about, "", {"": number})]


def _of_replica(context: Context) -> list[Family]:
    with context.session.replica() as replica:
        lag = None if replica is None else watch.replica_lag(replica)
    return _known("referee_replica_lag_seconds", "How far the replica is behind.", lag)


def _of_disks(context: Context) -> list[Family]:
    """Return the free space of the directories of this machine that we write to and may see."""
    free = {}
    for name in ("data_dir", "archive_dir"):
        directory = getattr(context.settings, name)
        with suppress(OSError):
            if directory and directory != Path():
                free[name] = float(shutil.disk_usage(directory).free)
    return [Family("referee_disk_free_bytes", "Free space.", "directory", free)] if free else []


SYSTEM = Operations("system", __name__, "For operators.")


@SYSTEM.GET("/healthz", auth.ANYBODY, Health, checks=True)
def healthz(context: Context) -> Any:
    """Check that the process is alive."""
    return {"status": "ok"}


@SYSTEM.GET("/readyz", auth.ANYBODY, Health, checks=True)
def readyz(context: Context) -> Any:
    """Check that the service is ready: the database answers, has disk space and the right schema."""
    return ready(context)


@SYSTEM.GET(
    "/metrics",
    auth.OPERATOR,
    "The metrics, in the text format of Prometheus.",
    checks=True,
    problems=("not-found",),
    produces=("text/plain",),
)
def get_metrics(context: Context) -> Any:
    """Return metrics for Prometheus: requests, moves, subscribers, queues; no names, no ids."""
    return Response(metrics.exposition(watched(context)), content_type=metrics.CONTENT_TYPE)


@SYSTEM.GET("/v1/log-keys", auth.ANYBODY, LogKeyList, query=KeysForGame)
def list_log_keys(context: Context, query: dict[str, Any]) -> Any:
    """List the current and former keys that sign receipts, newest first.

    A receipt is a C2SP checkpoint (`c2sp.org/tlog-checkpoint`): its origin is the key's name, a slash and the
    game's id. `referee verify --receipts` compares receipts with a record.
    """
    # The game is for a proxy in front of several cells, which has passed the request on by it.
    return receipts.listing(context)
