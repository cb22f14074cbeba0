"""A caller who was looked up a moment ago reads a game by one statement, which checks its credential."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
import pytest

from api.context import Context
from api.http import conditional
from api.store import games
from api.store.database.session import Session
from api.store.games import GameRow
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.stored import recorded

At = Callable[[Caller], Caller]


@pytest.fixture
def game(host: Caller, four: list[Caller]) -> dict[str, Any]:
    return new_game(host, four[:3])


@pytest.fixture
def mover(game: dict[str, Any], four: list[Caller]) -> Caller:
    return four[game["to_act"][0]]


def paths(game: dict[str, Any]) -> list[str]:
    return [f"/v1/games/{game['id']}{rest}" for rest in ("", "/legal-moves")]


def test_a_read_is_one_statement(
    game: dict[str, Any], mover: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover.get("/v1/me")
    for path in paths(game):
        with recorded(monkeypatch) as statements:
            assert mover.get(path).status_code == 200
        assert len(statements) == 1, statements
        assert "FROM games" in statements[0]


def test_whoever_has_the_newest_state_costs_no_unpacking(
    game: dict[str, Any], mover: Caller, sql: psycopg.Connection
) -> None:
    """The position could not even be read."""
    tags = [mover.get(path).headers["ETag"] for path in paths(game)]
    sql.execute("UPDATE games SET position = 'nonsense', seed = 'nonsense' WHERE id = %s", (game["id"],))
    for path, tag in zip(paths(game), tags, strict=True):
        answer = mover.get(path, headers={"If-None-Match": tag})
        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == tag


def test_a_state_that_this_process_has_is_not_unpacked_again(
    host: Caller, game: dict[str, Any], mover: Caller, elsewhere: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks sees only what it may see; another process may have changed the game since."""
    unpacked: list[str] = []
    opened = games.opened

    def note(session: Session, row: GameRow) -> GameRow:
        unpacked.append(str(row.id))
        return opened(session, row)

    monkeypatch.setattr(games, "opened", note)
    shown = [mover.get(path).json for path in paths(game)]
    assert unpacked == [game["id"]]
    assert [mover.get(path).json for path in paths(game)] == shown
    seen_by_app = host.get(paths(game)[0]).json
    assert (seen_by_app["viewer"]["seats"], shown[0]["viewer"]["seats"]) == ([], game["to_act"])
    assert unpacked == [game["id"]]
    move = {"seat": game["to_act"][0], "move": shown[1]["moves"][0]}
    moved = elsewhere(mover).post(f"{paths(game)[0]}/moves", move)
    assert moved.status_code == 201
    unpacked.clear()
    assert mover.get(paths(game)[0]).json == moved.json["game"]
    assert unpacked == [game["id"]]


def test_a_304_is_for_those_only_who_may_see_the_game(
    game: dict[str, Any], mover: Caller, new_key: Callable[..., Caller]
) -> None:
    stranger = new_key("stranger", "read")
    tag = mover.get(paths(game)[0]).headers["ETag"]
    for given in (tag, "*"):
        for _ in range(2):
            assert stranger.get(paths(game)[0], headers={"If-None-Match": given}).status_code == 404


def test_a_token_that_is_revoked_elsewhere_reads_nothing(
    host: Caller, game: dict[str, Any], mover: Caller, elsewhere: At
) -> None:
    there = elsewhere(mover)
    for path in paths(game):
        assert there.get(path).status_code == 200
    (token,) = host.get(f"/v1/players/{mover.player}/tokens").json["items"]
    tags = [there.get(path).headers["ETag"] for path in paths(game)]
    assert host.delete(f"/v1/players/{mover.player}/tokens/{token['id']}").status_code == 204
    for path, tag in zip(paths(game), tags, strict=True):
        assert there.get(path).status_code == 401
        assert there.get(path, headers={"If-None-Match": tag}).status_code == 401


def test_a_token_that_ends_earlier_now_reads_nothing(
    game: dict[str, Any], mover: Caller, clock: Clock, sql: psycopg.Connection
) -> None:
    assert mover.get(paths(game)[0]).status_code == 200
    sql.execute("UPDATE credentials SET expires_at = %s WHERE player_id = %s", (clock(), mover.player))
    assert mover.get(paths(game)[0]).status_code == 401


def test_what_was_written_at_another_process_is_read(
    host: Caller, game: dict[str, Any], four: list[Caller], elsewhere: At
) -> None:
    path = paths(game)[0]
    for _ in range(6):
        here, there = four[game["to_act"][0]], elsewhere(four[game["to_act"][0]])
        before = there.get(path)
        move = {"seat": game["to_act"][0], "move": first_move(here, game)}
        game = here.post(f"{path}/moves", move).json["game"]
        after = there.get(path, headers={"If-None-Match": before.headers["ETag"]})
        assert after.status_code == 200
        assert after.json["version"] == game["version"]
    host("PATCH", path, {"title": "Final"})
    assert elsewhere(host).get(path).json["title"] == "Final"


def test_the_rematch_of_a_game_that_is_over_is_shown(
    host: Caller, game: dict[str, Any], mover: Caller, elsewhere: At
) -> None:
    """A browser asks with the ETag of the game that it has; the rematch changes no version."""
    path, there = paths(game)[0], elsewhere(mover)
    assert mover.post(f"{path}/resignation").status_code == 201
    tag = there.get(path).headers["ETag"]
    rematch = host.post(f"{path}/rematch")
    after = there.get(path, headers={"If-None-Match": tag})
    assert (after.status_code, after.json["rematch"]) == (200, rematch.json["id"])
    assert there.get(path, headers={"If-None-Match": after.headers["ETag"]}).status_code == 304


def test_a_browser_reads_again_what_a_new_version_may_show_differently(
    game: dict[str, Any], mover: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = [mover.get(path).headers["ETag"] for path in paths(game)]
    monkeypatch.setattr(conditional, "VERSION", "99.0.0")
    for path, tag in zip(paths(game), tags, strict=True):
        assert mover.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_a_read_is_the_visit_that_a_mail_waits_for(
    game: dict[str, Any], mover: Caller, sql: psycopg.Connection, clock: Clock
) -> None:
    site = mover.app.extensions["card_referee"]
    sql.execute(
        "INSERT INTO contacts (player_id, app_id, key) SELECT id, app_id, 'k' FROM players WHERE id = %s",
        (mover.player,),
    )
    assert mover.get(paths(game)[0]).status_code == 200
    asked = "SELECT visited_at FROM contacts WHERE player_id = %s"
    assert sql.execute(asked, (mover.player,)).fetchone() == (None,), "no request waits for it"
    with closing(Session(site.database)) as session:
        context = Context(site.settings, session, site.features.hooks, site.clock)
        site.visits.write(context)
    assert sql.execute(asked, (mover.player,)).fetchone() == (clock(),)
