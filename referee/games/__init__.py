"""The games of this package.

A game has its module, its line in `GAMES`, and its rules in `rules`. Those of installed
packages are added by `referee/workshop/installed.py`.
"""

from typing import Any

from referee.engine.registry import register
from referee.games import bisca, cats_and_dogs, dog_cards, landlord, mau_mau, palace, pedro, pies, truco

GAMES: tuple[Any, ...] = (
    cats_and_dogs,
    truco,
    landlord,
    pies,
    bisca,
    dog_cards,
    mau_mau,
    pedro,
    palace,
)

for _ruleset in GAMES:
    register(_ruleset)
