"""Play a pair of games, one in each world, and compare every answer that the viewer can get."""

from __future__ import annotations

import difflib
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from api.features.specification.specification import spec
from tests.noninterference.pairs import Pair
from tests.noninterference.worlds import STREAM, Answer, World

NOWHERE = str(UUID(int=7 << 76))
METHODS = ("get", "post", "put", "patch", "delete")
# Operations that end the game or a right to see it are not called by those who may: the end rightly shows
# everything.
ENDS = {"adjudicate_game", "cancel_game", "resign"}
REVOKES = {"revoke_token", "delete_player", "revoke_key"}
SIGNS_OUT = {"delete_me", "revoke_my_tokens"}  # players would lose the tokens that they play with
BODIES: dict[str, Any] = {
    "post_message": {"text": "Good luck"},
    "create_player": {"name": "New"},
    "rename_player": {"name": "Renamed"},
    "change_game": {"title": "A title", "metadata": {"a": "b"}},
    "take_vacation": {"days": 1},
    "take_vacation_everywhere": {"days": 1},
    "answer_take_back": {"agree": False},
    "create_game": {"ruleset": "pies", "seats": [{"open": True}] * 4},
    "put_orders": {"orders": []},
    "put_automatic": {"pass": True},
    "create_webhook": {"url": "http://127.0.0.1:9/"},
    "create_key": {"name": "lesser", "scopes": ["read"]},
    "create_test_clock": {},
    "advance_test_clock": {"by": "PT1H"},
    "set_email": {"email": "anna@example.org"},
    "create_guest": {"name": "Guest"},
    "show_invitation": {"invite": "NOT A CODE"},
    "append_move": {"move": {"type": "x"}},
    "try_move": {"move": {"type": "x"}},
}


class Leak(AssertionError):
    """An answer differs between two games that differ only in what its reader may not see."""


@dataclass
class Count:
    """The numbers of comparisons."""

    pairs: int = 0
    positions: int = 0
    answers: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    rulesets: Counter[str] = field(default_factory=Counter)


