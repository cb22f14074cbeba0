"""What players may say at the table besides making moves: freely, as a move, in set phrases, or nothing."""

from dataclasses import dataclass
from typing import Any

from referee.engine.position import Position
from referee.engine.verdicts import Refusal


@dataclass(frozen=True, slots=True)
class Talk:
    """What talk is at a position.

    With `move`, what a seat says is a move of that type, whose field `text` it is. With `rule` and `reason`,
    nothing may be said, or only the `phrases` where there are some.
    """

    move: str = ""
    rule: str = ""
    reason: str = ""
    phrases: tuple[str, ...] = ()

    def refuse(self, text: str) -> Refusal | None:
        """Return the rule that forbids a seat to say this, or None."""
        return Refusal(self.rule, self.reason) if self.rule and text not in self.phrases else None

    def to_json(self) -> dict[str, Any]:
        """Return the kind with the type of the move, or the rule and the phrases; talk is not free."""
        if self.move:
            return {"kind": "move", "move": self.move}
        if self.phrases:
            return {"kind": "phrases", "rule": self.rule, "phrases": [*self.phrases]}
        return {"kind": "none", "rule": self.rule}


FREE_TALK = Talk()
TALK_KINDS = ("move", "phrases", "none")


def talk(state: Position) -> Talk:
    """Return what talk between seats is at a position; after the end it is free."""
    declared = getattr(state.ruleset, "talk", None)
    if declared is None or state.result is not None:
        return FREE_TALK
    said: Talk = declared(state)
    return said
