"""Games over HTTP for the browser: created, joined and played with legal moves."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import httpx

import referee

NAMES = (
    "Anna",
    "Bela",
    "Carl",
    "Dora",
    "Emil",
    "Fanni",
    "Gusti",
    "Hanna",
    "Ivo",
    "Juli",
    "Kati",
    "Lena",
    "Max",
    "Nora",
)


# Seats, and options that make a game of random moves short.
SHORT: dict[str, tuple[int, dict[str, Any]]] = {
    "bisca": (2, {"target": 1}),
    "cats_and_dogs": (3, {}),
    "dog_cards": (4, {"turn_limit": 40}),
    "landlord": (4, {}),
    "mau_mau": (5, {}),
    "palace": (3, {"move_limit": 60}),
    "pedro": (4, {"target": 5}),
    "pies": (4, {"move_limit": 60}),
    "truco": (4, {"target": 6}),
}


@dataclass
class Table:
    """A running game: its app's client, and its players' tokens by seat."""

    app: httpx.Client
    game: str
    tokens: list[str] = field(default_factory=list)

    def now(self) -> dict[str, Any]:
        """Return the game as the app sees it with its audit scope: everything."""
        return ask(self.app, "GET", f"/v1/games/{self.game}")

    def position_at(self, version: int) -> dict[str, Any]:
        return ask(self.app, "GET", f"/v1/games/{self.game}?version={version}")["view"]

    def play(self, moves: int, choices: random.Random) -> dict[str, Any]:
        """Make up to this many legal moves; return the game."""
        game = self.now()
        for _ in range(moves):
            if game["status"] != "running":
                break
            seat = choices.choice(game["to_act"])
            legal = referee.legal_moves(referee.read(game["view"]), seat)
            body = {"seat": seat, "move": choices.choice(legal)}
            game = ask(self.app, "POST", f"/v1/games/{self.game}/moves", json=body)["game"]
        return game


def ask(client: httpx.Client, method: str, path: str, **more: Any) -> dict[str, Any]:
    response = client.request(method, path, **more)
    assert response.is_success, f"{method} {path}: {response.status_code} {response.text[:500]}"
    return response.json()


def sit_down(app: httpx.Client, ruleset: str, seats: int, visibility: str = "public", **more: Any) -> Table:
    """Create a game with a player on every seat, which starts at once."""
    people = [ask(app, "POST", "/v1/players", json={"name": name})["id"] for name in NAMES[:seats]]
    tokens = [ask(app, "POST", f"/v1/players/{player}/tokens", json={})["token"] for player in people]
    wanted = {
        "ruleset": ruleset,
        "visibility": visibility,
        "seats": [{"player": player} for player in people],
        **more,
    }
    return Table(app, ask(app, "POST", "/v1/games", json=wanted)["id"], tokens)


def forced(app: httpx.Client) -> tuple[Table, int]:
    """Play until a seat can only pass."""
    table = sit_down(app, "landlord", 4)
    choices = random.Random(4)
    for _ in range(120):
        game = table.now()
        seat = game["to_act"][0]
        moves = ask(app, "GET", f"/v1/games/{table.game}/legal-moves?seat={seat}")["moves"]
        if moves == [{"type": "pass"}]:
            return table, seat
        table.play(1, choices)
    raise AssertionError("nobody ever had to pass")
