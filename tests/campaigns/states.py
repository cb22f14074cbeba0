"""Check that the service and a table of the library never differ, for requests in any order.

    python -m tests.campaigns.states [EXAMPLES [SEED]]

Hypothesis sends requests to two applications as the players of a game (legal and illegal moves, conditional
ones, repeats, take-backs, resignations, pauses, days off, orders,
votes for replacements, reads of old versions) and as its app, hands seats over, lets time pass, and compares
each answer, and then the views of all players, with `model.py`.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import click
import hypothesis
import structlog
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

import referee
import referee.table
from api.games import history
from tests.campaigns.application import Service, serving
from tests.campaigns.by_post import ByPost
from tests.campaigns.model import FINISHED, OPEN, RUNNING, Model
from tests.campaigns.seated import CHOICES, SEATS, running, unpaused

RULESETS = sorted(rules.ID for rules in referee.newest())
STEPS = 40
SNAPSHOT_EVERY = 6  # entries: games are short here
AWAY = {"vacation_days": 4}
PACES = [
    None,
    {"per_move": "PT72H", "on_timeout": "resign", "reserve": "PT5H", **AWAY},
    {"per_move": "PT24H", "on_timeout": "random_move", "increment": "PT1H", "reserve": "PT2H", **AWAY},
    {"per_move": "PT24H", "on_timeout": "random_move", "increment": "PT1H", "reserve": "PT2H"},
]


class Table(ByPost):
    """A game from its creation on."""

    @initialize(
        choice=CHOICES,
        pace=st.sampled_from(PACES),
        words=st.text("ab", max_size=3),
        begins=st.sampled_from([True, True, True, False]),
        private=st.sampled_from([False, False, True]),
    )
    def create(
        self, choice: int, pace: dict[str, Any] | None, words: str, begins: bool, private: bool
    ) -> None:
        hypothesis.assume(choice)  # each run of Hypothesis starts with the simplest game
        ruleset = self.rulesets[choice % len(self.rulesets)]
        rules = referee.find(ruleset)
        self.count = min(count for count in rules.SEATS if count > 1)
        seats: list[Any] = [{"player": player} for player in self.service.players[: self.count - 1]]
        seats[0]["entropy"] = words
        wanted = {"ruleset": ruleset, "seats": [*seats, {"open": True}], "visibility": "public", "pace": pace}
        wanted["seats_private"] = private
        self.service.reseed(choice, pace, words)
        game = self.service.ask("POST", "/v1/games", wanted).json
        self.path, self.invite = f"/v1/games/{game['id']}", game["seats"][-1]["invite"]
        seed = self.service.seed_of(game["commitment"])
        self.model = Model(ruleset, self.count, seed, pace, lambda: self.service.time, private)
        for seat in range(self.count - 1):
            assert self.model.join(seat, "" if seat else words) == 200
        if begins:
            self.join(words)

    # --- rules ----------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.status == OPEN or self.model.version % 5 == 0)
    @rule(words=st.text("ab", max_size=3))
    def join(self, words: str) -> None:
        """Take the last seat, which starts the game; later this changes nothing."""
        seat, began = self.count - 1, self.model.status == OPEN
        expected, player = self.model.join(seat, words), self.player(seat)
        answer = self.ask(player, "PUT", f"/seats/{seat}", {"invite": self.invite, "entropy": words})
        if began:
            assert answer.status_code == expected, answer.json

    @running
    @rule(choice=CHOICES, number=SEATS, known=st.sampled_from(["yes", "no", "unsaid"]))
    def move(self, choice: int, number: int, known: str) -> None:
        """Make a legal move, naming this version, another one or none."""
        waiting = [seat for seat in self.model.to_act if seat in self.model.players]  # not for bots
        if waiting:
            seat = waiting[number % len(waiting)]
            legal = referee.legal_moves(self.model.state, seat)
            self._try(seat, legal[choice % len(legal)], known)

    @rule(choice=CHOICES, number=SEATS, known=st.sampled_from(["yes", "no", "unsaid"]))
    def any_move(self, choice: int, number: int, known: str) -> None:
        """Send a move that was legal for some seat at some time."""
        if self.known:
            self._try(self.seat(number), self.known[choice % len(self.known)], known)

    @rule(number=SEATS)
    def take_back(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.ask_back(seat), self.player(seat), "/take-back")

    @rule(number=SEATS, agree=st.sampled_from([True, True, False]))
    def answer_take_back(self, number: int, agree: bool) -> None:
        seat = self.seat(number)
        expected = self.model.answer_back(seat, agree)
        self.append(expected, self.player(seat), "/take-back/answer", {"agree": agree})

    @unpaused
    @rule(choice=CHOICES)
    def move_and_take_back(self, choice: int) -> None:
        """Make a move that shows nothing, take it back by agreement, and read versions before and after."""
        seat, state = self.model.to_act[0], self.model.state
        tried = ((move, referee.clone(state)) for move in referee.legal_moves(state, seat)[:20])
        table = self.model.table
        silent = [
            move for move, copy in tried if referee.table.reveals(copy, seat, move, table.chance) is None
        ]
        if not silent or seat not in self.model.players:
            return
        self._try(seat, silent[choice % len(silent)], "unsaid")
        if seat in self.model.players:
            self.append(self.model.ask_back(seat), self.player(seat), "/take-back")
        for number, each in enumerate(sorted(self.model.players)):
            request = self.model.fold.recent.consent.request
            if request is not None and each not in request.agreed:
                self.answer_take_back(number, True)
        for before in range(min(4, self.model.version - 1)):
            self.read_an_old_version(self.model.version - 1 - before, choice)

    @rule(number=SEATS)
    def talk(self, number: int) -> None:
        seat, body = self.seat(number), {"text": "Hello"}
        expected = self.model.talk(seat, "Hello")
        if expected != 409:
            self.append(expected, self.player(seat), "/messages", body)
            return
        late = self.ask(
            self.player(seat), "POST", "/messages", body
        )  # for a day after the end, beside the log
        assert late.status_code == 409 or late.json["entry"] is None, late.json

    @precondition(lambda self: self.model.version > 25)
    @rule(number=SEATS)
    def resign(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.resign(seat), self.player(seat), "/resignation")

    @rule()
    def repeat(self) -> None:
        """Repeat a request with its key: it gets its entry, and nothing changes but what is due."""
        if self.last is not None:
            again = self.last()
            shown, before = again.json["entry"], self.answered
            # Whoever has left the seat since sees no more of it than anybody.
            assert again.status_code == 201
            assert {**shown, "private": None} == {**before, "private": None}
            assert shown.get("private", {}).items() <= before.get("private", {}).items()
            assert again.headers["Idempotency-Replayed"] == "true"
            # Whoever may still act settles overdue clocks first.
            if self.ask(self.viewers()[0], "GET", "").json["version"] > self.model.version:
                self.model.settle()

    @rule(number=SEATS)
    def list_legal_moves(self, number: int) -> None:
        seat = self.seat(number)
        listed = self.ask(self.player(seat), "GET", "/legal-moves").json
        legal = list(referee.legal_moves(self.model.state, seat)) if self.model.status == RUNNING else []
        assert (listed["version"], listed["moves"]) == (self.model.version, legal)

    @rule(choice=CHOICES, number=CHOICES)
    def read_an_old_version(self, choice: int, number: int) -> None:
        version, viewers = 1 + choice % self.model.version, self.viewers()
        if version in self.model.seen:
            self._hold(viewers[number % len(viewers)], version, f"?version={version}")

    def viewers(self) -> list[int]:
        """Return all players, and a spectator."""
        held = {holder for holder in self.model.holders if holder is not None}
        return [*sorted(held), -1]

    @invariant()
    def everybody_is_shown_the_position(self) -> None:
        for player in self.viewers():
            self._hold(player, self.model.version)

    def _hold(self, player: int, version: int, query: str = "") -> None:
        answer, model, seen = self.ask(player, "GET", query), self.model, self.model.seen[version]
        shown, state, status = answer.json, seen.state, seen.status
        assert (shown["version"], shown["status"]) == (version, status), shown
        seats = model.seats_of(player, version)
        assert shown["viewer"]["seats"] == seats, (player, version, shown["viewer"])
        view = None if state is None else referee.view(state, seats[0] if seats else None)
        assert shown["view"] == view, (player, version)
        assert shown["to_act"] == (list(state.to_act) if status == RUNNING else []), (player, version)
        assert shown["result"] == (state.result if status == FINISHED else None), (player, version)
        sat = [each["player"] and self.service.players.index(each["player"]["id"]) for each in shown["seats"]]
        assert sat == seen.holders, (version, shown["seats"])
        if model.pace:
            clocks = [{name: each[name] for name in seen.clocks[0]} for each in shown["seats"]]
            assert clocks == seen.clocks, (version, clocks, seen.clocks)
            agreed = [each["seat"] for each in shown["seats"] if each.get("pause_agreed")]
            assert agreed == seen.agreed, (version, agreed, seen.agreed)
        if not query:
            assert shown["paused"] == model.table.paused
            same = self.ask(player, "GET", "", **{"If-None-Match": f'"{version - 1}"'})
            assert same.status_code == 200, (player, version)

    def teardown(self) -> None:
        """Check that every log verifies."""
        if self.path is None:
            return
        found = self.service.ask("GET", f"{self.path}/verification").json
        assert found["ok"], [check for check in found["checks"] if not check["ok"]]


def play(
    service: Service,
    examples: int,
    steps: int = STEPS,
    seed: int | None = None,
    rulesets: Sequence[str] = RULESETS,
    tell: Callable[[int], None] = lambda games: None,
) -> None:
    """Try this many games, always the same without a seed. Raises the difference, without shrinking.

    Each game is a run of its own, because within a run Hypothesis repeats most games almost unchanged.
    """
    chosen = hypothesis.settings(
        max_examples=1,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    class Here(Table):
        def __init__(self) -> None:
            super().__init__(service, rulesets)

    with mock.patch.object(history, "EVERY", SNAPSHOT_EVERY):
        for number in range(examples):
            run_machine(hypothesis.seed((seed or 0) * 10**6 + number)(Here), settings=chosen)
            tell(number + 1)


@click.command(help=__doc__)
@click.argument("examples", default=1000)
@click.argument("seed", type=int, default=lambda: random.randrange(10**6))
def main(examples: int, seed: int) -> None:
    """Play games and print a summary; an assertion describes the difference."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    print(f"seed {seed}", flush=True)
    with serving() as service:
        play(service, examples, seed=seed, tell=lambda games: print(games, flush=True))
    print(f"{examples} games, of {STEPS} steps at most each: nothing differs")


if __name__ == "__main__":
    main()
