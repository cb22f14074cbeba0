"""The Flask application, created from settings with all routes and error handlers."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Flask, Request, Response, request
from werkzeug.exceptions import NotFound
from werkzeug.routing import MapAdapter

from api import routes
from api.core.clock import utc_now
from api.core.config import Settings
from api.core.errors import BadRequest
from api.core.resources import PLACES, STREAMS
from api.core.shares import Recallable
from api.feature import Features
from api.features import load_features
from api.http import admission, middleware, problems
from api.http.compute import Compute
from api.http.queue import Delays, FairQueue, Known
from api.http.site import Site
from api.http.tokens import RememberedCallers
from api.http.visits import Visits, visited
from api.store.database.session import Database
from api.streams.channels import Live


@dataclass(frozen=True)
class ServedSite(Site):
    """A site with what its streams follow."""

    live: Live


class Application(Flask):
    """Flask, except that the answer to OPTIONS has no body, hence no type, and no view is a coroutine."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the view itself, so that Flask need not look at it at every request."""
        return func

    def create_url_adapter(self, asked: Request | None) -> MapAdapter | None:
        """Return what finds the route of a request; our routes depend on no host."""
        return None if asked is None else self.url_map.bind_to_environ(asked.environ)

    def full_dispatch_request(self) -> Response:
        """Answer a request when it is admitted."""
        return admission.answer(super().full_dispatch_request, self._problem)

    def _problem(self, error: Exception) -> Response:
        return self.finalize_request(self.handle_user_exception(error))

    def preprocess_request(self) -> None:
        """Refuse a body that programs on the way may disagree about, and that no operation reads."""
        method = request.method
        if method in ("GET", "HEAD") and middleware.has_body(request.environ):
            raise BadRequest({"body": [f"A {method} request has none."]})

    def process_response(self, response: Response) -> Response:
        """Change an answer as `after_request` says; blueprints and sessions, which Flask asks too, do not."""
        for change in reversed(self.after_request_funcs.get(None, ())):
            response = change(response)
        return response

    def dispatch_request(self) -> Any:
        """Answer a request to an address with one slash at its beginning; Werkzeug forgives several."""
        if request.environ["PATH_INFO"].startswith("//"):
            raise NotFound
        return super().dispatch_request()

    def make_default_options_response(self) -> Response:
        """List the methods of the requested path."""
        response = super().make_default_options_response()
        return problems.empty(204, {"Allow": response.headers["Allow"]})


CHECKS, MOST_CHECKS = 2, 100  # requests about the server's health, worked on and waiting


def _silence(settings: Settings, long: bool) -> float:
    """Return how many seconds the database may be silent: fewer than a compute process has for a request."""
    most = settings.database_timeout
    return max(most, 0.8 * settings.compute_timeout) if long else most


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
    app = Application("card-referee", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    database = Database(settings, silence=_silence(settings, passed_on))
    limits = features.limits(settings)
    app.extensions["card_referee"] = ServedSite(
        settings,
        features,
        database,
        clock,
        random_bytes,
        limits,
        compute,
        features.signer(),
        RememberedCallers(),
        Visits(visited),
        FairQueue(PLACES, settings.concurrency, settings.max_waiting),
        FairQueue(PLACES, CHECKS, MOST_CHECKS),
        _streams(settings),
        Delays(),
        Known(),
        Live(database, settings.pool_size),
    )
    if not passed_on:
        middleware.install(app, settings, limits)
    for blueprint in routes.blueprints(features):
        app.register_blueprint(blueprint)
    problems.register(app)
    return app
