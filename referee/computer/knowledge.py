"""What a seat knows: its view, and all that it has seen so far."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from referee.engine.jsontext import in_order_of_keys, parse


class Memory:
    """What one viewer has seen of a match, event after event. It only grows; copies share nothing."""

    __slots__ = ("digest", "events")

    def __init__(self, events: Sequence[bytes] = (), digest: bytes = b"") -> None:
        self.events = list(events)
        self.digest = digest

    def add(self, event: Mapping[str, Any]) -> None:
        """Remember one more event."""
        text = in_order_of_keys(event)
        self.events.append(text)
        self.digest = sha256(self.digest + sha256(text).digest()).digest()

    def copy(self) -> "Memory":
        """Return a memory that grows independently."""
        return Memory(self.events, self.digest)


class InformationState(Mapping[str, Any]):
    """All that a seat knows at one point of a match: `view`, what it has `seen`, and the actions `begun`.

    Two of them are equal where the seat cannot tell the matches apart; so they can be keys of a dict. `key`
    is the same in every process: 32 bytes that stand for all of it.
    """

    __slots__ = ("_events", "_number", "begun", "key", "view")

    def __init__(self, view: dict[str, Any], memory: Memory, begun: tuple[int, ...] = ()) -> None:
        self.view = view
        self.begun = begun
        self._events = (
            memory.events
        )  # shared with the match, which adds to it: only the first are of this state
        self._number = len(memory.events)
        self.key = sha256(memory.digest + in_order_of_keys([view, begun])).digest()

    @property
    def seen(self) -> list[dict[str, Any]]:
        """Return what happened so far, as the seat saw it: `seat`, `move` and `transfers`, the deal first."""
        return [parse(event) for event in self._events[: self._number]]

    def __getitem__(self, name: str) -> Any:
        if name not in ("view", "seen", "begun"):
            raise KeyError(name)
        return list(self.begun) if name == "begun" else getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(("view", "seen", "begun"))

    def __len__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, InformationState) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<InformationState {self.key.hex()[:12]} after {self._number - 1} moves>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only what was seen until then."""
        return _again, (self.view, self._events[: self._number], self.begun, self.key)


def _again(view: dict[str, Any], events: list[bytes], begun: tuple[int, ...], key: bytes) -> InformationState:
    state = InformationState(view, Memory(events), begun)
    state.key = key
    return state
