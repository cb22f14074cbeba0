"""One game in memory, for programs that play many: moves, actions, payoffs, and what seats see."""

from collections.abc import Hashable, Mapping
from copy import copy
from typing import Any

from referee.computer.actions import Actions, Tree, Unencodable
from referee.computer.observation import Observer
from referee.computer.sampling import sample
from referee.computer.seeds import seed_of
from referee.engine.chance import Below, Chance, Seeded
from referee.engine.loading import read_options
from referee.engine.play import advance, deal, judge, legal_moves
from referee.engine.position import cached, clone
from referee.engine.registry import find
from referee.engine.verdicts import IllegalMove, Malformed
from referee.engine.views import view

NOTHING: Tree = {}


class Match:
    """A game from its deal on. Change it only through `play` and `act`, or by giving it another `state`."""

    def __init__(
        self,
        ruleset: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        *,
        seed: bytes | int | None = None,
        chance: Chance | None = None,
        version: int | None = None,
    ) -> None:
        """Deal. Every outcome follows from the seed, with no entropy of seats, unless `chance` gives them.

        Without a seed the deal is a new one; `seed` has it.

        Raises Malformed for an unknown ruleset, seats or options that it does not allow, and a seed or
        chance that is none.
        """
        rules = find(ruleset, version)
        if not isinstance(options, Mapping | None):
            raise Malformed("options", "must be an object")
        if chance is not None and not (hasattr(chance, "pick") and hasattr(chance, "shuffle")):
            raise Malformed("chance", "must have pick, shuffle and drawn")
        number, chosen = read_options(rules, seats, dict(options or {}))
        self._table = rules, number, chosen
        self.seed: bytes | None = None
        if chance is None:
            self.seed = seed_of(seed)
            chance = Seeded.from_seed(self.seed, [""] * seats)
        self.chance: Chance = chance
        self.begun: tuple[int, ...] = ()
        self._begun_by: int | None = None
        self._state, _ = deal(rules.ID, number, chosen, chance, version=rules.VERSION)
        self._actions: Actions | None = None
        # What the actions of a seat lead to in this position, and which seat's these are.
        self._tree: Tree = NOTHING
        self._tree_of: int | None = None

    @property
    def state(self) -> Any:
        """The position."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state
        self._tree, self._tree_of = NOTHING, None

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self._table[1])

    @property
    def to_act(self) -> list[int]:
        """The seats that the game waits for, ascending; none at its end."""
        return list(self._state.to_act)

    @property
    def is_over(self) -> bool:
        """Whether the game has a result."""
        return self._state.result is not None

    def __repr__(self) -> str:
        rules, seats, options = self._table
        chosen = f", {options}" if options else ""
        now = f"over: {self._state.result['reason']}" if self.is_over else f"waits for {self.to_act}"
        return f"<Match {rules.ID} {rules.VERSION}, {seats} seats{chosen}: {now}>"

    # --- moves ------------------------------------------------------------------------------------------
    def legal_moves(self, seat: int) -> list[dict[str, Any]]:
        """Return the moves that a seat may make now, also out of turn."""
        return list(legal_moves(self._state, seat))

    def play(self, seat: int, move: Mapping[str, Any]) -> None:
        """Make a move. Raises IllegalMove, with the rule and the reason, if the rules refuse it."""
        made: Any = dict(move) if isinstance(move, Mapping) else move
        verdict = judge(self._state, seat, made)
        if verdict.refusal is not None:
            raise IllegalMove(verdict.refusal)
        self._make(seat, made)

    def _make(self, seat: int, move: Mapping[str, Any]) -> None:
        self.begun = ()
        self._tree, self._tree_of = NOTHING, None
        advance(self._state, seat, move, self.chance)

    # --- actions ----------------------------------------------------------------------------------------
    @property
    def actions(self) -> Actions:
        """The actions of this game. Raises Unencodable if the ruleset has moves without actions."""
        if self._actions is None:
            self._actions = _actions(*_key(*self._table))
        return self._actions

    def legal_actions(self, seat: int) -> list[int]:
        """Return the actions with which a seat may begin a move or, if it has begun one, continue it."""
        return sorted(self._tree if seat == self._tree_of else self._found(seat))

    def mask(self, seat: int) -> list[int]:
        """Return 1 for each legal action, 0 for all others."""
        mask = [0] * self.actions.n
        for action in self._tree if seat == self._tree_of else self._found(seat):
            mask[action] = 1
        return mask

    def act(self, seat: int, action: int) -> bool:
        """Take one of the legal actions; return whether that completed a move, which is then made.

        While a seat has begun a move, no other may act. Raises Unencodable for an action that is not legal.
        """
        legal = self._tree if seat == self._tree_of else self._found(seat)
        reached = legal.get(action) if isinstance(action, Hashable) else None
        if reached is None:
            raise Unencodable(f"action {action} is not legal for seat {seat} now")
        if isinstance(reached, dict):
            self._make(seat, reached)
            return True
        self.begun, self._begun_by = (*self.begun, action), seat
        actions = self._actions or self.actions
        self._tree, self._tree_of = actions.branches(reached, self.begun), seat
        return False

    def _found(self, seat: int) -> Tree:
        """Find what the legal actions of a seat lead to, and keep it until something changes."""
        if self.begun and seat != self._begun_by:
            return NOTHING
        tree = (self._actions or self.actions).tree(legal_moves(self._state, seat))
        if self.begun:  # by a match that was pickled, say
            for number, action in enumerate(self.begun, 1):
                tree = self.actions.branches(tree[action], self.begun[:number]) if action in tree else NOTHING
        self._tree, self._tree_of = tree, seat
        return tree

    # --- payoffs and views ----------------------------------------------------------------------------
    def payoffs(self) -> list[float]:
        """Return what the game pays each seat; zeros until it is over."""
        return payoffs(self._state)

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat, or a spectator, sees now."""
        return view(self.state, seat)

    @property
    def observer(self) -> Observer:
        """What writes views as rows of numbers; its `layout` says what they mean."""
        return _observer(*_key(*self._table))

    def observation(self, seat: int) -> list[float]:
        """Return what a seat sees now as a row of numbers. Raises Malformed for no seat of the game."""
        if seat not in range(self.seats):
            raise Malformed("seat", f"must be from 0 to {self.seats - 1}")
        return self.observer.write(self.view(seat), seat)

    def sample(self, seat: int | None, below: Below) -> Any:
        """Return a position that the seat cannot tell from this one by its view; see `sample`."""
        return sample(self.view(seat), below)

    def clone(self) -> "Match":
        """Return a copy that plays on independently, with the same chance to come."""
        other = object.__new__(Match)
        other.__dict__.update(self.__dict__)
        other._state = clone(self._state)
        other.chance = copy(self.chance)
        return other

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> "Match":
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the ruleset by its name, and nothing that can be found again."""
        rules, seats, options = self._table
        left_out = {"_actions", "_tree", "_tree_of", "_table"}
        kept = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return kept | {"_named": (rules.ID, rules.VERSION, seats, options)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        name, version, seats, options = kept.pop("_named")
        self.__dict__.update(kept, _actions=None, _tree=NOTHING, _tree_of=None)
        self._table = find(name, version), seats, options


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


Options = tuple[tuple[str, type, Any], ...]


def _key(rules: Any, seats: int, options: Mapping[str, Any]) -> tuple[Any, int, Options]:
    return rules, seats, tuple((name, type(options[name]), options[name]) for name in sorted(options))


@cached
def _actions(rules: Any, seats: int, options: Options) -> Actions:
    return Actions(rules, seats, {name: value for name, _, value in options})


@cached
def _observer(rules: Any, seats: int, options: Options) -> Observer:
    return Observer(rules, seats, {name: value for name, _, value in options})
