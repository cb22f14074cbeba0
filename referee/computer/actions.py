"""Moves as small numbers, for programs that learn: the same numbers in every game of a ruleset's version,
with the same number of seats and the same options.

A move without a list is one number, its action: its type with the values of its fields. A move with lists is
a sequence of actions: its type with the values of its other fields, each item of its lists, and after every
list the action END. All actions share one range, from 0 to `n` - 1.

Legal moves are read as a tree: each action leads to a complete move, or to a fork: the moves that begin
with it, whose `branches` are found only when somebody goes there.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from referee.choices import Sets
from referee.engine.fixed import FixedMove
from referee.engine.position import cached
from referee.engine.proposals import LEFT_OUT, few_values
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import CARD, Field, Kind, ListOf, Text
from referee.engine.verdicts import Faulty

Move = dict[str, Any]
Value = str | int | bool | None
Head = tuple[Any, ...]  # a move's type, and the values of its fields without lists
Tree = dict[int, Any]  # action → the move that it completes (a dict), or a fork: the moves that begin with it

END = object()  # between two lists
UNKNOWN = -1
MOST = 100_000  # actions; more are hardly of use, and a sign of a range that is too wide


class Unencodable(ValueError):
    """A move or a ruleset that has no actions; the text says why."""


class Actions:
    """The actions of a ruleset for a number of seats and options.

    Free text has no actions: types of moves with such a field are in `left_out`, and cannot be encoded.
    """

    def __init__(self, rules: Ruleset[Any], seats: int, options: Mapping[str, Any]) -> None:
        """Raise Unencodable for a field whose values are neither few nor declared (`Field.within`)."""
        self._faces = list(dict.fromkeys(rules.deck(seats, dict(options))))
        self._scalars: dict[str, list[str]] = {}
        self._lists: dict[str, list[str]] = {}
        self.left_out: list[str] = []
        self._heads: list[dict[str, Any]] = []
        items: dict[Value, None] = {}
        for name, fields in rules.MOVES.items():
            if any(is_text(field) for field in fields.values()):
                self.left_out.append(name)
                continue
            self._lists[name] = [key for key, field in fields.items() if isinstance(field.kind, ListOf)]
            self._scalars[name] = [key for key in fields if key not in self._lists[name]]
            values = [self._values(name, key, fields[key]) for key in self._scalars[name]]
            for chosen in product(*values):
                named = zip(self._scalars[name], chosen, strict=True)
                self._heads.append(
                    {"type": name} | {key: value for key, value in named if value is not LEFT_OUT}
                )
                if len(self._heads) > MOST:
                    raise Unencodable(f"{rules.ID} has more than {MOST} actions")
            for key in self._lists[name]:
                kind = fields[key].kind
                assert isinstance(kind, ListOf)
                items |= dict.fromkeys(self._values_of(kind.item, fields[key], f"{name}.{key}"))
        self._number = {self._head(move): number for number, move in enumerate(self._heads)}
        # Where a move has lists: its type, and the fields with lists, of which most have one.
        self._forks = {
            number: (move["type"], lists, lists[0] if len(lists) == 1 else None)
            for number, move in enumerate(self._heads)
            if (lists := self._lists[move["type"]])
        }
        self._only_lists = {
            name: self._number[(name,)]
            for name, keys in self._lists.items()
            if keys and not self._scalars[name]
        }
        self._whole = {name for name, keys in self._lists.items() if not keys}
        self._items = list(items)
        self._item_number = {_typed(item): len(self._heads) + i for i, item in enumerate(self._items)}
        self.end = len(self._heads) + len(self._items) if self._items else -1
        self.n = len(self._heads) + len(self._items) + bool(self._items)
        self._item_number[END] = self.end
        numbers = self._item_number.get
        has_booleans = any(type(item) is bool for item in items)
        self._number_of: Callable[[Any], int | None] = numbers
        if has_booleans:
            self._number_of = lambda item: numbers(_typed(item))
        self._known: dict[int, int] = {}  # the actions of moves that never change and have no list, by `id`
        self._begins: dict[int, int] = {}  # the first actions of other moves that never change
        self._kept: list[Mapping[str, Any]] = []  # these moves, so that no other can have such an `id`

    def encode(self, move: Mapping[str, Any]) -> tuple[int, ...]:
        """Return a move's actions. Raises Unencodable."""
        try:
            actions = [self._number[self._head(move)]]
            for key in self._lists[move["type"]]:
                actions += [self._item_number[_typed(item)] for item in move[key]]
                actions.append(self.end)
        except (KeyError, TypeError):
            raise Unencodable(f"no actions stand for {dict(move)!r}") from None
        return tuple(actions)

    def decode(self, actions: Sequence[int]) -> dict[str, Any]:
        """Return the move of a complete sequence of actions. Raises Unencodable."""
        if not actions or not 0 <= actions[0] < len(self._heads):
            raise Unencodable(f"no move begins with the actions {list(actions)}")
        move = dict(self._heads[actions[0]])
        rest = iter(actions[1:])
        for key in self._lists[move["type"]]:
            move[key] = items = []
            for action in rest:
                if action == self.end:
                    break
                if not len(self._heads) <= action < self.end:
                    raise Unencodable(f"action {action} is no item of {move['type']}.{key}")
                items.append(self._items[action - len(self._heads)])
            else:
                raise Unencodable(f"the list {move['type']}.{key} is not ended")
        if next(rest, None) is not None:
            raise Unencodable(f"more actions follow than {move['type']} has")
        return move

    def describe(self, action: int) -> str:
        """Return an action in words: `play card=7H`, `with 7H` or `end`. Raises IndexError."""
        if 0 <= action < len(self._heads):
            move = self._heads[action]
            return " ".join([move["type"], *(f"{k}={v}" for k, v in move.items() if k != "type")])
        if len(self._heads) <= action < self.end:
            return f"with {self._items[action - len(self._heads)]}"
        if action == self.end != -1:
            return "end"
        raise IndexError(f"actions go from 0 to {self.n - 1}, not to {action}")

    def tree(self, moves: Sequence[Mapping[str, Any]]) -> Tree:
        """Return the first actions of these moves, each with what it leads to. Raises Unencodable."""
        if type(moves) is Sets:
            return {self._number[(moves.kind,)]: moves} if moves else {}
        known, begins = self._known.get, self._begins.get
        only_lists, forks = self._only_lists, self._forks
        tree: dict[Any, Any] = {}
        if not moves or moves[0]["type"] in self._whole:
            tree = {known(id(move)): move for move in moves}  # most are fixed, and known
            if None not in tree:
                return tree
            tree = {}
        for move in moves:
            first = only_lists.get(move["type"]) if only_lists else None
            if first is not None:
                tree[first] = moves  # those of other types are left out where somebody goes there
                continue
            first = begins(id(move))
            if first is None:
                first = known(id(move))
                if first is None:
                    first = self._first(move)
            if first not in forks:
                tree[first] = move
            elif first in tree:
                tree[first].append(move)
            else:
                tree[first] = [move]
        tree.pop(UNKNOWN, None)
        return tree

    def branches(self, fork: Any, begun: Sequence[int]) -> Tree:
        """Return the actions that continue a begun move, each with what it leads to. Raises Unencodable."""
        if type(fork) is Sets:
            return self._of_sets(fork, begun)
        kind, lists, key = self._forks[begun[0]]
        place = len(begun) - 1
        tree: Tree = {}
        number_of = self._number_of
        for move in fork:
            if not place and move["type"] != kind:  # what follows is of this type alone
                continue
            items = move[key] if key is not None else _joined(move, lists)
            if len(items) == place:
                tree[self.end] = move
                continue
            action = number_of(items[place])
            if action is None:
                raise Unencodable(f"no actions stand for {dict(move)!r}")
            if action in tree:
                tree[action].append(move)
            else:
                tree[action] = [move]
        return tree

    def _of_sets(self, sets: Sets, begun: Sequence[int]) -> Tree:
        first, items, numbers = len(self._heads), self._items, self._item_number
        chosen: list[Any] = [items[action - first] for action in begun[1:]]
        cards, complete = sets.following(chosen)
        tree: Tree = dict.fromkeys(map(numbers.__getitem__, cards), sets)
        if complete:
            tree[self.end] = {"type": sets.kind, "cards": chosen}
        return tree

    def _first(self, move: Mapping[str, Any]) -> int:
        """Return the first action of a move, UNKNOWN where its type has none. Raises Unencodable."""
        name = move["type"]
        if name in self.left_out:
            first = UNKNOWN
        else:
            try:
                first = self._number[self._head(move)]
            except (KeyError, TypeError):
                raise Unencodable(f"no actions stand for {dict(move)!r}") from None
        if type(move) is FixedMove and len(self._kept) < MOST:
            is_whole = first != UNKNOWN and first not in self._forks
            (self._known if is_whole else self._begins)[id(move)] = first
            self._kept.append(move)
        return first

    def _head(self, move: Mapping[str, Any]) -> Head:
        name = move["type"]
        number = 1
        values: list[Any] = [name]
        for key in self._scalars[name]:
            value = move.get(key, LEFT_OUT)
            number += value is not LEFT_OUT
            values.append((bool, value) if type(value) is bool else value)
        for key in self._lists[name]:
            number += key in move
        if len(move) != number:
            raise KeyError(name)
        return tuple(values)

    def _values(self, name: str, key: str, field: Field) -> list[Any]:
        left_out = [LEFT_OUT] if field.optional else []
        return left_out + self._values_of(field.kind, field, f"{name}.{key}")

    def _values_of(self, kind: Kind, field: Field, place: str) -> list[Any]:
        if kind == CARD:
            return list(self._faces)
        try:
            return few_values(kind, field, place)
        except Faulty as fault:
            raise Unencodable(str(fault)) from None


def _joined(move: Mapping[str, Any], lists: Sequence[str]) -> list[Any]:
    """Return the items of a move's lists, with END between two of them."""
    return [item for key in lists for item in (END, *move[key])][1:]


def is_text(field: Field) -> bool:
    """Return whether a field holds free text; a string without bounds is a card."""
    kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
    return isinstance(kind, Text) and kind != CARD


def sensible(rules: Ruleset[Any], moves: Sequence[Move]) -> Sequence[Move]:
    """Return the moves that bots make and expect, without free text and `idle` ones; all if none is left."""
    talk, idle = _talk(rules), getattr(rules, "idle", None)
    if not talk and idle is None:
        return moves
    return [move for move in moves if move["type"] not in talk and not (idle and idle(move))] or moves


@cached
def _talk(rules: Ruleset[Any]) -> frozenset[str]:
    return frozenset(name for name, fields in rules.MOVES.items() if any(map(is_text, fields.values())))


def _typed(value: Any) -> Any:
    """Return a key for a value; `True` and 1 have different ones."""
    return (bool, value) if type(value) is bool else value
