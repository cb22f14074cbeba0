"""Webhooks of one game, the data that they can include, and notices to others about a webhook."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

import referee.records
from api.context import Context
from api.features.notices import outbound
from api.features.webhooks import deliveries
from api.games.events import EVENTS
from tests.receiver import Receiver
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.webhooks import hook, listed, move, receiver, settings, work

__all__ = ["receiver", "settings"]  # fixtures

BOTS = [{"bot": "random"}, {"bot": "random"}]


def refuse(*_: Any) -> None:
    raise outbound.Refused("It leads inside.")


def shown(host: Caller, webhook: dict[str, Any]) -> Any:
    return host.get(f"/v1/webhooks/{webhook['id']}").json


def test_a_webhook_of_one_game_gets_only_its_notices_and_ends_with_it(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    game, other = new_game(host, four[:2]), new_game(host, four[2:])
    bound = hook(host, receiver, game=game["id"], external_id="table-7")
    assert (bound["game"], bound["ended_at"]) == (game["id"], None)
    everything = hook(host, receiver, events=["webhook.ended"])
    move(four, game)
    move(four[2:], other)
    host.post(f"/v1/games/{other['id']}/resignation", {"seat": 0})
    host.post(f"/v1/games/{game['id']}/resignation", {"seat": 0})
    host.post(f"/v1/games/{game['id']}/messages", {"seat": 0, "text": "It was a pleasure."})
    work(context)
    sent = listed(host, bound)
    assert {delivery["game"] for delivery in sent} == {game["id"]}
    assert [d["event"] for d in reversed(sent)] == ["turn.began", "game.resigned", "game.finished"]
    assert {delivery["status"] for delivery in sent} == {"delivered"}
    assert shown(host, bound)["ended_at"] is not None

    [ended] = listed(host, everything)
    about = {"webhook": bound["id"], "game": game["id"], "url": bound["url"], "metadata": {}}
    data = ended["payload"]["data"]
    assert data == data | about | {"external_id": "table-7"}
    assert [h["id"] for h in host.get(f"/v1/webhooks?game={game['id']}").json["items"]] == [bound["id"]]
    late = host.post("/v1/webhooks", {"url": receiver.url, "game": game["id"]})
    assert (late.status_code, late.json["type"]) == (409, "/problems/game-over")


def test_a_webhook_can_be_created_with_a_game_and_gets_its_first_entry(
    host: Caller, receiver: Receiver, context: Context
) -> None:
    wanted = {"ruleset": "cats_and_dogs", "seats": BOTS}
    wanted["webhook"] = {"url": receiver.url + "/in", "events": [*EVENTS], "include": ["entry"]}
    key = {"Idempotency-Key": "k1"}
    made = host.post("/v1/games", wanted, headers=key)
    assert made.status_code == 201, made.text
    again = host.post("/v1/games", wanted, headers=key)
    assert (again.headers["Idempotency-Replayed"], again.json) == ("true", made.json)
    game, webhook = made.json, made.json["webhook"]
    assert webhook["secret"].startswith("whsec_")
    assert webhook["game"] == game["id"]
    assert "webhook" not in host.get(f"/v1/games/{game['id']}").json
    work(context)
    assert webhook == shown(host, webhook) | {"secret": webhook["secret"]}
    entries = [event["data"]["entry"] for event in receiver.events(once=False)]
    assert entries == host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    assert entries[-1]["type"] == "finished"


def test_an_included_entry_is_what_everybody_sees(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    """With `entry`, a copy of the log needs nothing else; it does not include what only a seat sees."""
    hook(host, receiver, events=[*EVENTS], include=["entry"])
    plain = hook(host, receiver, events=["game.moved", "game.started"])
    game = play_on(four, new_game(host, four, ruleset="dog_cards"), 6)
    four[0].post(f"/v1/games/{game['id']}/messages", {"text": "Hello"})
    work(context)
    entries = [event["data"]["entry"] for event in receiver.events() if "entry" in event["data"]]
    log = host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    assert sorted(entries, key=lambda entry: entry["seq"]) == log
    seen = four[0].get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    assert any("private" in entry for entry in seen)
    assert not any("private" in entry for entry in entries)
    digest = bytes(32)
    for entry in log:
        digest = referee.records.chain(
            digest, {n: v for n, v in entry.items() if n not in ("hash", "private")}
        )
        assert digest.hex() == entry["hash"]
    assert all("entry" not in delivery["payload"]["data"] for delivery in listed(host, plain))


def test_other_webhooks_get_notices_of_every_change_of_a_webhook(
    host: Caller, receiver: Receiver, context: Context
) -> None:
    watcher = hook(host, receiver)
    wanted = {"external_id": "h1", "metadata": {"team": "red"}, "events": ["turn.began"]}
    watched = hook(host, receiver, **wanted)
    path = f"/v1/webhooks/{watched['id']}"
    host("PATCH", path, {"events": ["game.finished"], "metadata": {"team": "blue"}})
    host("PATCH", path, {"events": ["game.finished"]})  # this changes nothing
    host("PATCH", path, {"enabled": False})
    host("PATCH", path, {"enabled": False})
    host("PATCH", path, {"enabled": True})
    host.post(f"{path}/secret")
    assert host.delete(path).status_code == 204
    assert host.delete(path).status_code == 404
    work(context)
    about = {
        "webhook": watched["id"],
        "url": watched["url"],
        "external_id": "h1",
        "metadata": {"team": "blue"},
    }
    events = [(event["type"], event["data"]) for event in receiver.events(once=False)]
    assert events == [
        ("webhook.created", about | {"metadata": {"team": "red"}}),
        ("webhook.changed", about | {"changed": ["events", "metadata"]}),
        ("webhook.disabled", about | {"reason": "asked"}),
        ("webhook.enabled", about),
        ("webhook.secret_replaced", about),
        ("webhook.deleted", about),
    ]
    assert {delivery["game"] for delivery in listed(host, watcher)} == {None}


def test_who_may_create_a_webhook_for_which_game(
    host: Caller, four: list[Caller], receiver: Receiver, new_key: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game(host, four[:2], visibility="public")
    stranger = new_key("stranger", "read", "write")
    assert stranger.post("/v1/webhooks", {"url": receiver.url, "game": game["id"]}).status_code == 404
    for url in ("http://u:p@example.org", receiver.url):
        with monkeypatch.context() as patched:
            patched.setattr(outbound, "check", refuse)
            inside = {"ruleset": "cats_and_dogs", "seats": BOTS, "webhook": {"url": url}}
            refused = host.post("/v1/games", inside)
        assert (refused.status_code, [*refused.json["errors"]]) == (400, ["webhook.url"])
    for number in range(6):
        made = host.post("/v1/webhooks", {"url": receiver.url, "game": game["id"]})
        assert made.status_code == (201 if number < 5 else 409)
    taken = {"url": receiver.url, "external_id": "one"}
    assert host.post("/v1/webhooks", taken).status_code == 201
    again = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": BOTS, "webhook": taken})
    assert (again.status_code, again.json["type"]) == (409, "/problems/external-id-taken")
    assert len(host.get("/v1/games").json["items"]) == 1, "nothing of a refused game is stored"


def test_webhooks_of_games_do_not_count_for_the_app_and_are_deleted_with_their_deliveries(
    host: Caller,
    receiver: Receiver,
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.features.webhooks.webhooks.MOST", 1)
    kept = hook(host, receiver)
    made = host.post(
        "/v1/games", {"ruleset": "cats_and_dogs", "seats": BOTS, "webhook": {"url": receiver.url}}
    )
    assert made.status_code == 201
    work(context)
    clock.move(days=29)
    deliveries.prune(context)
    assert shown(host, made.json["webhook"])["ended_at"]
    clock.move(days=2)
    deliveries.prune(context)
    assert [webhook["id"] for webhook in host.get("/v1/webhooks").json["items"]] == [kept["id"]]
    assert sql.execute("SELECT count(*) FROM deliveries").fetchone() == (0,)


def test_webhooks_of_other_games_are_not_read(sql: psycopg.Connection) -> None:
    """However many there are, indexes find those that get a notice of the move."""
    from api.features.webhooks import store as webhooks

    sql.execute("SET enable_seqscan = off")
    rows = sql.execute(
        "EXPLAIN SELECT id FROM webhooks WHERE app_id = gen_random_uuid() AND ended_at IS NULL"
        " AND (game_id IS NULL OR game_id = gen_random_uuid())"
    )
    assert "webhooks_listening" in str(rows.fetchall())
    assert "ended_at IS NULL" in str(webhooks.LISTENERS)


def test_a_webhook_of_a_game_follows_its_rematches(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    game = new_game(host, four[:2])
    follows = hook(host, receiver, game=game["id"], external_id="mine", follows_rematches=True)
    stays = hook(host, receiver, game=game["id"])
    disabled = hook(host, receiver, game=game["id"], follows_rematches=True)
    host("PATCH", f"/v1/webhooks/{disabled['id']}", {"enabled": False})
    host.post(f"/v1/games/{game['id']}/resignation", {"seat": 0})
    again = host.post(f"/v1/games/{game['id']}/rematch", {}).json
    [copied] = host.get(f"/v1/webhooks?game={again['id']}").json["items"]
    assert copied == copied | {name: follows[name] for name in ("url", "events", "metadata", "include")}
    assert (copied["follows_rematches"], copied["external_id"], copied["ended_at"]) == (True, None, None)
    assert (follows["follows_rematches"], stays["follows_rematches"]) == (True, False)
    work(context)
    assert shown(host, follows)["ended_at"] is not None
    assert [d["event"] for d in listed(host, copied)][:2] == ["turn.began", "game.started"]
    host.post(f"/v1/games/{again['id']}/resignation", {"seat": 0})
    third = host.post(f"/v1/games/{again['id']}/rematch", {}).json
    work(context)
    assert len(host.get(f"/v1/webhooks?game={third['id']}").json["items"]) == 1
    without = host.post("/v1/webhooks", {"url": receiver.url, "follows_rematches": True})
    assert [*without.json["errors"]] == ["follows_rematches"]
