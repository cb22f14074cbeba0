"""Feeds: every entry that the caller may see, once, in one order, however late it was committed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from struct import pack
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.core.config import Settings, libpq
from api.run import migrate
from api.store import feed, log
from api.store.database.session import Database
from tests.campaigns.search import Explaining
from tests.support.callers import Caller, first_move, new_game, play_on
from tests.support.streams import STREAM, events

TIMEOUT = 60  # seconds; only a limit in case something hangs
APPEND = """
    INSERT INTO entries (game_id, seq, public, hash)
    SELECT game_id, seq + 1, jsonb_set(public::jsonb, '{seq}', to_jsonb(seq + 1))::text, hash FROM entries
    WHERE game_id = %s ORDER BY seq DESC LIMIT 1
"""


@pytest.fixture
def live(app: Flask) -> Iterator[Any]:
    found = app.extensions["card_referee"].live
    yield found
    assert not found._channels, "a follower is left"


@pytest.fixture
def other(settings: Settings) -> Iterator[psycopg.Connection]:
    """Return a connection whose transactions a test ends when it wants."""
    with psycopg.connect(libpq(settings.owner_database_url)) as connection:
        yield connection
        connection.rollback()


def settle(sql: psycopg.Connection) -> None:
    """Wait until no transaction is open that could still write an entry."""
    end = time.monotonic() + TIMEOUT
    open_ones = "SELECT coalesce(max(tick), 0) >= feed_horizon() FROM entries"
    while sql.execute(open_ones).fetchone() == (True,):
        assert time.monotonic() < end
        time.sleep(0.01)


def feed_of(
    caller: Caller, path: str = "/v1/events?limit=7", cursor: str | None = "", **headers: str
) -> list[Any]:
    """Return the whole feed after a cursor, read in pages."""
    found: list[Any] = []
    while cursor is not None:
        page = caller.get(f"{path}{cursor and '&cursor=' + cursor}", headers=headers).json
        found += page["items"]
        cursor = page["next"]
    return found


def follow(caller: Caller, path: str = "/v1/events", **headers: str) -> Iterator[Any]:
    """Yield the items of a stream as they arrive."""
    answer = caller.get(path, headers={"Accept": STREAM, **headers}, buffered=False)
    assert answer.mimetype == STREAM, answer.text
    for event in events(answer.response):
        if event.name:
            assert event.name == event.data["entry"]["type"]
            assert event.id == event.data["cursor"]
            yield event.data


def in_order(items: list[Any]) -> dict[str, list[Any]]:
    """Return the entries of each game after checking that each occurs once, in the order of the log."""
    cursors = [item["cursor"] for item in items]
    assert len(cursors) == len(set(cursors))
    found: dict[str, list[Any]] = {}
    for item in items:
        found.setdefault(item["game"], []).append(item["entry"])
    for entries in found.values():
        assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    return found


def move_once(players: list[Caller], game: Any) -> Any:
    game = players[0].get(f"/v1/games/{game['id']}").json
    mover = players[game["to_act"][0]]
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    assert done.status_code == 201, done.text
    return done.json


def test_a_feed_shows_everybody_what_the_games_logs_show_them(
    host: Caller, auditor: Caller, four: list[Caller], new_key: Callable[..., Caller], sql: psycopg.Connection
) -> None:
    stranger = new_key("another app", "read", "write", "audit")
    elsewhere = stranger.post("/v1/players", {"name": "Eve"}).json["id"]
    theirs = new_game(stranger, [Caller(host.app, None, elsewhere)] * 1, visibility="public")
    acting = Caller(host.app, host.token, four[0].player)
    header = {"Card-Referee-Player": four[0].player}
    games = [
        new_game(host, four[:3]),
        new_game(host, four[1:], visibility="public"),
        new_game(host, four[1:], visibility="unlisted"),
        new_game(host, four[1:]),
        new_game(host, four[:3], seats_private=True),
        new_game(host, four[:3], seats_private=True, visibility="public"),
    ]
    for number, game in enumerate(games):
        players = four[:3] if number in (0, 4, 5) else four[1:]
        play_on(players, game, 2)
    assert four[0].post(f"/v1/games/{games[0]['id']}/resignation").status_code == 201
    settle(sql)
    seen = {}
    for name, viewer, headers in (
        ("host", host, {}),
        ("auditor", auditor, {}),
        ("player", four[0], {}),
        ("acting", acting, header),
    ):
        logs = in_order(feed_of(viewer, **headers))
        own = {}
        for game in [*games, theirs]:
            answer = viewer.get(f"/v1/games/{game['id']}/events?limit=200", headers=headers)
            if answer.status_code == 200 and game is not theirs:
                own[game["id"]] = answer.json["items"]
        assert logs == own
        seen[name] = [game["id"] in logs for game in games]
    assert seen == {
        "host": [True] * 6,
        "auditor": [True] * 6,
        "player": [True, True, True, False, True, True],
        "acting": [True, True, True, False, False, False],
    }
    assert set(in_order(feed_of(stranger))) == {theirs["id"]}
    assert set(in_order(feed_of(four[0], "/v1/me/events?limit=7"))) == {games[n]["id"] for n in (0, 4, 5)}


def test_items_describe_their_game_as_the_game_itself_does(
    host: Caller, auditor: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    """In pages, lines and streams: everyone who sees the game gets its title, only the app its labels."""
    written = {"title": "Final", "external_id": "g1", "metadata": {"stake": "secret"}}
    named = new_game(host, four[:3], **written)
    plain = new_game(host, four[1:], visibility="public")
    acting = Caller(host.app, host.token, four[0].player)
    header = {"Card-Referee-Player": four[0].player}
    names = ("ruleset", *written)

    def check() -> None:
        settle(sql)
        for viewer, path, headers in (
            (host, "/v1/events", {}),
            (auditor, "/v1/events", {}),
            (acting, "/v1/events", header),
            (acting, "/v1/me/events", header),
            (four[0], "/v1/events", {}),
            (four[0], "/v1/me/events", {}),
        ):
            shown = {
                game["id"]: viewer.get(f"/v1/games/{game['id']}", headers=headers).json
                for game in (named, plain)
            }
            pages = viewer.get(f"{path}?limit=200", headers=headers).json["items"]
            stream = [*islice(follow(viewer, path, **headers), len(pages))]
            assert pages == stream
            assert {item["game"] for item in pages} >= {named["id"]}
            for item in pages:
                said = {name: item[name] for name in names if name in item}
                game = shown[item["game"]]
                assert said == {name: game[name] for name in names if name in game}
                assert set(said) == set(names if viewer in (host, auditor) else names[:2])

    check()
    assert host("PATCH", f"/v1/games/{named['id']}", {"title": "Third place", "metadata": None}).status_code
    check()


def test_an_entry_committed_late_comes_late_and_is_not_missed(
    host: Caller, four: list[Caller], other: psycopg.Connection, sql: psycopg.Connection
) -> None:
    late, soon = new_game(host, four[:3]), new_game(host, four[:3])
    settle(sql)
    before = host.get("/v1/events?limit=200").json
    other.execute(APPEND, (late["id"],))  # written first, committed last
    move_once(four, soon)
    meanwhile = host.get(f"/v1/events?cursor={before['cursor']}").json
    assert (meanwhile["items"], meanwhile["next"]) == ([], None)
    other.commit()
    settle(sql)
    after = feed_of(host, "/v1/events?limit=1", meanwhile["cursor"])
    assert [(item["game"], item["entry"]["type"]) for item in after] == [
        (late["id"], "started"),
        (soon["id"], "moved"),
    ]


def test_a_games_entries_come_in_their_order_whichever_transaction_began_first(
    host: Caller, four: list[Caller], other: psycopg.Connection, sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    other.execute("SELECT pg_current_xact_id()")  # its number is below that of the move
    move_once(four, game)
    other.execute(APPEND, (game["id"],))
    other.commit()
    settle(sql)
    assert [e["type"] for e in in_order(feed_of(host))[game["id"]]][-3:] == ["started", "moved", "moved"]


def test_readers_miss_nothing_while_many_write_at_once(
    host: Caller, four: list[Caller], other: psycopg.Connection, sql: psycopg.Connection, live
) -> None:
    """One reader uses pages and one a stream, while transactions begin, wait and end in any order."""
    games = [new_game(host, four[:3]) for _ in range(4)]
    late = new_game(host, four[:3])
    paged: list[Any] = []
    done = threading.Event()

    def read() -> None:
        cursor = ""
        while True:
            last = done.is_set()
            page = host.get(f"/v1/events?limit=20{cursor and '&cursor=' + cursor}").json
            paged.extend(page["items"])
            cursor = page["cursor"]
            if last and page["next"] is None:
                return

    reader = threading.Thread(target=read)
    reader.start()
    stream = follow(host)
    with ThreadPoolExecutor(4) as pool:
        playing = [pool.submit(play_on, four[:3], game, 12) for game in games]
        for _ in range(6):
            other.execute("SELECT pg_current_xact_id()")
            time.sleep(0.03)
            other.execute(APPEND, (late["id"],))
            time.sleep(0.03)
            other.commit()
        for each in playing:
            each.result(TIMEOUT)
    settle(sql)
    done.set()
    reader.join(TIMEOUT)
    expected = feed_of(host)
    assert {game: len(log) for game, log in in_order(expected).items()} == {
        late["id"]: late["version"] + 6,
        **{game["id"]: game["version"] + 12 for game in games},
    }
    assert paged == expected
    assert list(islice(stream, len(expected))) == expected
    stream.close()


def test_streams_deliver_the_next_move(host: Caller, four: list[Caller], live) -> None:
    game = new_game(host, four[:3])
    streams = [follow(four[0], "/v1/me/events?cursor=now"), follow(host, **{"Last-Event-ID": "now"})]
    with ThreadPoolExecutor(3) as pool:
        first = [pool.submit(next, stream) for stream in streams]
        while not live._channels or next(iter(live._channels.values())).subscribers < 2:
            time.sleep(0.01)
        done = move_once(four, game)
        items = [each.result(TIMEOUT)["entry"] for each in first]
    assert [entry["hash"] for entry in items] == [done["entry"]["hash"]] * 2
    again = follow(host, **{"Last-Event-ID": feed_of(host)[-2]["cursor"]})
    assert next(again)["entry"]["hash"] == done["entry"]["hash"]
    for stream in (*streams, again):
        stream.close()


def test_filters_choose_the_same_of_pages_and_streams(
    host: Caller, four: list[Caller], sql: psycopg.Connection, live, monkeypatch: Any
) -> None:
    games = [
        play_on(four[:3], new_game(host, four[:3]), 4),
        play_on(four[1:], new_game(host, four[1:], "mau_mau"), 4),
        play_on(four[1:3], new_game(host, four[1:3], "bisca"), 2),
    ]
    host.post(f"/v1/games/{games[2]['id']}/cancellation")
    settle(sql)
    everything = feed_of(host)
    by_id = {game["id"]: game for game in games}
    monkeypatch.setattr(feed, "WINDOW", 5)  # many windows, most of them empty
    monkeypatch.setattr(log, "CHUNK", 4)
    players, types = [player.player for player in four], {"cancelled", "started"}
    kinds = sorted({item["entry"]["move"]["type"] for item in everything if "move" in item["entry"]})

    def sits(item: Any, *who: str) -> bool:
        return any(seat["player"]["id"] in who for seat in by_id[item["game"]]["seats"])

    for query, takes in {
        "type=cancelled,started": lambda item: item["entry"]["type"] in types,
        f"move_type={kinds[0]}": lambda item: item["entry"].get("move", {}).get("type") == kinds[0],
        "ruleset=bisca,mau_mau": lambda item: item["ruleset"] != "cats_and_dogs",
        f"player={players[3]}": lambda item: sits(item, players[3]),
        f"player={players[0]},{players[3]}&type=moved": lambda item: (
            sits(item, players[0], players[3]) and item["entry"]["type"] == "moved"
        ),
        "ruleset=pies": lambda item: False,
    }.items():
        expected = [item for item in everything if takes(item)]
        assert feed_of(host, f"/v1/events?limit=3&{query}") == expected, query
        stream = follow(host, f"/v1/events?{query}")
        assert list(islice(stream, len(expected))) == expected
        stream.close()
    mine = [item for item in everything if sits(item, players[0])]
    assert [item["cursor"] for item in feed_of(four[0], "/v1/me/events?limit=3")] == [
        i["cursor"] for i in mine
    ]
    with_both = feed_of(four[1], f"/v1/me/events?limit=3&player={players[3]}")
    assert {item["game"] for item in with_both} == {games[1]["id"]}


def test_invalid_cursors_and_filters_are_refused(host: Caller, anyone: Caller) -> None:
    assert anyone.get("/v1/events").status_code == 401
    assert host.get("/v1/me/events").status_code == 403
    for query in (
        "cursor=x",
        f"cursor={'f' * 56}",
        f"cursor={'f' * 71}",
        "type=nothing",
        "player=x",
        "type=",
        "limit=0",
        "more=1",
    ):
        refused = host.get(f"/v1/events?{query}")
        assert (refused.status_code, list(refused.json["errors"])) == (400, [query.partition("=")[0]])
    for tick in (-(2**63), -1, 2**63 - 1):
        for seq in (-(2**31), 2**31 - 1, 2**31, 2**32 - 1):
            sign = "i" if seq < 2**31 else "I"
            for epoch in (-(2**63), -1, 0, 2**63 - 1):
                cursor = pack(f">qq16s{sign}", epoch, tick, bytes(16), seq).hex()
                assert host.get(f"/v1/events?cursor={cursor}").status_code in (200, 410)
    assert host.get("/v1/events", headers={"Last-Event-ID": "17", "Accept": STREAM}).status_code == 400
    empty = host.get("/v1/events").json
    assert (empty["items"], empty["next"]) == ([], None)
    assert host.get(f"/v1/events?cursor={empty['cursor']}").json == empty


def test_a_look_at_a_feed_is_a_look_at_its_games(
    host: Caller, auditor: Caller, four: list[Caller], sql: psycopg.Connection, live
) -> None:
    game = new_game(host, four[:3])
    settle(sql)
    stream = follow(auditor)
    next(stream)
    stream.close()
    feed_of(host, **{"Card-Referee-Player": four[1].player})
    looks = host.get(f"/v1/games/{game['id']}/looks").json["items"]
    assert sorted((look["by"], look["seat"]) for look in looks) == [("app", 1), ("auditor", None)]


def test_ticks_continue_after_a_restore_in_a_cluster_with_fewer_transactions(
    host: Caller, four: list[Caller], settings: Settings, sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    sql.execute("SET session_replication_role = replica")
    sql.execute("UPDATE entries SET tick = tick + 1000000000000")
    sql.execute("SET session_replication_role = DEFAULT")
    assert feed_of(host) == []
    migrate.upgrade(settings)
    before = feed_of(host)
    assert len(before) == game["version"]
    done = move_once(four, game)
    settle(sql)
    assert [item["entry"]["hash"] for item in feed_of(host, cursor=before[-1]["cursor"])] == [
        done["entry"]["hash"]
    ]
    offset = sql.execute("SELECT feed_offset()").fetchone()
    migrate.upgrade(settings)
    assert sql.execute("SELECT feed_offset()").fetchone() == offset


def test_a_writer_cannot_choose_the_app_or_the_tick_of_an_entry(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    row = sql.execute(
        "INSERT INTO entries (game_id, seq, public, hash, app_id, tick) VALUES (%s, %s, '{}', '', %s, 1)"
        " RETURNING app_id = (SELECT id FROM apps WHERE name = 'host'), tick = feed_tick()",
        (game["id"], game["version"] + 1, game["id"]),
    ).fetchone()
    assert row == (True, True)
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        sql.execute("SET card_referee.resealing = 'on'; UPDATE entries SET tick = 1")


def test_an_inbox_streams(host: Caller, four: list[Caller], live) -> None:
    def stream() -> Iterator[Any]:
        answer = four[0].get("/v1/me/turns", headers={"Accept": STREAM}, buffered=False)
        return (event.data for event in events(answer.response) if event.name == "turns")

    empty = {"items": [], "next": None}
    streamed = stream()
    assert next(streamed) == empty
    with ThreadPoolExecutor(2) as pool:
        after = pool.submit(next, streamed)
        while not live._channels:
            time.sleep(0.01)
        elsewhere = new_game(host, four[1:])  # does not concern the player
        game = new_game(host, four[:1])
        expected = after.result(TIMEOUT)
    assert [turn["game"] for turn in expected["items"]] == [game["id"]]
    again = stream()
    assert next(again) == expected
    again.close()
    move_once(four[1:], elsewhere)
    assert host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    assert next(streamed) == empty
    streamed.close()
    assert host.get("/v1/me/turns").status_code == 403


def test_a_feed_contains_an_imported_game_from_its_first_entry(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller], sql: psycopg.Connection, live
) -> None:
    game = play_on(four[:1], new_game(host, four[:1]))
    record = host.get(f"/v1/games/{game['id']}/record").json
    sql.execute("UPDATE games SET commitment = '' WHERE id = %s", (game["id"],))  # as if dealt elsewhere
    stranger = new_key("another app", "read", "write")
    with ThreadPoolExecutor(1) as pool:
        stream = follow(stranger)
        first = pool.submit(next, stream)
        while not live._channels:
            time.sleep(0.01)
        made = stranger.post("/v1/records", record)
        assert made.status_code == 201, made.text
        assert first.result(TIMEOUT)["entry"]["type"] == "created"
    stream.close()
    settle(sql)
    assert in_order(feed_of(stranger)) == {
        made.json["id"]: stranger.get(f"/v1/games/{made.json['id']}/events?limit=200").json["items"]
    }


def test_games_are_looked_up_only_for_the_entries_of_a_page(
    host: Caller, four: list[Caller], settings: Settings, sql: psycopg.Connection
) -> None:
    """It never reads all games first, or all seats of a player: there may be a million of them."""
    new_game(host, four[:3])
    (app_id,) = sql.execute("SELECT app_id FROM entries LIMIT 1").fetchone() or ()
    database = Database(settings)
    session = Explaining(database, app_id)
    session.connection.execute("SET enable_indexscan = off; SET enable_bitmapscan = off")  # costly look-ups
    wanted = feed.Selection(players=[app_id], viewer=app_id, rulesets=["truco"])
    feed.search(session, app_id, feed.START, 50, wanted)
    parts = [node for node in session.plan.nodes if node.get("Parent Relationship") == "SubPlan"]
    assert len(parts) >= 4
    assert "hashed" not in str(session.plan.nodes)
    session.close()
    database.close()