@dataclass
class Comparison:
    """A pair of games played in two worlds."""

    worlds: tuple[World, World]
    pair: Pair
    count: Count
    chance: random.Random
    game: str = ""
    version: int = 0
    n: int = 0

    @property
    def viewer(self) -> str:
        return "nobody" if self.pair.viewer is None else f"seat {self.pair.viewer}"

    def begin(self, number: int, **more: Any) -> None:
        """Create the game in both worlds."""
        table = self.pair.table
        seed = sha256(f"{table}{self.pair.viewer}{number}".encode()).digest()
        made = []
        for world, played in zip(self.worlds, (self.pair.one, self.pair.other), strict=True):
            world.new_player(self.pair.viewer or 0)
            world.script(seed, table.seats, played.outcomes)
            seats = [{"player": player} for player in world.players[: table.seats]]
            body = {"ruleset": table.ruleset, "seats": seats, "options": table.options}
            answer = world("app", "POST", "/v1/games", {**body, "visibility": "public", **more})
            assert answer.status == 201, answer.body
            made.append(answer)
        self.game = made[0].json["id"]
        self._learn()
        self._alike("POST /v1/games", "app", *made)
        self.count.pairs += 1
        self.count.rulesets[table.ruleset] += 1

    def _learn(self) -> None:
        for world in self.worlds:
            path = f"/v1/games/{self.game}/events?after={self.version}&limit=200"
            answer = world("audit", "GET", path)
            assert answer.status == 200, answer.body
            entries = answer.json["items"]
            world.learn(self.game, entries)
        self.version += len(entries)

    def _alike(self, call: str, who: str, one: Answer, other: Answer) -> None:
        self.count.answers += 1
        plain = [world.plain(answer) for world, answer in zip(self.worlds, (one, other), strict=True)]
        if plain[0] != plain[1]:
            shown = [f"{s} {h}\n{b.decode('utf-8', 'replace')}" for s, h, b in plain]
            lines = [text.replace(",", ",\n").replace("{", "{\n").splitlines() for text in shown]
            unlike = "\n".join(line for line in difflib.unified_diff(*lines, lineterm="", n=2))
            raise Leak(f"{self.pair.table} after {self.n} moves, {who}: {call}\n{unlike[:1500]}")

    def same(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send both worlds the same request; the answers must be equal. Returns that of the first."""
        one, other = (world(who, method, path, body, **headers) for world in self.worlds)
        if one.status < 300 and method != "GET" and not path.endswith("/dry-run"):
            self._learn()
        self._alike(f"{method} {path} {body or ''}", who, one, other)
        return one

    def same_events(self, who: str, path: str, number: int, **headers: str) -> None:
        one, other = (world.events(who, path, number, **headers) for world in self.worlds)
        self._alike(f"GET {path} ({number} events)", who, one, other)

    def step(self) -> None:
        """Make the next move of each game."""
        answers = []
        for world, played in zip(self.worlds, (self.pair.one, self.pair.other), strict=True):
            world.pass_time(1)
            seat, move = played.moves[self.n]
            answers.append(world(f"seat {seat}", "POST", f"/v1/games/{self.game}/moves", {"move": move}))
            assert answers[-1].status == 201, answers[-1].body
        self.n += 1
        self._learn()
        if seat == self.pair.viewer:
            self._alike("POST moves", self.viewer, *answers)

    def look(self) -> None:
        """Compare what the viewer and spectators see at every position."""
        path, viewer = f"/v1/games/{self.game}", self.viewer
        self.same(viewer, "GET", path)
        self.same(viewer, "GET", f"{path}/events?after={max(0, self.version - 3)}")
        self.same("reader", "GET", path)
        if self.pair.viewer is not None:
            self.same(viewer, "GET", f"{path}/legal-moves")
            seat = self.pair.viewer
            made = [move for _, move in self.pair.one.moves]
            for move in (made[self.n % len(made)], self.chance.choice(made)):
                self.same(viewer, "POST", f"{path}/moves/dry-run", {"move": move})
            self.same("app", "POST", f"{path}/moves/dry-run", {"move": made[0], "seat": seat})
        self.count.positions += self.pair.differ(self.n)

    def look_around(self) -> None:
        """Compare what is requested less often: the record, old versions, feeds, lists, reports."""
        path, viewer = f"/v1/games/{self.game}", self.viewer
        for who in (viewer, "outsider"):
            self.same(who, "GET", f"{path}/record")
            self.same(who, "GET", f"{path}/verification")
            self.same(who, "GET", f"{path}?version={self.chance.randrange(1, self.version + 1)}")
            self.same(who, "GET", "/v1/games?limit=5&visibility=public")
        self.same("reader", "GET", "/v1/events?cursor={cursor}")
        self.same_events(viewer, f"{path}/events?after=0", self.version, Accept=STREAM)
        if self.pair.viewer is not None:
            self.same(viewer, "GET", "/v1/me/turns")
            self.same(viewer, "GET", "/v1/me/events")
            made = self.chance.choice([move for _, move in self.pair.one.moves])
            illegal = self.worlds[0](viewer, "POST", f"{path}/moves/dry-run", {"move": made}).json
            if not illegal["verdict"]["legal"]:
                self.same(viewer, "POST", f"{path}/moves", {"move": made})

    def end(self) -> None:
        """Resign, and check with the record that the games differed."""
        path = f"/v1/games/{self.game}"
        seat = self.pair.viewer or 0
        shown = []
        for world in self.worlds:
            assert world(f"seat {seat}", "POST", f"{path}/resignation", {}).status == 201
            shown.append(world.plain(world("app", "GET", f"{path}/record"))[2])
        assert shown[0] != shown[1], "both games of a pair were equal"

    # --- every operation ------------------------------------------------------------------------------
    def callers(self) -> list[str]:
        seats = [] if self.pair.viewer is None else [self.viewer, f"app as {self.viewer}"]
        return [*seats, "app", "reader", "outsider", "nobody"]

    def sweep(self) -> None:
        """Call every operation of the specification, as every caller who may know the game."""
        last = [d for d in _operations() if d[2] in ENDS | REVOKES | SIGNS_OUT]
        first = [d for d in _operations() if d not in last]
        for method, path, name, produces in [*first, *last]:
            for who in self.callers():
                if name in ENDS and who not in ("outsider", "nobody", "reader"):
                    continue
                if name in SIGNS_OUT and who not in ("app", "nobody", "reader"):
                    continue
                self._operation(who, method, path, name, produces)

    def _operation(self, who: str, method: str, path: str, name: str, produces: list[str]) -> None:
        for part, value in self._named().items():
            path = path.replace(f"{{{part}}}", value)
        if name == "list_all_events":
            path += "?cursor={cursor}"  # earlier entries are of other pairs, for other viewers
        body = BODIES.get(name, {}) if method in ("POST", "PUT", "PATCH") else None
        if body is not None and who == "app" and "/games/{game}/" in path:
            body = {**body, "seat": self.pair.viewer or 0}
        self.count.operations[name] += 1
        answer = self.same(who, method, path, body)
        if STREAM in produces and answer.status == 200 and " as " not in who:
            number = len(answer.json["items"])
            after = "?after=0" if name == "list_events" else ""
            self.same_events(who, path + after, number)

    def _named(self) -> dict[str, str]:
        world, seat = self.worlds[0], self.pair.viewer or 0
        found = {
            "game": self.game,
            "seat": str(seat),
            "player": world.spare,
            "ruleset": self.pair.table.ruleset,
        }
        return {**dict.fromkeys(_parts(), NOWHERE), **found, "tile": "0/000"}


def _parts() -> set[str]:
    """Return the names of the parameters in paths of the specification."""
    return {name for path in spec()["paths"] for name in re.findall(r"{(\w+)}", path)}


def _operations() -> list[tuple[str, str, str, list[str]]]:
    """Return every operation of the specification: method, path, id, media types."""
    return [
        (method.upper(), path, item[method]["operationId"], list(_media(item[method])))
        for path, item in spec()["paths"].items()
        for method in METHODS
        if method in item
    ]


def _media(operation: dict[str, Any]) -> list[str]:
    return list(operation["responses"].get("200", {}).get("content", {}))


def play(
    worlds: tuple[World, World],
    pair: Pair,
    number: int,
    count: Count,
    *,
    sweep_at: Callable[[int], bool] = lambda n: False,
    around: int = 8,
    **more: Any,
) -> Comparison:
    """Play a pair and compare at every position; return the comparison. Raises Leak."""
    comparison = Comparison(worlds, pair, count, random.Random(number))
    comparison.begin(number, **more)
    while True:
        n = comparison.n
        comparison.look()
        if n % around == around // 2:
            comparison.look_around()
        if sweep_at(n):
            comparison.sweep()
        if n == len(pair.one.moves):
            return comparison
        comparison.step()
