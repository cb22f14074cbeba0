"""What these operations accept and answer."""

from __future__ import annotations

from api.callers.shapes import POINTS, TIMEOUTS, WON
from api.http.members import UUID, Count, Integer, List, Nested, String
from api.http.patterns import Id
from api.http.shapes import Answer, Input


class Opponent(Answer):
    """The results of the other player in the same games."""

    wins = Count(about="Games that the other player has won and this player has not.")
    points = Integer()
    timeouts = Count()


class Counted(Answer):
    """The statistics of a player for one ruleset."""

    ruleset = String()
    games = Count(about="Games that the player has finished.")
    wins = Count(about=WON)
    points = Integer(about=POINTS)
    timeouts = Count(about=TIMEOUTS)
    opponent = Nested(Opponent, null=True)


class Statistics(Answer):
    """The statistics of a player, in total and for each ruleset, alone or compared with another player."""

    player = UUID()
    against = UUID(null=True, about="The other player.")
    games = Count(about="Games that the player has finished.")
    wins = Count(about=WON)
    points = Integer(about=POINTS)
    timeouts = Count(about=TIMEOUTS)
    opponent = Nested(Opponent, null=True)
    rulesets = List(Nested(Counted), about="Each ruleset of which the player has such games.")


class Against(Input):
    """The player to compare with."""

    against = Id(about="Only games that this other player of the app has finished as well.")
