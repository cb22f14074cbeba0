"""Honest bundles of the service, whatever happened in the game and whenever they are fetched."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings
from api.features.proofs import keys as log_keys
from tests.campaigns.evidence import PROVED, SHORT, WRONG, Case, faults
from tests.support.callers import Caller, Clock, new_game
from tests.support.everything import Played, direct, late
from tests.support.forging import chained_anew
from tests.support.imports import forged
from tests.support.signers import Signer, keyed
from tests.support.witnesses import VKEYS, cosigned_by, policy_text

Bundle = dict[str, Any]
KINDS = ("origin", "imported_by", "test_clock")  # what makes a game no ordinary one


@pytest.fixture
def app(settings: Settings, clock: Clock) -> Iterator[Flask]:
    """Return the application with three witnesses."""
    made = create_app(replace(settings, witnesses=tuple(VKEYS)), clock=clock)
    yield made
    made.extensions["card_referee"].database.close()


class Service:
    """The service, and what a test does with it."""

    def __init__(self, host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Any) -> None:
        self.host, self.auditor, self.four, self.clock, self.work = host, auditor, four, clock, worker

    @property
    def policy(self) -> str:
        return policy_text(self.host.get("/v1/log-keys").json["items"][-1]["vkey"])

    def cosign(self, witness: int) -> None:
        note = self.host.get("/v1/log/checkpoint").text
        sent = self.host.put("/v1/log/cosignatures", {"checkpoint": cosigned_by(note, witness)})
        assert sent.status_code == 200, sent.text


@pytest.fixture
def service(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> Service:
    return Service(host, auditor, four, clock, worker)


def taken_back_paused_and_handed_over(service: Service) -> str:
    played = Played(service.host, service.auditor, service.four, service.clock)
    played.moves()
    played.takes_back()
    played.leaves_moves()
    played.talks_and_waits()
    played.is_read()
    newcomer = service.host.post("/v1/players", {"name": "Eve"}).json["id"]
    played.does(service.host, "PUT", "/seats/3/player", {"player": newcomer})
    played.does(service.four[0], "POST", "/resignation", {})
    return str(played.game["id"])


def a_time_out_undone(service: Service) -> str:
    path = late(service.host, service.four, service.clock, service.work)
    direct(service.host, path)
    return path.rpartition("/")[2]


def a_key_given_up(service: Service) -> str:
    signers = [Signer(player, number) for number, player in enumerate(service.four[:2], 1)]
    game = keyed(service.host, signers, "cats_and_dogs")
    signed = {"seat": 0, "signed": signers[0].sign(game, "key_retired", 0)}
    done = service.four[0].post(f"/v1/games/{game['id']}/key-retirement", signed)
    assert done.status_code == 201, done.text
    assert service.four[0].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    return str(game["id"])


def cancelled(service: Service) -> str:
    game = new_game(service.host, service.four)
    assert service.host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    return str(game["id"])


def timed_out(service: Service) -> str:
    game = new_game(service.host, service.four, pace={"per_move": "PT1H", "on_timeout": "resign"})
    service.clock.move(hours=2)
    service.work()
    return str(game["id"])


def imported(service: Service) -> str:
    brought = service.host.post("/v1/records", forged(service.four))
    assert brought.status_code == 201, brought.text
    return str(brought.json["id"])


def on_a_test_clock(service: Service) -> str:
    clock = service.host.post("/v1/test-clocks", {"time": "2030-01-01T00:00:00Z"})
    assert clock.status_code == 201, clock.text
    game = new_game(service.host, service.four, test_clock=clock.json["id"])
    assert service.host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    return str(game["id"])


STORIES = (
    *(taken_back_paused_and_handed_over, a_time_out_undone, a_key_given_up, cancelled, timed_out, imported),
    on_a_test_clock,
)


@pytest.mark.parametrize("story", STORIES)
def test_no_honest_bundle_is_contradicted(
    service: Service, settings: Settings, tmp_path: Path, story: Callable[[Service], str]
) -> None:
    """The command, a folder and the page say it is proved as soon as the witnesses have signed."""
    address, policy = f"/v1/games/{story(service)}/bundle", service.policy
    cases = []

    def fetch(moment: str, due: str) -> Bundle:
        bundle: Bundle = service.host.get(address).json
        cases.append(Case(f"{story.__name__} {moment}", bundle, (due,)))
        return bundle

    fetch("at once", SHORT)
    service.work()
    fetch("before the witnesses signed", SHORT)
    service.cosign(1)
    fetch("after one witness signed", SHORT)
    service.cosign(3)
    honest = fetch("after the witnesses signed", PROVED)
    log_keys.rotate(settings)
    service.clock.move(minutes=2)
    fetch("after the key was rotated", PROVED)
    cases += [*disguised(honest)]
    assert faults(cases, policy, tmp_path, Counter()) == []


def disguised(bundle: Bundle) -> Iterator[Case]:
    """Pass a test or an import off as an ordinary game, with the evidence and without it."""
    record, created = bundle["record"], bundle["record"]["entries"][0]
    if not created.keys() & {*KINDS}:
        return
    other = json.loads(json.dumps(record))
    for name in KINDS:
        other.pop(name, None)
        other["entries"][0].pop(name, None)
    whole = chained_anew({**other, "origin": "dealt"})
    yield Case("disguised", {**bundle, "record": whole}, (SHORT, WRONG))
    whole.pop("inclusion", None)
    yield Case("disguised, no evidence", {**bundle, "record": whole, "receipts": []}, (SHORT, WRONG))
