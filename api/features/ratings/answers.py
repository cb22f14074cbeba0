"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.core.paging import PageOf
from api.games.answers import PlayerName
from api.http.answers import Count


class Rating(TypedDict):
    """What is known about a player's skill in a game."""

    player: PlayerName
    ruleset: str
    rating: Annotated[int, "For people: 1000 + 40 (mu - 3 sigma), rounded. A newcomer starts at 1000."]
    mu: Annotated[float, "The estimate of the skill, as OpenSkill's Plackett-Luce model computes it."]
    sigma: Annotated[float, "The uncertainty of that."]
    games: Annotated[Count, "How many games count."]
    provisional: Annotated[bool, "The player has finished fewer than ten games that count."]


class RatingList(PageOf[Rating]):
    """Ratings."""
