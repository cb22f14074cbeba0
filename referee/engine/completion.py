"""What follows from the declarations of a ruleset, so that its module need not say it."""

from collections.abc import Mapping
from typing import Any

from referee.engine.blocks import compiled
from referee.engine.moving import alone, always, to_act
from referee.engine.ruleset import Listing
from referee.engine.shapes import BOOLEAN, Option


def complete(module: dict[str, Any], lists: Mapping[str, Listing] | None = None) -> None:
    """Add to a ruleset's module what follows from its declarations: `complete(globals())` after its `BLOCKS`.

    From `BLOCKS` comes what the engine uses: phases, and the moves of each, in the order of the blocks; the
    last phase is `over`, without moves. `lists`: phase → a function that lists a seat's legal moves faster
    than the blocks do, asking the same predicates. What the module defines itself stays; without that,
    `deck` are the cards `DECK` for any number of seats, `options` those in `OPTIONS`, `team` is `alone`,
    `due` is `to_act`, and all legal moves are listed (`COMPLETE`). Raises ValueError without `BLOCKS`, and
    where blocks of a type have different fields or share a phase.
    """
    if "BLOCKS" not in module:
        raise ValueError("BLOCKS must be defined before `complete`")
    module.update(compiled(module["BLOCKS"], lists or {})._asdict())
    given = module.get("OPTIONS", {})
    derived = {"options": lambda seats: given, "team": alone, "due": to_act, "COMPLETE": True}
    if "DECK" in module:
        derived["deck"] = always(module["DECK"])
    for name, value in derived.items():
        module.setdefault(name, value)


def switch(doc: str, on: bool = False) -> Option:
    """Return an option that is on or off."""
    return Option(BOOLEAN, on, doc)
