"""Actions of players who play by post: pauses, waiting, orders, days off, seats that change hands."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

import referee
from tests.campaigns.application import PLAYERS
from tests.campaigns.model import RUNNING
from tests.campaigns.seated import CHOICES, HOURS, SEATS, Seated, paced, running, unpaused

A_WEEK = 170  # some hours and a little more


class ByPost(Seated):
    """Rules for actions that take days."""

    @rule(number=SEATS)
    def pause(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.pause(seat), self.player(seat), "/pause")

    @paced
    @rule(number=SEATS, hours=HOURS)
    def pause_for_a_while(self, number: int, hours: int) -> None:
        """Everybody agrees on a pause, time passes, and somebody ends it."""
        for seat in sorted(self.model.players - self.model.agreed):
            if self.model.status == RUNNING:
                self.append(self.model.pause(seat), self.player(seat), "/pause")
        self.wait(hours, number % 2 == 0)
        self.everybody_is_shown_the_position()
        self.resume(number)

    @rule(number=SEATS)
    def resume(self, number: int) -> None:
        seat = self.seat(number)
        self.append(self.model.resume(seat), self.player(seat), "/resumption")

    @running
    @rule(hours=HOURS, works=st.booleans())
    def wait(self, hours: int, works: bool) -> None:
        """Let time pass. The worker or the next caller settles what is overdue then."""
        self.service.wait(hours)
        if works:
            self.service.work()
            self.model.settle()

    @rule(number=SEATS, choices=st.lists(CHOICES, min_size=1, max_size=3))
    def leave_orders(self, number: int, choices: list[int]) -> None:
        if self.known:
            moves = [self.known[choice % len(self.known)] for choice in choices]
            self._order(self.seat(number), moves)

    def _order(self, seat: int, moves: list[dict[str, Any]]) -> None:
        self._leave(seat, [{"move": move} for move in moves])

    def _leave(self, seat: int, orders: list[dict[str, Any]]) -> None:
        player, expected = self.player(seat), self.model.leave_orders(seat, orders)
        answer = self.ask(player, "PUT", "/orders", {"orders": orders})
        assert answer.status_code == expected, answer.json

    @unpaused
    @rule(choice=CHOICES, moves=st.integers(0, 2))
    def order_what_will_be_legal(self, choice: int, moves: int) -> None:
        """After up to two moves, set an order for a seat's next turn, then make the move before it."""
        for _ in range(moves):
            self.make_move(choice)
        if self.model.status != RUNNING or not self.model.to_act:
            return
        seat = self.model.to_act[0]
        legal = referee.legal_moves(self.model.state, seat)
        move, after = legal[choice % len(legal)], referee.clone(self.model.state)
        referee.advance(after, seat, move, self.model.table.chance)
        following = next((each for each in after.to_act if each in self.model.players - {seat}), None)
        if following is not None:
            answers = referee.legal_moves(after, following)
            self._order(following, [answers[choice % len(answers)]])
        if self.model.status == RUNNING and seat in self.model.players:
            self._try(seat, move, "unsaid")

    def make_move(self, choice: int) -> None:
        """Make a legal move for the seat to act, if a player holds it."""
        if self.model.status == RUNNING and self.model.to_act:
            seat = self.model.to_act[0]
            legal = referee.legal_moves(self.model.state, seat)
            if seat in self.model.players and legal:
                self._try(seat, legal[choice % len(legal)], "unsaid")

    @rule(number=SEATS, always_pass=st.booleans(), only_move=st.booleans())
    def act_always(self, number: int, always_pass: bool, only_move: bool) -> None:
        """Let a seat always pass or make the only move, while another seat has a choice."""
        seat = self.seat(number)
        thinks = [n for n in self.model.players if n != seat and not self.model.plans[n].repeats]
        if thinks:
            wanted = {"always_pass": always_pass, "only_move": only_move}
            player, expected = self.player(seat), self.model.always(seat, **wanted)
            answer = self.ask(player, "PUT", "/automatic", wanted)
            assert answer.status_code == expected, answer.json

    @rule(number=SEATS, days=st.integers(1, 3))
    def go_away(self, number: int, days: int) -> None:
        """Take days off for a player."""
        seat = self.seat(number)
        self.append(self.model.go_away(seat, days), self.player(seat), "/vacation", {"days": days})

    @unpaused
    @rule(number=SEATS, newcomer=st.integers(0, PLAYERS))
    def hand_over(self, number: int, newcomer: int) -> None:
        """As the app, give a seat to another player, or the only one to a bot."""
        seat = (number if newcomer < PLAYERS or self.model.bots else number + 1) % self.count
        if newcomer == PLAYERS and not self.model.bots <= {seat}:
            return
        player = newcomer if newcomer < PLAYERS else None
        body = {"bot": "random"} if player is None else {"player": self.service.players[player]}
        expected = self.model.hand_over(seat, player)
        answer = self.service.ask("PUT", f"{self.path}/seats/{seat}/player", body)
        assert answer.status_code == expected, answer.json

    @running
    @rule(number=SEATS, voter=SEATS, newcomer=st.integers(0, PLAYERS - 1))
    def agree_to_replace(self, number: int, voter: int, newcomer: int) -> None:
        """Ask for a player to be replaced, who may be missing or not."""
        seat, agrees = self.seat(number), self.seat(voter)
        if seat != agrees:
            player, expected = self.player(agrees), self.model.agree_to_replace(seat, agrees, newcomer)
            body = {"player": self.service.players[newcomer]}
            answer = self.ask(player, "PUT", f"/seats/{seat}/player", body)
            assert answer.status_code == expected, (answer.json, expected)

    @unpaused
    @rule(newcomer=st.integers(0, PLAYERS - 1), all_agree=st.booleans(), works=st.booleans())
    def replace_who_is_missing(self, newcomer: int, all_agree: bool, works: bool) -> None:
        """Let a week pass without a move, then let the others (or all but one) agree on a replacement."""
        self.wait(A_WEEK, works)
        seat = self.model.to_act[0] if self.model.to_act else None
        if seat in self.model.players:
            held = sorted(self.model.players)
            for voter in held if all_agree else held[1:]:
                if self.model.status == RUNNING and self.model.holders[seat] != newcomer:
                    self.agree_to_replace(held.index(seat), held.index(voter), newcomer)

    @running
    @rule(choice=CHOICES, number=SEATS, named=st.booleans())
    def the_app_acts(self, choice: int, number: int, named: bool) -> None:
        """Let the app read and move as a player, which is refused if only players may act for their seats."""
        seat = self.seat(number)
        holder, legal = self.model.holders[seat], referee.legal_moves(self.model.state, seat)
        assert holder is not None
        headers = {"Card-Referee-Player": self.service.players[holder]} if named else {}
        looked = self.ask(None, "GET", "", **headers)
        view = referee.view(self.model.state, seat if named else None)
        refused = named and self.model.private
        assert looked.status_code == (403 if refused else 200), looked.json
        assert refused or looked.json["view"] == view
        if legal:
            move = legal[choice % len(legal)]
            expected = 403 if self.model.private else self.model.move(seat, move)
            body = {"move": move} if named else {"move": move, "seat": seat}
            self.append(expected, None, "/moves", body, **headers)
