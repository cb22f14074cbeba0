"""Statistics of players, in total and for each ruleset, alone or compared with another player."""

from __future__ import annotations

from uuid import UUID

from api.callers import players
from api.context import Context
from api.core.errors import BadRequest, NotFound
from api.features.statistics import answers, store
from api.features.statistics.store import Tally
from api.http.answers import shown
from api.store import players as player_store

TOTAL = ""


def of_player(context: Context, player_id: UUID, against: UUID | None) -> answers.Statistics:
    """Count the games that a player has finished. Raises NotFound, BadRequest.

    An app may ask about its own players, a player about itself; `against` is any other player of the app.
    """
    players.get(context, player_id)
    if against == player_id:
        raise BadRequest({"against": ["Must be another player."]})
    if against is None:
        tallies = store.of_player(context.session, player_id)
    elif player_store.get(context.session, context.app_id, against) is None:
        raise NotFound("The parameter against names an unknown player.")
    else:
        tallies = store.of_two(context.session, player_id, against)
    beside = against is not None
    return {
        "player": str(player_id),
        "against": str(against) if against else None,
        **_show(_sum(tallies), beside),
        "rulesets": [{"ruleset": tally.ruleset, **_show(tally, beside)} for tally in tallies],
    }


def _sum(tallies: list[Tally]) -> Tally:
    return (
        Tally(TOTAL, *(sum(counts) for counts in list(zip(*tallies, strict=True))[1:])) if tallies else NONE
    )


NONE = Tally(TOTAL, 0, 0, 0, 0)


def _show(tally: Tally, beside: bool) -> answers.Counts:
    theirs: answers.Opponent = {
        "wins": tally.their_wins,
        "points": tally.their_points,
        "timeouts": tally.their_timeouts,
    }
    return shown(answers.Counts, tally, opponent=theirs if beside else None)
