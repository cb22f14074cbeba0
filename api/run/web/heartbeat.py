"""Says regularly that this web process is up, so that the service knows of its outages afterwards."""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing, suppress
from itertools import count
from uuid import UUID, uuid5

import psycopg
from flask import Flask

from api.app import ServedSite
from api.core import metrics
from api.core.metrics import DATABASE
from api.games import outages
from api.run.reaching import words
from api.store import watch
from api.store.database.session import Session

EVERY = 5.0  # seconds
VISITS = 2  # beats; mails wait ten minutes for a visit
LAST_WORDS = 1.0  # seconds


def start(app: Flask) -> None:
    """Begin to beat; until the first time, requests that depend on it ask the database themselves."""
    site: ServedSite = app.extensions["card_referee"]
    site.database.heartbeat.beats = True
    threading.Thread(target=_run, args=(site,), daemon=True).start()


def end(site: ServedSite) -> None:
    """Write that this web process ends, and who was here, if the database answers soon."""
    with suppress(Exception), closing(Session(site.database)) as session:
        session.expect_within(LAST_WORDS)
        _write_visits(site, session)
        watch.forget_process(session, _id())


def _id() -> UUID:
    """Return the id of this process: another one than that of the process that forked it."""
    return uuid5(watch.OWN_ID, str(os.getpid()))


def _run(site: ServedSite) -> None:
    for beat in count():
        try:
            with closing(Session(site.database)) as session:
                outages.beat(site.context(session))
                watch.record_process(session, watch.WEB, _id())
                if beat % VISITS == 0:
                    _write_visits(site, session)
            DATABASE.worked()
        except psycopg.errors.DiskFull:
            pass  # which readiness reports
        except Exception as error:
            DATABASE.failed(_reason(site, error))
        metrics.measure_memory()
        for state, number in site.database.counted().items():
            metrics.connections.labels(state).set(number)
        metrics.waiting.set(site.queue.waiting)
        time.sleep(EVERY)


def _write_visits(site: ServedSite, session: Session) -> None:
    site.visits.write(site.context(session))
    site.live.followers.write(site.context(session))


def _reason(site: ServedSite, error: Exception) -> str:
    """Return why the database fails, in its own words: the pool only knows that no connection came."""
    try:
        site.database.connect().close()
    except psycopg.Error as found:
        return words(found)
    return words(error) if isinstance(error, psycopg.OperationalError) else type(error).__name__
