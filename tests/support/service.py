"""Fixtures: an application on a new database, and callers with different rights."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from flask import Flask, Response

from api import routes
from api.app import Application, create_app
from api.callers import app_keys
from api.context import Context
from api.core.clock import new_id
from api.core.config import Settings
from api.feature import Features
from api.features import load_features
from api.http import tokens
from api.store import credentials, players
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock
from tests.support.databases import Owner
from tests.support.due_jobs import keep_time

add_url_rule, blueprints = Application.add_url_rule, routes.blueprints
first: dict[Features, Application] = {}
FOLDER = re.compile(r"^tests/(audit|core(/\w+)?|features/\w+)/")  # who moves is dealt the same cards


def _share_routes(app: Application, *arguments: Any, **more: Any) -> None:
    """Let all applications have the routes of the first: adding them is most of the cost of creating one."""
    own = routes.blueprints is not blueprints  # a test adds some
    features = app.extensions["card_referee"].features
    if own or first.setdefault(features, app) is app:
        add_url_rule(app, *arguments, **more)
    else:
        app.url_map, app.view_functions = first[features].url_map, first[features].view_functions


Application.add_url_rule = _share_routes  # type: ignore[method-assign]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(settings: Settings, clock: Clock, request: pytest.FixtureRequest) -> Iterator[Flask]:
    """Return the application; its randomness differs between tests but is the same in every run of a test."""
    chance = random.Random(FOLDER.sub("tests/api/", request.node.nodeid))
    made = create_app(settings, clock=clock, random_bytes=chance.randbytes)
    made.testing = False
    if settings.mail_from:
        made.after_request(partial(_write_visits, made))
    yield made
    made.extensions["card_referee"].database.close()


def _write_visits(app: Flask, response: Response) -> Response:
    """Write who was here, as a web process does every ten seconds."""
    site = app.extensions["card_referee"]
    with closing(Session(site.database)) as session:
        site.visits.write(Context(site.settings, session, site.features.hooks, site.clock))
    return response


@pytest.fixture
def elsewhere(settings: Settings, clock: Clock, host: Caller) -> Iterator[Callable[[Caller], Caller]]:
    """Return a function that creates the same caller at another web process of the server."""
    app = create_app(settings, clock=clock)
    yield lambda caller: replace(caller, app=app)
    app.extensions["card_referee"].database.close()


@pytest.fixture
def workers_database(settings: Settings) -> Iterator[Database]:
    """Return the database as a job worker uses it, for every app."""
    database = Database(settings.for_worker())
    yield database
    database.close()


@pytest.fixture
def context(settings: Settings, clock: Clock, workers_database: Database) -> Iterator[Context]:
    """Return the context of a worker's jobs."""
    session = Session(workers_database)
    yield Context(settings, session, load_features().hooks, clock)
    session.close()


@pytest.fixture
def worker(context: Context) -> Callable[[], None]:
    """Return a function that does everything due at the clock's time, as a worker would."""
    return lambda: keep_time(context)


@pytest.fixture
def new_key(app: Flask, owner: Owner, settings: Settings) -> Callable[..., Caller]:
    """Return a function that creates an app key: new_key(name, *scopes)."""

    def make(name: str, *scopes: str) -> Caller:
        with owner.at(settings.owner_database_url).begin() as connection:
            _, key = app_keys.create_app_key(connection, name, list(scopes), None)
        return Caller(app, key)

    return make


@pytest.fixture
def host(new_key: Callable[..., Caller]) -> Caller:
    """Return an app key with the scopes read and write."""
    return new_key("host", "read", "write")


@pytest.fixture
def auditor(new_key: Callable[..., Caller], host: Caller) -> Caller:
    """Return a key of the same app with the scope audit."""
    return new_key("host", "read", "audit")


@pytest.fixture
def anyone(app: Flask) -> Caller:
    return Caller(app)


@pytest.fixture
def new_player(host: Caller) -> Callable[[str], Caller]:
    """Return a function that creates a player of `host` and a token for it."""

    def make(name: str, app: Caller = host) -> Caller:
        player = app.post("/v1/players", {"name": name}).json["id"]
        token = app.post(f"/v1/players/{player}/tokens").json["token"]
        return Caller(app.app, token, player)

    return make


@pytest.fixture
def four(host: Caller, clock: Clock) -> list[Caller]:
    """Return four players of `host`, stored directly: many tests use them, and eight requests take time."""
    site = host.app.extensions["card_referee"]
    assert host.token is not None
    session = Session(site.database)
    key = tokens.caller_of(Context(site.settings, session, site.features.hooks, clock), host.token)
    assert key.app_id is not None
    callers = []
    with session.transaction(pipelined=True):
        for name in ("Anna", "Ben", "Cleo", "Dan"):
            player = players.Player(new_id(), name, clock())
            token = tokens.new(tokens.PLAYER_PREFIX, site.random_bytes)
            players.insert(session, player, key.app_id)
            new = credentials.Credential(new_id(), [], clock(), None, parent_id=key.credential_id)
            credentials.insert(session, new, key.app_id, player.id, tokens.digest(token))
            callers.append(Caller(host.app, token, str(player.id)))
    session.close()
    return callers
