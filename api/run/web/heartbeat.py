"""Says regularly that this web process is up, so that the service knows of its outages afterwards."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import closing

from flask import Flask

from api.app import Site
from api.context import Context
from api.play.automatic import outages
from api.store.database.session import Session

EVERY = 5.0  # seconds

log = logging.getLogger(__name__)


def start(app: Flask) -> None:
    """Begin to beat; until the first time, requests that depend on it ask the database themselves."""
    site: Site = app.extensions["card_referee"]
    site.database.heartbeat.beats = True
    threading.Thread(target=_run, args=(site,), daemon=True).start()


def _run(site: Site) -> None:
    while True:
        try:
            with closing(Session(site.database)) as session:
                outages.beat(Context(site.settings, session, site.features.hooks, site.clock))
        except Exception as error:
            log.debug("the database does not answer: %s", type(error).__name__)
        time.sleep(EVERY)
