"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.http.answers import Count, Uuid


class Opponent(TypedDict):
    """The results of the other player in the same games."""

    wins: Annotated[Count, "Games that the other player has won and this player has not."]
    points: int
    timeouts: Count


class Counts(TypedDict):
    """What is counted of a player."""

    games: Annotated[Count, "Games that the player has finished."]
    wins: Annotated[
        Count, "Games that the player has won; in a comparison, those that the other player has not won."
    ]
    points: Annotated[int, "The sum of the player's final scores."]
    timeouts: Annotated[
        Count,
        "How often the player ran out of time, including games whose seat was taken over afterwards.",
    ]
    opponent: Opponent | None


class Counted(Counts):
    """The statistics of a player for one ruleset."""

    ruleset: str


class Statistics(Counts):
    """The statistics of a player, in total and for each ruleset, alone or compared with another player."""

    player: Uuid
    against: Annotated[Uuid | None, "The other player."]
    rulesets: Annotated[list[Counted], "Each ruleset of which the player has such games."]
