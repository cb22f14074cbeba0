"""One game in which every operation on games is performed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml
from flask import Flask, Response, request
from werkzeug.test import TestResponse

from api.context import Context
from api.features.mail import links
from api.features.mail import store as contacts
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.draws import WORDS, committed, made, reveal
from tests.support.partitions import Statement, sent
from tests.support.signers import Signer, keyed

SPECIFICATION = Path(__file__).parents[2] / "openapi.yaml"
PACE = {"per_move": "PT72H", "on_timeout": "random_move", "warn_before": "PT12H", "vacation_days": 9}


def operations() -> set[str]:
    """Return every operation on one game."""
    paths = yaml.load(SPECIFICATION.read_text(), yaml.CSafeLoader)["paths"]
    return {
        operation["operationId"]
        for path, methods in paths.items()
        if path.startswith("/v1/games/{game}")
        for operation in methods.values()
        if "operationId" in operation
    }


@dataclass
class Played:
    """One game of four players, in which every possible operation is performed."""

    host: Caller
    auditor: Caller
    players: list[Caller]
    clock: Clock
    game: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.game = new_game(self.host, self.players, "pedro", pace=PACE, visibility="unlisted")

    @property
    def seat(self) -> int:
        seat: int = self.game["to_act"][0]
        return seat

    def does(self, caller: Caller, method: str, rest: str, body: Any = None, **more: Any) -> TestResponse:
        done = caller(method, f"/v1/games/{self.game['id']}{rest}", body, **more)
        assert done.status_code < 300, done.text
        if body is not None and "game" in done.json:
            self.game = done.json["game"]
        return done

    def moves(self, **headers: str) -> None:
        mover, body = self.players[self.seat], {"move": first_move(self.players[self.seat], self.game)}
        self.does(mover, "POST", "/moves/dry-run", body)
        for _ in range(1 + len(headers)):
            self.does(mover, "POST", "/moves", body, headers=headers)

    def everything(self) -> None:
        self.moves()
        self.moves(**{"Idempotency-Key": self.game["id"]})
        self.takes_back()
        self.leaves_moves()
        self.talks_and_waits()
        self.is_read()
        self.ends()

    def takes_back(self) -> None:
        mover = self.seat
        self.moves()
        self.does(self.players[mover], "POST", "/take-back", {})
        for seat in {0, 1, 2, 3} - {mover}:
            self.does(self.players[seat], "POST", "/take-back/answer", {"agree": True})

    def leaves_moves(self) -> None:
        other = self.players[(self.seat + 2) % 4]
        self.does(other, "PUT", "/orders", {"orders": [{"move": {"type": "pass"}}]})
        self.does(other, "GET", "/orders")
        self.moves()
        self.does(other, "DELETE", "/orders")
        self.does(other, "PUT", "/automatic", {"only_move": True})
        self.does(other, "PUT", "/automatic", {})

    def talks_and_waits(self) -> None:
        self.does(self.players[0], "POST", "/messages", {"text": "Hello"})
        for player in self.players:
            self.does(player, "POST", "/pause", {})
        self.does(self.players[1], "POST", "/resumption", {})
        self.clock.move(days=1)
        self.does(self.players[(self.seat + 1) % 4], "POST", "/nudges", {})
        self.does(self.players[self.seat], "POST", "/vacation", {"days": 1})

    def is_read(self) -> None:
        for rest in ("", "?version=3", "/events", "/events?after=2&limit=3", "/presence", "/verification"):
            for caller in (self.host, self.auditor, self.players[0]):
                self.does(caller, "GET", rest)
        self.does(self.host, "PATCH", "", {"title": "Final"})

    def ends(self) -> None:
        newcomer = self.host.post("/v1/players", {"name": "Eve"}).json["id"]
        self.does(self.host, "PUT", "/seats/3/player", {"player": newcomer})
        self.does(self.players[0], "POST", "/ending", {"ending": "draw"})
        self.does(self.players[0], "POST", "/resignation", {})
        for rest in (
            "/record",
            "/bundle",
            "/dispute-report?seat=1",
            "/verification",
            "/looks",
            f"/events?after={self.game['version']}",
            "/messages",
        ):
            self.does(self.host, "GET", rest)
        self.does(self.players[0], "POST", "/messages", {"text": "Well played"})
        self.does(self.host, "POST", "/rematch", {})


def may_pass(host: Caller, four: list[Caller], pace: dict[str, Any]) -> dict[str, Any]:
    """Return a new game of landlord whose first seat may pass: some hands must take, which shows cards."""
    while True:
        game = new_game(host, four, "landlord", pace=pace)
        moves = host.get(f"/v1/games/{game['id']}/legal-moves?seat={game['to_act'][0]}").json["moves"]
        if {"type": "pass"} in moves:
            return game


def late(host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]) -> str:
    """Let a seat miss its deadline, for which it passes; return the path of the game."""
    game = may_pass(host, four, {"per_move": "PT72H", "on_timeout": "random_move"})
    clock.move(hours=73)
    worker()
    return f"/v1/games/{game['id']}"


def direct(host: Caller, path: str) -> None:
    """Undo a time-out, change the clocks of a game, and decide it."""
    undone = host.post(f"{path}/clocks/undone-timeout")
    assert undone.status_code == 201, undone.text
    seat = host.get(path).json["to_act"][0]
    assert host.post(f"{path}/clocks/time", {"seat": seat, "length": "P1D"}).status_code == 201
    assert host.post(f"{path}/adjudication", {"winners": [0], "losers": []}).status_code == 201


def others(host: Caller, four: list[Caller], anyone: Caller) -> None:
    """Play games that begin and end in other ways."""
    alone = {"ruleset": "pies", "seats": [{"player": four[0].player}, *[{"bot": "random"}] * 3]}
    path = f"/v1/games/{host.post('/v1/games', alone).json['id']}"
    assert four[0].get(f"{path}/suggestion?seat=0").status_code == 200
    seats: list[dict[str, Any]] = [{"open": True}, {"open": True}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    path, invites = f"/v1/games/{game['id']}", [seat.get("invite") for seat in game["seats"]]
    assert four[0].put(f"{path}/seats/0", {"invite": invites[0]}).status_code == 200
    assert four[0].delete(f"{path}/seats/0").status_code == 204
    assert anyone.post(f"{path}/seats/1/invitation", {"invite": invites[1]}).status_code == 200
    assert anyone.post(f"{path}/invitation", {"invite": game["invite"]}).status_code == 200
    assert anyone.post(f"{path}/watch-requests", {"name": "Zoë"}).status_code == 204
    assert anyone.post(f"{path}/seats/1/guest", {"invite": invites[1], "name": "Gus"}).status_code == 201
    assert host.post(f"{path}/cancellation").status_code == 201
    watched = f"/v1/games/{new_game(host, four[:2])['id']}"
    assert four[0].get(f"{watched}/watch-requests").status_code == 200
    assert four[0].post(f"{watched}/watch-links").status_code == 201
    signers = [Signer(player, number) for number, player in enumerate(four[:2])]
    game = keyed(host, signers, "cats_and_dogs")
    signed = {"seat": 0, "signed": signers[0].sign(game, "key_retired", 0)}
    assert four[0].post(f"/v1/games/{game['id']}/key-retirement", signed).status_code == 201
    game = made(host, committed(four[:2]), entropy="commit")
    for player, words in zip(four, WORDS[:2], strict=False):
        assert reveal(player, game, words).status_code < 300


@pytest.fixture
def asked(
    app: Flask,
    host: Caller,
    auditor: Caller,
    anyone: Caller,
    four: list[Caller],
    clock: Clock,
    worker: Callable[[], None],
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Statement]:
    """Perform every operation in games with and without listeners; return all statements."""
    done = set[str]()

    def note(response: Response) -> Response:
        if response.status_code < 300:
            done.add(str(request.endpoint).rpartition(".")[2])
        return response

    app.after_request_funcs.setdefault(None, []).append(note)
    with_late = late(host, four, clock, worker)
    assert four[0]("PATCH", "/v1/me/preferences", {"frequency": "never"}).status_code == 200
    contact = contacts.get(context.session, UUID(str(four[0].player)))
    assert contact
    with sent(monkeypatch) as statements:
        direct(host, with_late)
        Played(host, auditor, four, clock).everything()
        others(host, four, anyone)
        mailed = new_game(host, four[:2])["id"]
        secret = links.make(contact, links.to_game(UUID(mailed)), context.now() + timedelta(days=1))
        opened = anyone.post(f"/v1/games/{mailed}/mail-tokens", {"link": secret})
        assert opened.status_code == 201, opened.text
        assert host.post("/v1/webhooks", {"url": "https://example.org/"}).status_code == 201
        assert four[0]("PATCH", "/v1/me/preferences", {"frequency": "never"}).status_code == 200
        Played(host, auditor, four, clock).everything()
    left = operations() - done
    assert not left, f"no test performs these operations: {left}"
    return statements
