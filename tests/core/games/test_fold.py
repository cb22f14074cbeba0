"""A game as it was shown after each operation is what its log gives for that version later."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from werkzeug.test import TestResponse

from api.context import Context
from api.features import load_features
from api.games import history
from api.games.loading import load
from api.store.database.session import Session
from tests.support.callers import Caller, Clock
from tests.support.everything import Played, direct, late, others

GAME = re.compile(r"/v1/games/([0-9a-f-]{36})")
# What is not in the log: a game has it as it is now, in all its versions.
OUTSIDE = {"title", "rematch", "metadata", "labels", "external_id"}

Shown = dict[tuple[str, Caller, int], Any]


@pytest.fixture
def shown(
    monkeypatch: pytest.MonkeyPatch, host: Caller, auditor: Caller, anyone: Caller, four: list[Caller]
) -> Shown:
    """Return what everybody sees of a game after each operation on it: by game, caller and version."""
    seen: Shown = {}
    call = Caller.__call__

    def note(caller: Caller, method: str, path: str, *rest: Any, **more: Any) -> TestResponse:
        done = call(caller, method, path, *rest, **more)
        if method == "GET" or done.status_code >= 300:
            return done
        found = GAME.match(path) if path != "/v1/games" else GAME.match(f"{path}/{done.json['id']}")
        for viewer in (host, auditor, anyone, *four) if found else ():
            now = call(viewer, "GET", found[0])
            if now.status_code == 200:
                seen[found[1], viewer, now.json["version"]] = now.json
        return done

    monkeypatch.setattr(Caller, "__call__", note)
    return seen


def test_every_version_stays_as_it_was_shown(
    shown: Shown,
    host: Caller,
    auditor: Caller,
    anyone: Caller,
    four: list[Caller],
    clock: Clock,
    worker: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    direct(host, late(host, four, clock, worker))
    Played(host, auditor, four, clock).everything()
    others(host, four, anyone)
    assert len({game for game, _, _ in shown}) >= 5
    assert len({(game, version) for game, _, version in shown}) >= 30
    assert_snapshots_change_nothing(host, {game for game, _, _ in shown}, monkeypatch)
    for (game, viewer, version), then in shown.items():
        answer = viewer.get(f"/v1/games/{game}?version={version}")
        now = answer.json
        if answer.status_code == 404 or (then["viewer"]["seats"] and not now["viewer"]["seats"]):
            continue  # whoever has left a seat sees what anybody sees
        for seat in (*then["seats"], *now["seats"]):
            for name in ("invite", "join_url"):  # a seat that was left has new ones, in all versions
                seat.pop(name, None)
        for name in then.keys() - OUTSIDE:
            assert now[name] == then[name], f"{name} of version {version}, as {viewer.player}"


def assert_snapshots_change_nothing(host: Caller, games: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Fold every log from its beginning, and again from a snapshot before each entry."""
    site = host.app.extensions["card_referee"]
    session = Session(site.database, UUID(host.get("/v1/me").json["app"]["id"]))
    context = Context(site.settings, session, load_features().hooks, site.clock, site.random_bytes)
    for game in (load(context, UUID(game)) for game in games):
        versions = range(1, game.version + 1)
        monkeypatch.setattr(history, "EVERY", 10_000)
        whole = [history._kept(history._fold(context, game, version)) for version in versions]
        monkeypatch.setattr(history, "EVERY", 1)
        assert [history._kept(history._fold(context, game, version)) for version in versions] == whole
        assert [history._kept(history._fold(context, game, version)) for version in versions] == whole
    monkeypatch.undo()
    session.close()
