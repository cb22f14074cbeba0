"""The Flask application, created from settings with all routes and error handlers."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from flask import Flask

from api import routes
from api.context import ReceiptSigner
from api.core.clock import utc_now
from api.core.config import Settings
from api.core.resources import PLACES, STREAMS
from api.core.shares import Recallable
from api.feature import Features, RateLimits
from api.features import load_features
from api.http import hooks, problems
from api.http.compute import Compute
from api.http.queue import Delays, FairQueue, Known
from api.http.tokens import RememberedCallers, Visits, visited
from api.store.database.session import Database
from api.streams.channels import Live


@dataclass(frozen=True)
class Site:
    """What the requests of one process share."""

    settings: Settings
    features: Features
    database: Database
    live: Live
    clock: Callable[[], datetime]
    random_bytes: Callable[[int], bytes]
    limits: RateLimits | None
    compute: Compute | None
    signer: ReceiptSigner | None
    remembered: RememberedCallers
    visits: Visits[UUID]
    queue: FairQueue
    checks: FairQueue
    streams: Recallable
    delays: Delays
    known: Known


CHECKS, MOST_CHECKS = 2, 100  # requests about the server's health, worked on and waiting


def _silence(settings: Settings, long: bool) -> float:
    """Return how many seconds the database may be silent: fewer than a compute process has for a request."""
    most = settings.database_timeout
    return max(most, 0.8 * settings.compute_timeout) if long else most


def _queue(settings: Settings) -> FairQueue:
    """Return the queue of all requests."""
    return FairQueue(PLACES, settings.concurrency, settings.max_waiting)


def _streams(settings: Settings) -> Recallable:
    """Return the streams of one of the web processes."""
    part = math.ceil(settings.max_streams / settings.workers)
    return Recallable(STREAMS, min(part, settings.worker_connections // 2))


def create_app(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = utc_now,
    random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    features: Features | None = None,
    compute: Compute | None = None,
    passed_on: bool = False,
) -> Flask:
    """Create the application of one process; it connects to the database when first needed.

    `features` are those of the settings, unless others are given. Time and randomness enter only through
    `clock` (an aware time) and `random_bytes`. With `compute`, long requests are forwarded; an application
    with `passed_on` receives these, already counted and logged.
    """
    features = load_features(*settings.features) if features is None else features
    app = hooks.Application("card-referee", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    database = Database(settings, silence=_silence(settings, passed_on))
    limits = features.limits(settings)
    live = Live(database, settings.pool_size)
    app.extensions["card_referee"] = Site(
        settings,
        features,
        database,
        live,
        clock,
        random_bytes,
        limits,
        compute,
        features.signer(),
        RememberedCallers(),
        Visits(visited),
        _queue(settings),
        FairQueue(PLACES, CHECKS, MOST_CHECKS),
        _streams(settings),
        Delays(),
        Known(),
    )
    if not passed_on:
        hooks.install(app, settings, limits)
    for blueprint in routes.blueprints(features):
        app.register_blueprint(blueprint)
    problems.register(app)
    return app
