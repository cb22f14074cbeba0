"""Ratings: by which games they change, and that anybody computes the same from the records."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from api.context import Context
from api.core.config import Settings
from api.features import opened
from api.features.proofs import tree
from api.features.ratings import ratings, store
from api.store.database.session import Database
from referee.cli import main
from referee.proofs import node_hash
from referee.proofs.merkle import leaf_hash
from tests.campaigns.search import Explaining
from tests.support.callers import Caller, new_game
from tests.support.clocks import new_clock


def ended(host: Caller, players: list[Caller], loser: int = 0, **terms: Any) -> str:
    """Return the id of a game that this seat has given up."""
    game = new_game(host, players, **{"visibility": "public", **terms})
    assert host.post(f"/v1/games/{game['id']}/resignation", {"seat": loser}).status_code == 201
    return str(game["id"])


def ladder(caller: Caller, query: str = "", ruleset: str = "cats_and_dogs") -> list[dict[str, Any]]:
    answer = caller.get(f"/v1/rulesets/{ruleset}/ladder?{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json["items"]
    return found


def recomputed(host: Caller, games: list[str], folder: Path) -> list[dict[str, Any]]:
    """Return what `referee ratings` computes from the records of games."""
    for game in games:
        (folder / f"{game}.json").write_text(host.get(f"/v1/games/{game}/record").text)
    told = CliRunner().invoke(main, ["ratings", str(folder)])
    assert told.exit_code == 0, told.output
    return [json.loads(line) for line in told.output.splitlines()]


@pytest.fixture
def rated(context: Context) -> Callable[[], None]:
    """Return a function that does what a worker does with the games that have ended."""

    def work() -> None:
        tree.integrate_all(context)
        ratings.rate_all(context)

    return work


def test_anybody_computes_the_same_ratings_from_the_records(
    host: Caller, four: list[Caller], anyone: Caller, rated: Callable[[], None], tmp_path: Path
) -> None:
    anna, ben, cleo, dan = four
    games = [ended(host, [anna, ben, cleo], 1), ended(host, [cleo, ben], 1)]
    rated()
    games += [ended(host, [ben, anna]), ended(host, [dan, cleo, anna], 2), ended(host, [anna, dan])]
    games += [ended(host, [anna, ben, cleo, dan], 3, ruleset="truco")]  # two win, two lose
    rated()
    for ruleset in ("cats_and_dogs", "truco"):
        shown = [{**row, "player": row["player"]["id"]} for row in ladder(host, ruleset=ruleset)]
        again = [row for row in recomputed(host, games, tmp_path) if row["ruleset"] == ruleset]
        key = itemgetter("player")
        assert sorted(shown, key=key) == sorted(again, key=key)
        assert len(shown) == 4
    best = ladder(host)
    assert [row["rating"] for row in best] == sorted((row["rating"] for row in best), reverse=True)
    assert {row["player"]["name"]: row["games"] for row in best} == {"Anna": 4, "Ben": 3, "Cleo": 3, "Dan": 2}
    assert all(row["provisional"] for row in best)
    mine = anna.get(f"/v1/players/{anna.player}/ratings").json["items"]
    assert mine == [
        row
        for ruleset in ("cats_and_dogs", "truco")
        for row in ladder(anna, ruleset=ruleset)
        if row["player"]["id"] == anna.player
    ]


def test_a_rating_is_provisional_for_ten_games(
    host: Caller, four: list[Caller], rated: Callable[[], None]
) -> None:
    for number in range(10):
        ended(host, four[:2], number % 2)
        rated()
        assert [row["provisional"] for row in ladder(host)] == [number < 9] * 2


def test_only_public_games_between_people_count(
    host: Caller,
    four: list[Caller],
    rated: Callable[[], None],
    tmp_path: Path,
) -> None:
    anna, ben, cleo, _ = four
    games = [
        ended(host, four[:2], visibility="private"),
        ended(host, four[:2], visibility="unlisted"),
        ended(host, [anna, anna, ben]),
        ended(host, [anna, ben], test_clock=new_clock(host).rpartition("/")[2]),
    ]
    with_bot = {"ruleset": "cats_and_dogs", "visibility": "public"}
    made = host.post("/v1/games", {**with_bot, "seats": [{"player": anna.player}, {"bot": "random"}]}).json
    assert host.post(f"/v1/games/{made['id']}/resignation", {"seat": 0}).status_code == 201
    new_game(host, [anna, ben], visibility="public")  # not over
    called_off = new_game(host, [anna, ben], visibility="public")
    assert host.post(f"/v1/games/{called_off['id']}/cancellation").status_code in (200, 201)
    rated()
    assert ladder(host) == []
    assert recomputed(host, [*games, made["id"]], tmp_path) == []
    ended(host, [anna, ben, cleo])
    rated()
    assert len(ladder(host)) == 3


def test_a_guest_of_one_seat_sees_the_ladder_that_anybody_sees(
    host: Caller, four: list[Caller], anyone: Caller, rated: Callable[[], None]
) -> None:
    ended(host, four[:2])
    rated()
    open_ = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}).json
    body = {"invite": open_["seats"][0]["invite"], "name": "Gus"}
    token = anyone.post(f"/v1/games/{open_['id']}/seats/0/guest", body).json["token"]
    assert len(ladder(four[2])) == 2
    assert ladder(Caller(host.app, token)) == ladder(anyone) == []


def test_the_ladder_has_pages_and_shows_no_other_app(
    host: Caller,
    four: list[Caller],
    anyone: Caller,
    new_key: Callable[..., Caller],
    rated: Callable[[], None],
) -> None:
    ended(host, four[:3], 1)
    ended(host, [four[3], four[0]], 1)
    rated()
    whole = ladder(four[0])
    assert len(whole) == 4
    path, cursor, pages = "/v1/rulesets/cats_and_dogs/ladder?limit=1", "", []
    while cursor is not None:
        page = host.get(path + (f"&cursor={cursor}" if cursor else "")).json
        pages += page["items"]
        cursor = page["next"]
    assert pages == whole
    unknown = host.get(f"{path}&cursor={'f' * 32}")
    assert (unknown.status_code, [*unknown.json["errors"]]) == (400, ["cursor"])
    assert ladder(new_key("other", "read")) == ladder(anyone) == []
    assert anyone.get("/v1/rulesets/whist/ladder").status_code == 404
    ben = f"/v1/players/{four[1].player}"
    assert four[0].get(f"{ben}/ratings").status_code == 404
    assert host("DELETE", ben).status_code == 204
    assert [row["player"]["id"] for row in ladder(host)] == [
        row["player"]["id"] for row in whole if row["player"]["id"] != four[1].player
    ]
    assert host.get(f"{ben}/ratings").status_code == 404


def test_workers_that_rate_at_once_count_each_game_once(
    host: Caller, four: list[Caller], settings: Settings, context: Context, tmp_path: Path
) -> None:
    games = [ended(host, [four[n % 4], four[(n + 1) % 4]], n % 2) for n in range(12)]
    tree.integrate_all(context)

    def work(_: int) -> None:
        with opened(settings.for_worker()) as own:
            while ratings.rate_some(own):
                pass

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    again = recomputed(host, games, tmp_path)
    assert sorted((row["player"], row["mu"]) for row in again) == sorted(
        (row["player"]["id"], row["mu"]) for row in ladder(host)
    )


def test_records_that_do_not_hold_are_refused(
    host: Caller, four: list[Caller], context: Context, tmp_path: Path
) -> None:
    game = ended(host, four[:2])
    tree.integrate_all(context)
    record = host.get(f"/v1/games/{game}/record").json
    record["result"]["winners"] = [0]
    (tmp_path / "altered.json").write_text(json.dumps(record))
    told = CliRunner().invoke(main, ["ratings", str(tmp_path)])
    assert (told.exit_code, "altered.json: does not hold" in told.output) == (1, True)


def test_a_place_without_a_whole_proof_counts_for_nothing(
    host: Caller, four: list[Caller], rated: Callable[[], None], tmp_path: Path
) -> None:
    game = ended(host, four[:2])
    rated()
    record = host.get(f"/v1/games/{game}/record").json
    proofs, file = record["inclusion"], tmp_path / "record.json"
    end = proofs["leaves"][1]["data"]
    broken: list[list[Any]] = [
        [{}],
        [{"data": "x"}],
        [{"data": "5", "index": 1}],
        [{"data": end, "index": 9}],
    ]
    for leaves in broken:
        for members in ({"leaves": leaves}, {**proofs, "leaves": leaves}):
            file.write_text(json.dumps({**record, "inclusion": members}))
            told = CliRunner().invoke(main, ["ratings", str(file)])
            assert (told.exit_code, told.output) == (0, ""), (members, told.exception)
    for leaves in broken[:3]:
        file.write_text(json.dumps({**record, "inclusion": {**proofs, "leaves": leaves + proofs["leaves"]}}))
        told = CliRunner().invoke(main, ["ratings", str(file)])
        assert (told.exit_code, told.output.count("\n")) == (0, 2), (leaves, told.exception)


def test_records_of_two_servers_are_refused(
    host: Caller, four: list[Caller], rated: Callable[[], None], tmp_path: Path
) -> None:
    """Elsewhere, the log of all games may begin with another game."""
    for number in range(2):
        game = ended(host, four[2 * number :][:2])
        rated()
        record = host.get(f"/v1/games/{game}/record").json
        begun, end = (leaf["data"] for leaf in record["inclusion"]["leaves"])
        left, right = (leaf_hash(data.encode()) for data in (begun, end))
        leaves = [
            {"index": 0, "data": begun, "proof": [right.hex()]},
            {"index": 1, "data": end, "proof": [left.hex()]},
        ]
        proofs = {"checkpoint": None, "size": 2, "root": node_hash(left, right).hex(), "leaves": leaves}
        (tmp_path / f"{number}.json").write_text(json.dumps({**record, "inclusion": proofs}))
    (tmp_path / "copy.json").write_bytes((tmp_path / "1.json").read_bytes())
    one = CliRunner().invoke(main, ["ratings", *(str(tmp_path / name) for name in ("1.json", "copy.json"))])
    assert (one.exit_code, one.output.count('"games":1,')) == (0, 2)
    both = CliRunner().invoke(main, ["ratings", str(tmp_path)])
    assert (both.exit_code, "they are not of one server" in both.output) == (1, True)


@pytest.mark.parametrize("damaged", ["{", "{}", "[]", '{"winners": 5}', '{"winners": null}'])
def test_no_game_waits_for_one_that_cannot_be_read(
    host: Caller, four: list[Caller], rated: Callable[[], None], sql: psycopg.Connection, damaged: str
) -> None:
    unreadable = ended(host, four[:2])
    ended(host, four[2:])
    sql.execute("UPDATE games SET result = %s WHERE id = %s", (damaged, unreadable))
    rated()
    assert {row["player"]["name"] for row in ladder(host)} == {"Cleo", "Dan"}


def test_a_late_page_of_the_ladder_costs_what_the_first_does(
    host: Caller, four: list[Caller], rated: Callable[[], None], sql: psycopg.Connection, settings: Settings
) -> None:
    ended(host, four[:2])
    rated()
    sql.execute(
        "INSERT INTO players (id, app_id, name, created_at) SELECT gen_random_uuid(), app_id, 'More', now()"
        " FROM ratings, generate_series(1, 10000)"
    )
    sql.execute(
        "INSERT INTO ratings (player_id, ruleset, app_id, mu, sigma, games)"
        " SELECT id, 'cats_and_dogs', app_id, random() * 50, random() * 8, 1 FROM players WHERE name = 'More'"
    )
    sql.execute("ANALYZE players, ratings")
    ids = "SELECT app_id, player_id FROM ratings ORDER BY mu - 3 * sigma DESC, player_id OFFSET %s LIMIT 1"
    pages = []
    for offset in (0, 19_000):
        app_id, player_id = sql.execute(ids, (offset,)).fetchone() or ()
        database = Database(settings)
        session = Explaining(database, app_id)
        assert len(store.best(session, app_id, "cats_and_dogs", player_id, 51)) == 51
        pages.append(session.plan.pages)
        session.close()
        database.close()
    assert pages[1] < 2 * pages[0]


def test_files_that_are_no_records_are_left_out_and_named(
    host: Caller, four: list[Caller], rated: Callable[[], None], tmp_path: Path
) -> None:
    game = ended(host, four[:2])
    rated()
    alone = recomputed(host, [game], tmp_path)
    record = host.get(f"/v1/games/{game}/record").json
    (tmp_path / "keys.json").write_text("[]")
    (tmp_path / "bare.json").write_text(json.dumps({**record, "entries": None}))
    done = CliRunner().invoke(main, ["ratings", str(tmp_path)])
    assert (done.exit_code, [json.loads(line) for line in done.stdout.splitlines()]) == (0, alone)
    assert done.stderr.splitlines() == [
        "bare.json: has no log, and is left out",
        "keys.json: is no record, and is left out",
    ]
