"""A model of a game: a table of the library, and in a few lines what the service adds to it.

Each method of a request returns the status that the service has to answer with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import referee
import referee.bots
import referee.clocks
import referee.positions
from referee.table import Event, Fold, PlayerName, Seat, Table, Who, commands
from tests.campaigns.left import Move, Plan

OPEN, RUNNING, FINISHED = "open", "running", "finished"
TERMS = {"warn_before": None, "reserve": None, "quiet_weekends": False, "vacation_days": 0}
ILLEGAL = 422


@dataclass
class Shown:
    """What a version shows: `state` to those who may see it, the holders of seats, the clocks."""

    state: Any
    status: str
    holders: list[int | None]
    clocks: list[dict[str, Any]]
    agreed: list[int]


def who_is(player: int | None) -> Who:
    """Return a player by number, or a bot."""
    return Who(bot="random") if player is None else Who(PlayerName(str(player), f"Player {player}"))


class Model:
    """A game; `seen` contains what every version showed. Players are numbers."""

    def __init__(
        self,
        ruleset: str,
        seats: int,
        seed: bytes,
        pace: dict[str, Any] | None,
        now: Callable[[], datetime],
        private: bool,
    ) -> None:
        rules = referee.find(ruleset)
        self.table = Table(
            ruleset=ruleset,
            ruleset_version=rules.VERSION,
            options=referee.positions.read_options(rules, seats, {})[1],
            seats=[Seat()] * seats,
            seed=seed,
            updated_at=now(),
        )
        self.fold = Fold(self.table)
        self.pace, self.now, self.private = pace, now, private
        self.plans = [Plan() for _ in range(seats)]
        self.seen: dict[int, Shown] = {}
        terms: Any = {"pace": None if pace is None else {**TERMS, **pace}}
        self._happen(Event("created", now(), terms))

    @property
    def status(self) -> str:
        return self.table.status

    @property
    def version(self) -> int:
        return self.table.version

    @property
    def state(self) -> Any:
        return self.table.position

    @property
    def to_act(self) -> list[int]:
        return [*self.table.to_act]

    @property
    def holders(self) -> list[int | None]:
        return [int(seat.player.id) if seat.player else None for seat in self.table.seats]

    @property
    def players(self) -> set[int]:
        """Return the seats that players hold."""
        return {number for number, seat in enumerate(self.table.seats) if seat.player}

    @property
    def bots(self) -> set[int]:
        """Return the seats that bots hold."""
        return {number for number, seat in enumerate(self.table.seats) if seat.bot}

    @property
    def agreed(self) -> set[int]:
        """Return the seats that agree to a pause."""
        return {number for number, seat in enumerate(self.table.seats) if seat.pause_agreed}

    def seats_of(self, player: int, version: int) -> list[int]:
        """Return the seats as which a player sees a version."""
        if player not in self.holders:
            return []
        return [seat for seat, holder in enumerate(self.seen[version].holders) if holder == player]

    # --- the log --------------------------------------------------------------------------------------

    def _happen(self, event: Event) -> None:
        """Let an event happen at the table, and record what is seen after it."""
        entry: Any = {"type": event.kind, "at": referee.clocks.timestamp(event.at), **event.members}
        facts = self.fold.happen(event._replace(members=entry))
        self._plan(event, sum(len(cards) for origin, _, cards, *_ in facts.transfers if origin is None))
        if not (self.table.out and self.table.status == RUNNING):  # over, and the result is not recorded yet
            self._show()

    def _plan(self, event: Event, gathered: int) -> None:
        """Change the orders of players as an event does after which so many cards were dealt from none."""
        kind, seat = event.kind, event.members.get("seat", 0)
        if kind == "moved":
            self.plans[seat].held = False
            if gathered == len(deck := self.state.ruleset.deck(self.state.seats, self.state.options)):
                for plan in self.plans:
                    plan.new_hand({*deck})
        elif kind == "taken_back":
            for player in self.players:
                self.plans[player].take_back(event.members["of"], player == seat)
        elif kind == "left":
            self.plans[seat] = Plan()

    def _show(self) -> None:
        table, pace = self.table, self.table.timing
        clocks = []
        for seat in table.seats if pace else ():
            deadline = seat.deadline and referee.clocks.timestamp(seat.deadline)
            shown = {"deadline": deadline, "reserve": referee.clocks.duration_text(pace.reserve_left(seat))}
            if pace.vacation_days:
                away = seat.away_until and referee.clocks.timestamp(seat.away_until)
                shown |= {"vacation_days": pace.vacation_left(seat), "away_until": away}
            clocks.append(shown)
        state = None if table.state is None else referee.clone(table.state)
        self.seen[table.version] = Shown(state, table.status, self.holders, clocks, sorted(self.agreed))

    def _all_happen(self, events: Iterable[Event]) -> int:
        """Let events happen, each before the next is asked for; return how many there were."""
        number = 0
        for event in events:
            self._happen(event)
            number += 1
        return number

    def _ask(self, command: commands.Command, known: bool = True) -> int:
        """Carry out what is asked for, and what follows; return the status."""
        self.settle()
        if not known:
            return 412
        event = commands.decide(self.table, command, self.now(), self.fold.recent)
        if isinstance(event, referee.Refusal):
            return 409 if event.rule.startswith("table.") else ILLEGAL
        self._happen(event)
        self._all_happen(commands.following(self.table, self.now()))
        if taken_back := commands.taken_back(self.table, self.now(), self.fold.recent):
            self._happen(taken_back)
        return 201

    def _ask_and_go_on(self, command: commands.Command, known: bool = True) -> int:
        status = self._ask(command, known)
        if status == 201:
            self.go_on()
        return status

    def settle(self) -> None:
        """Settle what is overdue, as the next caller or the worker does."""
        if self._all_happen(commands.pass_time(self.table, self.now(), lambda: self.fold.recent)):
            self.go_on()

    def go_on(self) -> None:
        """Let bots move, and play orders."""
        while self.status == RUNNING and not self.table.paused:
            seat = self.table.waiting_bot
            if seat is not None:
                numbers = referee.bots.bot_numbers(self.table.key, self.version + 1)
                self._move(seat, referee.bot_move("random", self.state, seat, numbers))
                continue
            seat = next((seat for seat in self.to_act if self._to_be_looked_at(seat)), None)
            if seat is None:
                return
            move = self.plans[seat].next(self.state, seat, self.state.ruleset.COMPLETE)
            if move is None:
                self.plans[seat].looked = self.version
            else:
                seq = self.version + 1
                self._move(seat, move, order=True)
                self.plans[seat].note_played(seq)

    def _move(self, seat: int, move: Move, *, order: bool = False) -> None:
        event = commands.decide(self.table, commands.play.Move(seat, move, order), self.now())
        assert isinstance(event, Event), event
        self._happen(event)
        self._all_happen(commands.following(self.table, self.now()))

    def _to_be_looked_at(self, seat: int) -> bool:
        plan = self.plans[seat]
        return plan.anything and not plan.held and plan.looked != self.version

    # --- what players and the app do ------------------------------------------------------------------

    def join(self, seat: int, entropy: str) -> int:
        status = self._ask_and_go_on(commands.seats.Sit(seat, who_is(seat), entropy))
        return 200 if status == 201 else status

    def move(self, seat: int, move: Move, *, known: bool = True) -> int:
        return self._ask_and_go_on(commands.play.Move(seat, move), known)

    def resign(self, seat: int) -> int:
        return self._ask(commands.play.Resign(seat))

    def talk(self, seat: int, text: str) -> int:
        self.settle()
        return 409 if self.table.over else self._ask_and_go_on(commands.play.Say(seat, text))

    def ask_back(self, seat: int) -> int:
        return self._ask_and_go_on(commands.agreements.AskTakeBack(seat))

    def answer_back(self, seat: int, agree: bool) -> int:
        answer = commands.agreements.AgreeToTakeBack if agree else commands.agreements.RefuseTakeBack
        return self._ask_and_go_on(answer(seat))

    def pause(self, seat: int) -> int:
        return self._ask(commands.agreements.AgreeToPause(seat))

    def resume(self, seat: int) -> int:
        return self._ask_and_go_on(commands.agreements.EndPause(seat))

    def go_away(self, seat: int, days: int) -> int:
        return self._ask(commands.clocks.TakeVacation(seat, days))

    def leave_orders(self, seat: int, orders: list[dict[str, Any]]) -> int:
        return self._leave(seat, orders=list(orders))

    def always(self, seat: int, always_pass: bool, only_move: bool) -> int:
        """Set what is done at every turn."""
        return self._leave(seat, always_pass=always_pass, only_move=only_move)

    def _leave(self, seat: int, **wanted: Any) -> int:
        self.settle()
        if self.status != RUNNING:
            return 409
        self.plans[seat] = replace(self.plans[seat], **wanted, repeated=0, looked=-1, held=False)
        self.go_on()
        return 200

    def hand_over(self, seat: int, player: int | None) -> int:
        """As the app, give a seat to another player or a bot."""
        self.settle()
        if self.status != RUNNING or self.table.paused:
            return 409
        return 200 if self._sits(seat, player) else self._replace(seat, player)

    def agree_to_replace(self, seat: int, voter: int, player: int) -> int:
        """Agree that a player takes over from a missing one; all other seats have to agree."""
        self.settle()
        if self.status != RUNNING or self.table.paused:
            return 409
        agreed, proposal = self.fold.recent.votes.about(seat), (str(player), None)
        if agreed.get(voter) == proposal or self._sits(seat, player):
            return 200
        status = self._ask(commands.seats.AgreeToReplace(voter, seat, who_is(player)))
        if status != 201:
            return status
        if self.fold.recent.votes.unanimous(seat, self.players - {seat}) == proposal:
            self._replace(seat, player, agreed=True)
        return 200

    def _sits(self, seat: int, player: int | None) -> bool:
        there = self.table.seats[seat]
        return bool(there.bot) if player is None else self.holders[seat] == player

    def _replace(self, seat: int, player: int | None, *, agreed: bool = False) -> int:
        command = commands.seats.HandOver(seat, who_is(player), "agreed" if agreed else None)
        status = self._ask(command)
        if status == 201:
            self._happen(command.then(self.now()))
            self.go_on()
        return 200 if status == 201 else status
