"""What concerns many games or apps on a Citus cluster: unique names, due jobs, and that apps stay apart."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from json import loads
from pathlib import Path
from threading import Barrier
from typing import Any
from uuid import uuid4

import psycopg

from api.store.database.session import Database
from tests.support.callers import Caller, Clock, log
from tests.support.citus import cluster, migrated, pytestmark, settings
from tests.support.due_jobs import share_what_is_due
from tests.support.strangers import Tenant, changes_nothing, reads_nothing, two

__all__ = ["cluster", "migrated", "pytestmark", "settings", "two"]

RECORDS = Path(__file__).parents[2] / "records"


def named(host: Caller, four: list[Caller], external_id: str) -> Any:
    seats = [{"player": player.player} for player in four[:2]]
    return host.post("/v1/games", {"ruleset": "bisca", "seats": seats, "external_id": external_id})


def test_an_external_id_is_given_once_in_a_race(host: Caller, four: list[Caller]) -> None:
    name, start = str(uuid4()), Barrier(6)

    def race(_: int) -> int:
        start.wait()
        return int(named(host, four, name).status_code)

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(race, range(6))) == [201] + [409] * 5
    found = host.get(f"/v1/games?external_id={name}").json["items"]
    assert [game["external_id"] for game in found] == [name]


def test_a_record_is_imported(host: Caller) -> None:
    record = loads((RECORDS / "bisca" / "target-2_seats.json").read_text())
    made = host.post("/v1/records", record)
    assert made.status_code == 201, made.text
    assert host.get(f"/v1/games/{made.json['id']}/verification").json["ok"]
    assert [entry["seq"] for entry in log(host, made.json)] == [*range(1, made.json["version"] + 1)]


def test_an_external_id_that_was_given_up_is_free(host: Caller, four: list[Caller]) -> None:
    one, other = str(uuid4()), str(uuid4())
    game = named(host, four, one).json
    path = f"/v1/games/{game['id']}"
    assert host("PATCH", path, {"external_id": one}).status_code == 200
    assert named(host, four, one).status_code == 409
    assert host("PATCH", path, {"external_id": other}).status_code == 200
    assert named(host, four, one).status_code == 201
    assert host("PATCH", path, {"external_id": one}).status_code == 409
    assert host.get(path).json["external_id"] == other
    assert host("PATCH", path, {"external_id": None}).status_code == 200
    assert named(host, four, other).status_code == 201


def test_workers_share_what_is_due(
    host: Caller, four: list[Caller], clock: Clock, workers_database: Database, cluster: psycopg.Connection
) -> None:
    cluster.execute("UPDATE turns SET deadline = NULL, warn_at = NULL")  # of other tests
    share_what_is_due(host, four, clock, workers_database)


def test_two_who_speak_at_once_after_the_end_are_both_heard(host: Caller, four: list[Caller]) -> None:
    path = f"/v1/games/{named(host, four, str(uuid4())).json['id']}"
    assert four[0].post(f"{path}/resignation").status_code == 201
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda n: four[n].post(f"{path}/messages", {"text": str(n)}).json, range(2)))
    assert host.get(f"{path}/messages").json["items"] == sorted(
        (each["message"] for each in said), key=lambda message: message["number"]
    )


def test_an_app_reads_nothing_of_another(two: tuple[Tenant, Tenant]) -> None:
    reads_nothing(*two)


def test_an_app_changes_nothing_of_another(two: tuple[Tenant, Tenant]) -> None:
    changes_nothing(*two)
