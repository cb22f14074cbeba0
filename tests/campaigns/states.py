"""Whatever is asked of a game, in any order: the service and the referee's own position never differ.

    python -m tests.campaigns.states [EXAMPLES [SEED]]

Hypothesis sends requests as the players of a game (legal and illegal moves, conditional ones, repeats,
take-backs, resignations, pauses, orders, reads of old versions) and holds each answer, and then what each
viewer is shown, against `model.py`.
"""

from __future__ import annotations

import contextlib
import random
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import hypothesis
from flask import Flask
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine
from sqlalchemy import create_engine

import referee
from api.accounts import keys
from api.app import create_app
from api.core.config import Settings
from api.play.games import SEED_BYTES
from api.run import migrate
from api.run.embedded.postgres import embedded, supervise
from tests.campaigns.model import FINISHED, OPEN, RUNNING, Model
from tests.serving import free_directory

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULESETS = sorted(rules.ID for rules in referee.newest())
STEPS = 40
PACE = {"per_move": "PT72H", "reserve": "PT5H"}
SEATS, CHOICES = st.integers(0, 3), st.integers(0, 2**16)


class Service:
    """An application with four players and somebody who only watches."""

    def __init__(self, settings: Settings, seed: int = 1) -> None:
        self._drawn: list[bytes] = []
        self._chance = self._seeds = random.Random(seed)
        self.app: Flask = create_app(settings, clock=lambda: START, random_bytes=self._random_bytes)
        engine = create_engine(settings.owner_database_url)
        with engine.begin() as connection:
            _, self.key = keys.create_app_key(connection, "states", ["read", "write"], None)
        engine.dispose()
        made = [self.ask("POST", "/v1/players", {"name": f"Player {n}"}).json["id"] for n in range(5)]
        self.players = made[:4]
        self.tokens = [self.ask("POST", f"/v1/players/{each}/tokens").json["token"] for each in made]

    def _random_bytes(self, size: int) -> bytes:
        chance = self._seeds if size == SEED_BYTES else self._chance
        self._drawn.append(chance.randbytes(size))
        return self._drawn[-1]

    def reseed(self, *choices: Any) -> None:
        """Deal what follows from these choices: Hypothesis may ask for the same game again."""
        self._seeds = random.Random(repr(choices))

    def ask(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Any:
        """Send a request; the application's answer."""
        sent = {"Authorization": f"Bearer {token or self.key}", **headers}
        more = {} if method == "GET" else {"json": {} if body is None else body}
        return self.app.test_client().open(path, method=method, headers=sent, **more)

    def seed_of(self, commitment: str) -> bytes:
        """The seed that was drawn for a game."""
        return next(drawn for drawn in self._drawn if sha256(drawn).hexdigest() == commitment)

    def close(self) -> None:
        self.app.extensions["card_referee"].database.close()


class Table(RuleBasedStateMachine):
    """A game, from its making on."""

    def __init__(self, service: Service, rulesets: Sequence[str]) -> None:
        super().__init__()
        self.service, self.rulesets = service, rulesets
        self.known: list[dict[str, Any]] = []
        self.last: Callable[[], Any] | None = None
        self.answered: Any = None

    @initialize(choice=CHOICES, paced=st.booleans(), words=st.text("ab", max_size=3))
    def create(self, choice: int, paced: bool, words: str) -> None:
        ruleset = self.rulesets[choice % len(self.rulesets)]
        rules = referee.find(ruleset)
        self.count = min(count for count in rules.SEATS if count > 1)
        seats: list[Any] = [{"player": player} for player in self.service.players[: self.count - 1]]
        seats[0]["entropy"] = words
        wanted = {"ruleset": ruleset, "seats": [*seats, {"open": True}], "visibility": "public"}
        self.service.reseed(choice, paced, words)
        game = self.service.ask("POST", "/v1/games", {**wanted, "pace": PACE if paced else None}).json
        self.path, self.invite = f"/v1/games/{game['id']}", game["seats"][-1]["invite"]
        self.model = Model(ruleset, self.count, self.service.seed_of(game["commitment"]), paced)
        for seat in range(self.count - 1):
            assert self.model.join(seat, "" if seat else words) == 200

    # --- requests -------------------------------------------------------------------------------------

    def ask(self, seat: int, method: str, rest: str, body: Any = None, **headers: str) -> Any:
        return self.service.ask(method, self.path + rest, body, self.service.tokens[seat], **headers)

    def seat(self, number: int) -> int:
        """One of the seats that are taken, or all of them."""
        return number % (self.count if self.model.status != OPEN else self.count - 1)

    def append(self, expected: int, seat: int, rest: str, body: Any = None, **headers: str) -> None:
        """Send what appends an entry, with a key, and see that it is answered as expected."""
        headers["Idempotency-Key"] = str(uuid.uuid4())
        answer = self.ask(seat, "POST", rest, body, **headers)
        assert answer.status_code == expected, (rest, body, expected, answer.status_code, answer.json)
        if expected == 201:
            self.last = lambda: self.ask(seat, "POST", rest, body, **headers)
            self.answered = answer.json

    # --- rules ----------------------------------------------------------------------------------------

    @rule(words=st.text("ab", max_size=3))
    def join(self, words: str) -> None:
        """The last seat is taken, which begins the game; later it changes nothing."""
        seat, began = self.count - 1, self.model.status == OPEN
        body = {"invite": self.invite, "entropy": words}
        answer = self.ask(seat, "PUT", f"/seats/{seat}", body)
        if began:
            assert answer.status_code == self.model.join(seat, words), answer.json

    @precondition(lambda self: self.model.status == RUNNING)
    @rule(choice=CHOICES, number=SEATS, known=st.sampled_from(["yes", "no", "unsaid"]))
    def move(self, choice: int, number: int, known: str) -> None:
        """A legal move, at this version, at another one or at any."""
        seat = self.model.to_act[number % len(self.model.to_act)]
        legal = referee.legal_moves(self.model.state, seat)
        self._try(seat, legal[choice % len(legal)], known)

    @rule(choice=CHOICES, number=SEATS, known=st.sampled_from(["yes", "no", "unsaid"]))
    def any_move(self, choice: int, number: int, known: str) -> None:
        """A move that was legal for somebody at some time."""
        if self.known:
            self._try(self.seat(number), self.known[choice % len(self.known)], known)

    def _try(self, seat: int, move: dict[str, Any], known: str) -> None:
        version = self.model.version - (known == "no")
        headers = {} if known == "unsaid" else {"If-Match": f'"{version}"'}
        if move not in self.known:
            self.known.append(move)
        self.append(
            self.model.move(seat, move, known=known != "no"), seat, "/moves", {"move": move}, **headers
        )

    @rule(number=SEATS)
    def take_back(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.ask_back(seat), seat, "/take-back")

    @rule(number=SEATS, agree=st.sampled_from([True, True, False]))
    def answer_take_back(self, number: int, agree: bool) -> None:
        seat = self.seat(number)
        self.append(self.model.answer_back(seat, agree), seat, "/take-back/answer", {"agree": agree})

    @precondition(lambda self: self.model.made)
    @rule()
    def take_back_the_last_move(self) -> None:
        """Most moves cannot be; where it can, all agree."""
        seat = self.model.made[-1].seat
        self.append(self.model.ask_back(seat), seat, "/take-back")
        for seat in range(self.count):
            if self.model.request is not None and seat not in self.model.request.agreed:
                self.append(self.model.answer_back(seat, True), seat, "/take-back/answer", {"agree": True})

    @rule(number=SEATS)
    def pause(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.pause(seat), seat, "/pause")

    @rule(number=SEATS)
    def resume(self, number: int) -> None:
        self.append(self.model.resume(), self.seat(number), "/resumption")

    @rule(number=SEATS)
    def talk(self, number: int) -> None:
        self.append(self.model.talk(), self.seat(number), "/messages", {"text": "Hello"})

    @rule(number=SEATS, choices=st.lists(CHOICES, min_size=1, max_size=3))
    def leave_orders(self, number: int, choices: list[int]) -> None:
        if self.known:
            seat, moves = self.seat(number), [self.known[choice % len(self.known)] for choice in choices]
            expected = self.model.leave_orders(seat, moves)
            answer = self.ask(seat, "PUT", "/orders", {"orders": [{"move": move} for move in moves]})
            assert answer.status_code == expected, answer.json

    @precondition(lambda self: self.model.version > 25)
    @rule(number=SEATS)
    def resign(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.resign(seat), seat, "/resignation")

    @rule()
    def repeat(self) -> None:
        """The same request with its key is answered as it was, and changes nothing."""
        if self.last is not None:
            again = self.last()
            assert (again.status_code, again.json) == (201, self.answered)
            assert again.headers["Idempotency-Replayed"] == "true"

    @rule(choice=CHOICES, number=SEATS)
    def read_an_old_version(self, choice: int, number: int) -> None:
        version = 1 + choice % self.model.version
        if version in self.model.seen:
            self._hold(self.seat(number), version, f"?version={version}")

    @invariant()
    def everybody_is_shown_the_position(self) -> None:
        for seat in (*range(self.count), None):
            self._hold(seat, self.model.version)

    def _hold(self, seat: int | None, version: int, query: str = "") -> None:
        shown = self.ask(-1 if seat is None else seat, "GET", query).json
        state, status = self.model.seen[version], self.model.statuses[version]
        sits = None if seat == self.count - 1 and version < len(self.model.entropy) + 1 else seat
        assert (shown["version"], shown["status"]) == (version, status), shown
        assert shown["view"] == (None if state is None else referee.view(state, sits)), (seat, version)
        assert shown["to_act"] == (list(state.to_act) if status == RUNNING else []), (seat, version)
        assert shown["result"] == (state.result if status == FINISHED else None), (seat, version)
        if not query:
            assert shown["paused"] == self.model.paused


def play(
    service: Service,
    examples: int,
    steps: int = STEPS,
    seed: int | None = None,
    rulesets: Sequence[str] = RULESETS,
) -> None:
    """Try so many games, the same ones each time where there is no seed. Raises what differs, unshrunk."""
    chosen = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=seed is None,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    class Here(Table):
        def __init__(self) -> None:
            super().__init__(service, rulesets)

    run_machine(Here if seed is None else hypothesis.seed(seed)(Here), settings=chosen)


@contextlib.contextmanager
def serving() -> Iterator[Service]:
    """The application on a database of its own."""
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        settings = embedded(Settings(data_dir=directory), server.socket)
        migrate.upgrade(settings)
        service = Service(settings)
        yield service
        service.close()


def main() -> None:
    """Play and say how much; an assertion tells what differs."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    print(f"seed {seed}", flush=True)
    with serving() as service:
        play(service, examples, seed=seed)
    print(f"{examples} games, of {STEPS} steps at most each: nothing differs")


if __name__ == "__main__":
    main()
