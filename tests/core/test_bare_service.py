"""The service without any feature: what the core is for. Read this first.

An app creates players and a game, bots and players play it, everybody sees only what they may, the log can be
followed, exported and verified. Whatever else the service can do is a feature, and each can be left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

import api
import referee
from api.app import create_app
from api.context import Context
from api.core.config import ConfigError, Settings
from api.feature import Features
from api.features import NAMES, load_features
from api.routes import operations
from api.run.cli import cli
from api.run.worker import CLOCKWORK
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, first_move, log, new_game, play_on

BARE = Features()
FOLDER = Path(api.__file__).parent / "features"


@pytest.fixture
def features() -> Features:
    """Return the features of the service: none, unless a test says which."""
    return BARE


@pytest.fixture
def app(settings: Settings, clock: Clock, features: Features) -> Iterator[Flask]:
    """Return the service with these features."""
    made = create_app(settings, clock=clock, features=features)
    yield made
    made.extensions["card_referee"].database.close()


@pytest.fixture
def worker(
    settings: Settings, workers_database: Database, clock: Clock, features: Features
) -> Iterator[Callable[[], None]]:
    """Return a function that does what a worker with these features does, once."""
    session = Session(workers_database)
    context = Context(settings, session, features.hooks, clock)
    yield lambda: [job.work(context) for job in (*CLOCKWORK, *features.jobs)] and None
    session.close()


def test_players_play_a_game_and_prove_it(host: Caller, four: list[Caller], anyone: Caller) -> None:
    game = new_game(host, four[:2], title="Final")
    assert four[0].get(f"/v1/games/{game['id']}").json["viewer"]["seats"] == [0]
    assert anyone.get(f"/v1/games/{game['id']}").status_code == 404, "it is private"

    wrong = four[game["to_act"][0]].post(f"/v1/games/{game['id']}/moves", {"move": {"type": "nonsense"}})
    assert (wrong.status_code, wrong.json["verdict"]["rule"]) == (422, "common.unknown_move")

    over = play_on(four, game)
    assert over["status"] == "finished"
    entries = log(host, over)
    assert [entry["seq"] for entry in entries] == [*range(1, over["version"] + 1)]

    record = host.get(f"/v1/games/{game['id']}/record").json
    assert referee.verify(record).ok
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    earlier = host.get(f"/v1/games/{game['id']}?version=2").json
    assert earlier["version"] == 2


@pytest.mark.parametrize("ruleset", [rules.ID for rules in referee.newest()])
def test_bots_play_every_game(host: Caller, ruleset: str, worker: Callable[[], None]) -> None:
    seats = min(referee.find(ruleset).SEATS)
    game = host.post("/v1/games", {"ruleset": ruleset, "seats": [{"bot": "random"}] * seats}).json
    worker()
    game = host.get(f"/v1/games/{game['id']}").json
    assert game["status"] == "finished" or game["version"] > 100
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]


def test_what_is_not_there_is_refused_or_not_found(host: Caller, four: list[Caller]) -> None:
    wanted = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 2}
    refused = host.post("/v1/games", {**wanted, "test_clock": "0190a0a0-0000-7000-8000-000000000000"})
    assert (refused.status_code, [*refused.json["errors"]]) == (400, ["test_clock"])
    for path in ("/v1/webhooks", "/openapi.yaml", "/docs"):
        assert host.app.test_client().get(path).status_code == 404
    assert host.get("/v1/me").json["type"] == "app"
    deleted = host.delete(f"/v1/players/{four[3].player}")
    assert deleted.status_code == 204


def test_games_of_a_feature_that_was_left_out_later_stand_still(
    settings: Settings, clock: Clock, host: Caller, four: list[Caller]
) -> None:
    """Moves on a clock that is not there are refused, orders are not played, and no process is occupied."""
    whole = create_app(settings, clock=clock)
    before = replace(host, app=whole)
    test_clock = before.post("/v1/test-clocks", {}).json["id"]
    clocked = new_game(before, four[:2], test_clock=test_clock)
    mover = four[clocked["to_act"][0]]
    refused = mover.post(f"/v1/games/{clocked['id']}/moves", {"move": first_move(mover, clocked)})
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict")

    game = new_game(before, four[:2])
    first, second = game["to_act"][0], 1 - game["to_act"][0]
    held = four[second].get(f"/v1/games/{game['id']}").json["view"]["zones"][f"hand.{second}"]
    orders = {"orders": [{"move": {"type": "play", "card": held[0]}}]}
    assert replace(four[second], app=whole).put(f"/v1/games/{game['id']}/orders", orders).status_code == 200
    done = four[first].post(f"/v1/games/{game['id']}/moves", {"move": first_move(four[first], game)})
    assert done.status_code == 201
    whole.extensions["card_referee"].database.close()


def without(name: str) -> set[str]:
    """Return the names of a feature and of all that need it."""
    gone = {name}
    while more := {each.name for each in load_features().chosen if gone & {*each.needs}} - gone:
        gone |= more
    return gone


def rest_of(gone: set[str]) -> Features:
    """Return all features but these."""
    return load_features(*(each for each in NAMES if each not in gone))


@pytest.mark.parametrize("features", [rest_of(without(name)) for name in NAMES], ids=NAMES)
def test_the_core_does_its_work_without_a_feature(
    host: Caller, four: list[Caller], anyone: Caller, worker: Callable[[], None]
) -> None:
    test_players_play_a_game_and_prove_it(host, four, anyone)
    test_bots_play_every_game(host, "cats_and_dogs", worker)


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_can_be_left_out(name: str) -> None:
    """With it go the features that need it; nothing of them is left in the service."""
    gone = without(name)
    rest, removed = rest_of(gone), load_features(*gone)
    of_gone = {
        id_ for each in removed.chosen if each.name in gone for id_ in operations(Features([_alone(each)]))
    } - {*operations(BARE)}
    assert not of_gone & {*operations(rest)}
    jobs = {job.work for each in removed.chosen if each.name in gone for job in each.jobs}
    assert not jobs & {job.work for job in rest.jobs}


def _alone(feature: Any) -> Any:
    return type(feature)(feature.name, routes=feature.routes)


def test_features_import_only_those_that_they_need() -> None:
    for feature in load_features().chosen:
        used = {
            module.split(".")[2]
            for file in (FOLDER / feature.name).glob("*.py")
            for module in _imports(file)
            if module.startswith("api.features.")
        }
        assert used & {*NAMES} - {feature.name} <= {*feature.needs}, feature.name


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_settings_choose_features_and_those_bring_what_they_need(settings: Settings, clock: Clock) -> None:
    chosen = Settings.from_env({"FEATURES": "mail, lobby"}).features
    app = create_app(replace(settings, features=chosen), clock=clock)
    site = app.extensions["card_referee"]
    needed = ["stateless", "notices", "mail", "lobby", "site", "specification"]
    assert site.features.names == needed
    site.database.close()
    with pytest.raises(ConfigError, match="FEATURES names 'wishes'"):
        Settings.from_env({"FEATURES": "lobby,wishes"})
    for words in (["--help"], ["apps", "delete"], ["no-such-command"]):
        said = CliRunner(env={"FEATURES": "lobby,wishes"}).invoke(cli, words).exception
        assert "FEATURES names 'wishes'" in str(said)
    with pytest.raises(ValueError, match="webhooks needs notices"):
        Features([each for each in load_features().chosen if each.name == "webhooks"])
