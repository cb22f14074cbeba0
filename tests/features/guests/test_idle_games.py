"""Games that nobody plays: those of guests end by themselves, and an operator ends many at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.context import Context
from api.core.config import Settings, StartError
from api.features.guests import guests, idle
from api.features.guests.commands import cancel_one, cancelled
from tests.support.callers import Caller, Clock
from tests.support.partitions import sent

OPEN = [{"open": True}] * 3
PACE = {"per_move": "P14D", "on_timeout": "random_move"}


def test_games_of_guests_in_which_nothing_happens_end(
    app: Flask, host: Caller, clock: Clock, context: Context, sql: psycopg.Connection
) -> None:
    assert idle.end_guests(context) == 0
    open_ = create_app(replace(app.extensions["card_referee"].settings, guests=True), clock=clock)
    made = Caller(open_).post("/v1/guests", {"name": "Anna"}).json
    guest, mine = Caller(open_, made["token"]), {"player": made["player"]["id"]}
    bots = [mine, *[{"bot": "random"}] * 3]
    wanted: list[dict[str, Any]] = [{"seats": [mine, *OPEN]}, {"seats": bots}, {"seats": bots, "pace": PACE}]
    ids = [guest.post("/v1/games", {"ruleset": "pies", **each}).json["id"] for each in wanted]
    apps = host.post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).json["id"]

    def after(days: int) -> list[str]:
        clock.move(days=days)
        idle.end_guests(context)
        found = [sql.execute("SELECT status FROM games WHERE id = %s", [each]).fetchone() for each in ids]
        return [row[0] for row in found if row]

    assert after(days=6) == ["open", "running", "running"]
    assert after(days=2) == ["cancelled", "running", "running"]
    assert guest.post(f"/v1/games/{ids[1]}/messages", {"text": "Wait for me."}).status_code == 201
    assert after(days=29) == ["cancelled", "running", "running"]
    assert after(days=2) == ["cancelled", "cancelled", "running"]
    assert after(days=60) == ["cancelled"] * 3
    assert host.get(f"/v1/games/{apps}").json["status"] == "open"


def test_games_keep_no_name_of_guests_whose_stay_is_over(
    app: Flask, clock: Clock, context: Context, sql: psycopg.Connection
) -> None:
    few = replace(app.extensions["card_referee"].settings, guests=True, max_players=20)
    open_ = create_app(few, clock=clock)
    games = []
    for name in ("Anna", "Bert"):
        made = Caller(open_).post("/v1/guests", {"name": name}).json
        guest = Caller(open_, made["token"])
        seats = [{"player": made["player"]["id"]}, {"bot": "random"}]
        game = guest.post(
            "/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "visibility": "public"}
        ).json
        assert guest.post(f"/v1/games/{game['id']}/messages", {"text": f"{name} is here"}).status_code == 201
        assert guest.post(f"/v1/games/{game['id']}/resignation").status_code == 201
        games.append(game["id"])
    clock.move(days=40)
    guests.erase(context)
    assert "Anna is here" in anybody(open_, games[0])
    assert Caller(open_).post("/v1/guests", {"name": "Cleo"}).status_code == 201
    guests.erase(context)
    for name, game in zip(("Anna", "Bert"), games, strict=True):
        assert name not in anybody(open_, game)
        assert "erased person" in anybody(open_, game)
        assert Caller(open_).get(f"/v1/games/{game}/verification").json["ok"]


@pytest.mark.parametrize("damaged", ['[{"player": {"name": "Anna"}}]', "null"])
def test_a_game_that_cannot_be_read_keeps_no_name_of_a_guest_and_stops_no_other_erasure(
    app: Flask, clock: Clock, context: Context, sql: psycopg.Connection, damaged: str
) -> None:
    open_ = create_app(
        replace(app.extensions["card_referee"].settings, guests=True, max_players=20), clock=clock
    )
    games = []
    for name in ("Anna", "Bert"):
        made = Caller(open_).post("/v1/guests", {"name": name}).json
        guest = Caller(open_, made["token"])
        body = {"ruleset": "pies", "seats": [{"player": made["player"]["id"]}, *OPEN], "visibility": "public"}
        games.append(guest.post("/v1/games", body).json["id"])
        assert guest.delete(f"/v1/games/{games[-1]}/seats/0").status_code == 204
    sql.execute("UPDATE games SET sitting = %s WHERE id = %s", (damaged, games[0]))
    clock.move(days=40)
    assert Caller(open_).post("/v1/guests", {"name": "Cleo"}).status_code == 201
    guests.erase(context)
    left = sql.execute("SELECT share FROM words UNION SELECT sitting FROM games").fetchall()
    assert not any(name in text for name in ("Anna", "Bert") for (text,) in left)


def test_erasing_guests_reads_nothing_of_those_who_were_erased(
    context: Context, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql.execute("INSERT INTO apps (id, name, created_at) VALUES (gen_random_uuid(), 'guests', now())")
    sql.execute(
        "INSERT INTO players (id, app_id, name, created_at, deleted_at)"
        " SELECT gen_random_uuid(), id, '', now(), now() FROM apps, generate_series(1, 3000)"
    )
    sql.execute("ANALYZE players")
    with sent(monkeypatch) as statements:
        guests.erase(context)
    looks = [each for each in statements if "FROM players" in each.text]
    for each in looks:
        plan = "\n".join(row[0] for row in sql.execute(f"EXPLAIN {each.text}", each.values))  # type: ignore[call-overload]
        assert "Index" in plan, plan
        assert "Seq Scan" not in plan, plan
    assert len(looks) == 1


def anybody(app: Flask, game: str) -> str:
    """Return everything that somebody without a token reads of a game."""
    path = f"/v1/games/{game}"
    return "".join(Caller(app).get(each).text for each in (path, f"{path}/events", f"{path}/record"))


def test_an_operator_ends_many_games_at_once(
    app: Flask, host: Caller, settings: Settings, new_key: Callable[..., Caller]
) -> None:
    other = new_key("other", "read", "write")
    game = {"ruleset": "pies", "seats": [{"open": True}] * 4}
    [kept, *ended] = [caller.post("/v1/games", game).json["id"] for caller in (other, host, host)]
    assert list(cancelled(settings, "host", timedelta(days=36_500))) == []
    said = list(cancelled(settings, "host", timedelta(microseconds=1)))
    assert sorted(map(str, said)) == sorted(ended)
    assert [host.get(f"/v1/games/{each}").json["status"] for each in ended] == ["cancelled"] * 2
    assert other.get(f"/v1/games/{kept}").json["status"] == "open"
    with pytest.raises(StartError, match="no app"):
        list(cancelled(settings, "nobody", timedelta(days=1)))


def test_an_operator_ends_any_game(host: Caller, settings: Settings) -> None:
    game = host.post("/v1/games", {"ruleset": "pies", "seats": [{"bot": "random"}, *OPEN]}).json["id"]
    cancel_one(settings, UUID(game))
    last = host.get(f"/v1/games/{game}/events").json["items"][-1]
    assert (last["type"], last["by"]) == ("cancelled", "operator")
    with pytest.raises(StartError, match="cannot be cancelled: The game is over"):
        cancel_one(settings, UUID(game))
    with pytest.raises(StartError, match="There is no game"):
        cancel_one(settings, UUID(int=7))
