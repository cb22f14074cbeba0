"""Two games of a few cards, whose best play is known, for those who write algorithms.

`import referee.tiny` makes `kuhn` and `leduc` available to `Match` and everything else that takes a ruleset's
id; they are in no list of rulesets, and a service does not know them.
"""

from typing import Any

from referee.engine.registry import register
from referee.tiny import kuhn, leduc

GAMES: tuple[Any, ...] = (kuhn, leduc)

for _game in GAMES:
    register(_game, listed=False)
