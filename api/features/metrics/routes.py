"""The metrics of this process, of the database and of the disks, in the format of Prometheus."""

from __future__ import annotations

import math
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from flask import Response
from psycopg import ProgrammingError

from api.context import Context
from api.core import metrics
from api.core.errors import Unavailable
from api.core.metrics import Family
from api.core.release import build
from api.features.metrics import watched
from api.http import auth
from api.http.operation import Operations
from api.store import watch
from api.store.database.encryption import WrongKeys
from api.streams.channels import AWAY
from api.system import ready

READY = "1 if /readyz would answer 200, otherwise 0."

blueprint = Operations("metrics", __name__, tag="system")


@blueprint.GET(
    "/metrics",
    auth.OPERATOR,
    "The metrics, in the text format of Prometheus.",
    checks=True,
    problems=("not-found",),
    produces=("text/plain",),
)
def get_metrics(context: Context) -> Any:
    """Return metrics for Prometheus: requests, moves, what waits; no names, no ids but those of apps."""
    return Response(metrics.exposition(families(context)), content_type=metrics.CONTENT_TYPE)


def families(context: Context) -> list[Family]:
    """Return what the database and the disks know; what is not known is left out."""
    return [family for find in (_ready, _of_database, _of_disks) for family in find(context)]


def _ready(context: Context) -> list[Family]:
    try:
        ready(context)
    except (Unavailable, WrongKeys, *AWAY):
        return [Family("referee_ready", READY, "", {"": 0})]
    return [Family("referee_ready", READY, "", {"": 1})]


def _of_database(context: Context) -> list[Family]:
    try:
        due = watched.due(context.session)
        known, revision = watched.watched(context.session), watch.revision(context.session)
    except (WrongKeys, ProgrammingError, *AWAY):  # the schema may be older
        return []
    return [
        Family("referee_release", "The release that answers.", "release", {build(): 1}),
        Family(
            "referee_schema",
            "Schema of the code and of the database.",
            "of",
            {"code": int(watch.newest()), "database": int(revision or 0)},
        ),
        Family("referee_due", "Work that is due.", "work", {each.work: each.waiting for each in due}),
        Family(
            "referee_due_oldest_seconds",
            "For how long the oldest work has been due.",
            "work",
            {each.work: each.oldest or 0 for each in due},
        ),
        Family("referee_workers", "Job workers that are up.", "", {"": known.workers}),
        Family("referee_web_processes", "Web processes that are up.", "", {"": known.web}),
        Family("referee_database_up_seconds", "Since the start of the database.", "", {"": known.database}),
        *_known("referee_youngest_process_seconds", "Since a process started last.", known.youngest),
        *_known("referee_worker_unseen_seconds", "Since a job worker was last up.", known.unseen),
        *_known("referee_backup_age_seconds", "Since `backup` last wrote a file.", _age(known.backup_age)),
        *_known("referee_restore_age_seconds", "Since `restore --try`.", _age(known.restore_age)),
        Family("referee_log_months_ahead", "Partitions of months to come.", "", {"": known.months_ahead}),
    ]


def _age(seconds: float | None) -> float:
    """Return an age; what never happened is infinitely old, so that an alert tells of it."""
    return math.inf if seconds is None else seconds


def _known(name: str, about: str, number: float | None) -> list[Family]:
    return [] if number is None else [Family(name, about, "", {"": number})]


def _of_disks(context: Context) -> list[Family]:
    """Return the free space of the data directory, if we may see it."""
    directory = context.settings.data_dir
    with suppress(OSError):
        if directory != Path():
            return _known(
                "referee_disk_free_bytes",
                "Free space of the data directory.",
                float(shutil.disk_usage(directory).free),
            )
    return []
