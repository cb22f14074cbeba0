"""The referee's answers: a verdict on a move, or an error for invalid input."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Malformed(ValueError):
    """The input is not a valid position, option, record or scenario; `place` says where."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}" if place else detail)
        self.place = place
        self.detail = detail


class UnknownLog(Malformed):
    """A log of a number that is not known here, so that nothing can be said of it."""

    def __init__(self, number: object) -> None:
        super().__init__(
            "log", f"has the number {str(number)[:20]}, which is not known here; 1 is not written"
        )


class IllegalMove(Malformed):
    """A move that the rules refuse: `rule` is the id of the one that it breaks, `reason` says why."""

    def __init__(self, refusal: "Refusal") -> None:
        super().__init__("move", f"{refusal.rule}: {refusal.reason}")
        self.rule = refusal.rule
        self.reason = refusal.reason


class ChanceExhausted(Malformed):
    """A move needs more chance than was given."""


class Faulty(Exception):
    """A ruleset that cannot be loaded or played; the text says where and why."""


class Refusal(NamedTuple):
    """Why a move is refused: the id of the rule, and a sentence for the player.

    `fault` is what is wrong with the form of the move: a field and words, such as `("card", "is missing")`.
    """

    rule: str
    reason: str
    fault: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The referee's answer to a move; `refusal` is None where the move is `legal`."""

    refusal: Refusal | None
    legal: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "legal", self.refusal is None)

    def to_json(self) -> dict[str, Any]:
        """Return `{"legal": true}` or `{"legal": false, "rule", "reason"}`."""
        if self.refusal is None:
            return {"legal": True}
        return {"legal": False, "rule": self.refusal.rule, "reason": self.refusal.reason}


LEGAL = Verdict(None)


def not_held(card: object, where: str = "your hand") -> Refusal:
    """Refuse a card that is not where the move says (`common.not_held`), quoting up to 20 characters."""
    text = str(card)
    shown = text if len(text) <= 20 else text[:20] + "…"
    return Refusal("common.not_held", f"{shown!r} is not in {where}")
