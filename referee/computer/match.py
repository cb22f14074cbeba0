"""One game in memory, for programs that play many: moves, actions, chance, payoffs, and what seats have
seen.
"""

from collections.abc import Mapping
from copy import copy
from typing import Any

from referee.computer.actions import Actions, Unencodable, following
from referee.computer.sampling import Below, sample
from referee.engine.chance import Chance, Seeded
from referee.engine.play import advance, deal, judge, legal_moves
from referee.engine.position import Moved, cached, clone
from referee.engine.verdicts import Malformed
from referee.engine.views import public_move, show_transfers, view


class Match:
    """A game from its deal on. `state` is its position; change it only through `play` and `act`."""

    def __init__(
        self,
        ruleset: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        *,
        seed: bytes = b"\0",
        chance: Chance | None = None,
        version: int | None = None,
    ) -> None:
        """Deal. Every outcome follows from the seed, with no entropy of seats, unless `chance` gives them.

        Raises Malformed for an unknown ruleset, or seats or options that it does not allow.
        """
        self.chance: Chance = Seeded.from_seed(seed, [""] * seats) if chance is None else chance
        self.state, dealt = deal(ruleset, seats, dict(options or {}), self.chance, version=version)
        self.begun: tuple[int, ...] = ()
        self._happened: list[tuple[int | None, dict[str, Any], dict[str, Any], list[Moved]]] = [
            (None, {}, {}, dealt)
        ]

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self.state.seats)

    @property
    def to_act(self) -> list[int]:
        """The seats that the game waits for, ascending; empty after its end."""
        return list(self.state.to_act)

    @property
    def is_over(self) -> bool:
        """Whether the game has a result."""
        return self.state.result is not None

    # --- moves ------------------------------------------------------------------------------------------
    def legal_moves(self, seat: int) -> list[dict[str, Any]]:
        """Return the moves that a seat may make now, also out of turn."""
        return list(legal_moves(self.state, seat))

    def play(self, seat: int, move: Mapping[str, Any]) -> None:
        """Make a move. Raises Malformed, with the rule and the reason, if it is not legal."""
        verdict = judge(self.state, seat, dict(move))
        if verdict.refusal is not None:
            raise Malformed("move", f"{verdict.refusal.rule}: {verdict.refusal.reason}")
        public = public_move(self.state, move)
        transfers = advance(self.state, seat, move, self.chance)
        self.begun = ()
        self._happened.append((seat, dict(move), public, transfers))

    # --- actions ----------------------------------------------------------------------------------------
    @property
    def actions(self) -> Actions:
        """The actions of this game. Raises Unencodable if the ruleset has moves without actions."""
        return actions_of(self.state)

    def legal_actions(self, seat: int) -> list[int]:
        """Return the actions with which a seat may begin a move or, if one is begun, continue it."""
        return following(self.actions.among(legal_moves(self.state, seat)), self.begun)

    def mask(self, seat: int) -> list[int]:
        """Return 1 for each legal action, 0 for all others."""
        legal = set(self.legal_actions(seat))
        return [int(action in legal) for action in range(self.actions.n)]

    def act(self, seat: int, action: int) -> bool:
        """Take one of the legal actions; return whether that completed a move, which is then made.

        All actions of a move must be of the same seat. Raises Unencodable for an action that is not legal.
        """
        moves = self.actions.among(legal_moves(self.state, seat))
        begun = (*self.begun, action)
        if begun in moves:
            self.play(seat, moves[begun])
            return True
        if not following(moves, begun):
            raise Unencodable(f"action {action} is not legal for seat {seat} now")
        self.begun = begun
        return False

    # --- payoffs and knowledge --------------------------------------------------------------------------
    def payoffs(self) -> list[float]:
        """Return what the game pays each seat; zeros until it is over."""
        return payoffs(self.state)

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat, or a spectator, sees now."""
        return view(self.state, seat)

    def information_state(self, seat: int | None) -> dict[str, Any]:
        """Return all that a seat knows: its view, and what it has seen so far, move by move.

        Two matches that a seat cannot tell apart have equal information states.
        """
        seen = [
            {
                "seat": mover,
                "move": move if seat is not None and mover == seat else public,
                "transfers": show_transfers(transfers, seat),
            }
            for mover, move, public, transfers in self._happened
        ]
        return {"view": self.view(seat), "seen": seen}

    def sample(self, seat: int | None, below: Below) -> Any:
        """Return a position that the seat cannot tell from this one by its view; see `sample`."""
        return sample(self.view(seat), below)

    def clone(self) -> "Match":
        """Return a copy that plays on independently, with the same chance to come."""
        other = object.__new__(Match)
        other.state = clone(self.state)
        other.chance = copy(self.chance)
        other.begun = self.begun
        other._happened = self._happened[:]
        return other


def payoffs(state: Any) -> list[float]:
    """Return what a game pays each seat: the ruleset's `payoffs(state)` after the end, zeros before it.

    A ruleset that declares none pays 1 to winners and -1 to losers. Those who gave up are paid by the result
    in every ruleset.
    """
    if state.result is None:
        return [0.0] * state.seats
    declared = getattr(state.ruleset, "payoffs", None)
    if declared is not None and state.result["reason"] in state.ruleset.REASONS:
        return [float(amount) for amount in declared(state)]
    winners, losers = state.result["winners"], state.result["losers"]
    return [float((seat in winners) - (seat in losers)) for seat in range(state.seats)]


def actions_of(state: Any) -> Actions:
    """Return the actions of a game. Raises Unencodable."""
    options = state.options
    key = tuple((name, type(options[name]), options[name]) for name in sorted(options))
    return _actions(state.ruleset, state.seats, key)


@cached
def _actions(rules: Any, seats: int, options: tuple[tuple[str, type, Any], ...]) -> Actions:
    return Actions(rules, seats, {name: value for name, _, value in options})
