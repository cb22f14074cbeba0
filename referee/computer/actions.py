"""Moves as small numbers, for programs that learn: the same numbers in every game of a ruleset's version,
with the same number of seats and the same options.

A move without a list is one number, its action: its type with the values of its fields. A move with lists is
a sequence of actions: its type with the values of its other fields, each item of its lists, and after every
list the action END. All actions share one range, from 0 to `n` - 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from referee.engine.proposals import LEFT_OUT, few_values
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import CARD, Field, Kind, ListOf, Text
from referee.engine.verdicts import Faulty

Value = str | int | bool | None
Head = tuple[Any, ...]  # a move's type, and the values of its fields without lists

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
        self._items = list(items)
        self._item_number = {_typed(item): len(self._heads) + i for i, item in enumerate(self._items)}
        self.end = len(self._heads) + len(self._items) if self._items else -1
        self.n = len(self._heads) + len(self._items) + bool(self._items)

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

    def among(self, moves: Iterable[Mapping[str, Any]]) -> dict[tuple[int, ...], Mapping[str, Any]]:
        """Return those of these moves that have actions, by their actions."""
        return {self.encode(move): move for move in moves if move["type"] not in self.left_out}

    def _head(self, move: Mapping[str, Any]) -> Head:
        name = move["type"]
        keys = self._scalars[name]
        if not move.keys() <= {"type", *keys, *self._lists[name]}:
            raise KeyError(name)
        return name, *(_typed(move.get(key, LEFT_OUT)) for key in keys)

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


def is_text(field: Field) -> bool:
    """Return whether a field holds free text; a string without bounds is a card."""
    kind = field.kind.item if isinstance(field.kind, ListOf) else field.kind
    return isinstance(kind, Text) and kind != CARD


def _typed(value: Any) -> Any:
    """Return a key for a value; `True` and 1 have different ones."""
    return (bool, value) if type(value) is bool else value


def following(encoded: Iterable[tuple[int, ...]], begun: tuple[int, ...] = ()) -> list[int]:
    """Return the actions that may follow those of a begun move, ascending."""
    size = len(begun)
    return sorted({actions[size] for actions in encoded if actions[:size] == begun})
