"""The bots of installed packages.

A package adds a bot through the entry-point group `card_referee.bots`: the entry names a module or an object
with

- `NAME` and `VERSION`, a word and a whole number: in seats and logs the bot is called `NAME-VERSION`;
- `choose(view, legal, rng, budget)`, which returns one of the legal moves.

Whoever verifies a log repeats the bot's choices, so a version must always choose the same: from the view, the
moves and the numbers of `rng`, never from a clock or from numbers of its own.
"""

import re
from collections.abc import MutableSequence, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, TypeVar

from referee.engine.chance import Below

Move = dict[str, Any]
T = TypeVar("T")

GROUP = "card_referee.bots"
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
FINE = 2**53


class PluginBot(Protocol):
    """What the entry of a package names."""

    @property
    def NAME(self) -> str:
        """Lower-case letters, digits and underscores."""

    @property
    def VERSION(self) -> int:
        """Another number whenever the bot may choose otherwise than before."""

    def choose(self, view: dict[str, Any], legal: Sequence[Move], rng: "Rng", budget: int) -> Move:
        """Return one of the legal moves of the seat `view["seat"]`.

        `view` is what the seat sees, with the seat as a further member. `budget` is how many moves the bot
        should try at most in its head; a bot that does not search ignores it.
        """


class Rng:
    """The numbers of one choice, with the methods of `random.Random` that bots need."""

    __slots__ = ("randrange",)

    def __init__(self, below: Below) -> None:
        self.randrange = below  # picks a number from 0 to n - 1

    def __call__(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return self.randrange(n)

    def random(self) -> float:
        """Return a number from 0 up to but not including 1."""
        return self.randrange(FINE) / FINE

    def choice(self, items: Sequence[T]) -> T:
        """Return any of the items."""
        return items[self.randrange(len(items))]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put the items in any order, in place."""
        for left in range(len(items) - 1, 0, -1):
            other = self.randrange(left + 1)
            items[left], items[other] = items[other], items[left]


def installed() -> tuple[dict[str, PluginBot], dict[str, str]]:
    """Return the bots of installed packages by name, and why others cannot be used."""
    bots: dict[str, PluginBot] = {}
    broken: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP)):
        try:
            bot = _loaded(entry)
            name = f"{bot.NAME}-{bot.VERSION}"
            if name in bots:
                raise TypeError(f"there are two bots {name}")
            bots[name] = bot
        except (Exception, SystemExit) as error:
            broken[entry.name] = f"the bot {entry.name} ({entry.value}) cannot be used: {error}"
    return bots, broken


def _loaded(entry: EntryPoint) -> PluginBot:
    bot: PluginBot = entry.load()
    if type(getattr(bot, "NAME", None)) is not str or not NAME.fullmatch(bot.NAME):
        raise TypeError("NAME must be a word of lower-case letters, digits and underscores")
    if type(getattr(bot, "VERSION", None)) is not int or bot.VERSION < 1:
        raise TypeError("VERSION must be a whole number from 1 on")
    if not callable(getattr(bot, "choose", None)):
        raise TypeError("choose(view, legal, rng, budget) is missing")
    return bot
