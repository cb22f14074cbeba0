"""Ratings of players: computed by the worker as games end, and listed.

A game counts by the same rule, and changes ratings by the same function, as `referee ratings` uses for
records.
"""

from __future__ import annotations

import logging
from uuid import UUID

from api.callers import players
from api.context import Context
from api.core.callers import SEAT_GUEST
from api.core.errors import BadRequest
from api.core.json import loads
from api.core.paging import Page, PageOf
from api.features.ratings import answers, store
from api.features.ratings.store import Finished, Rated
from api.rulesets import rulesets
from api.store import credentials
from referee.ratings import Played, counts, rate

log = logging.getLogger("card_referee.jobs")

BATCH = 100  # games that are rated in a transaction
UNREAD = "tree_leaves WHERE ended AND number > coalesce((SELECT leaf FROM ratings_read), -1)"


def rate_all(context: Context) -> None:
    """Rate the games that have ended since."""
    while rate_some(context):
        pass


def rate_some(context: Context) -> bool:
    """Rate the next games in one transaction; return whether there were any."""
    session = context.session
    with session.transaction():
        ended = store.ended_games(session, BATCH)
        if not ended:
            return False
        found = store.finished(session, [game_id for _, game_id in ended if game_id])
        for leaf, game_id in ended:
            if game_id in found:
                _rate(context, leaf, found[game_id])
        store.record_read(session, ended[-1][0])
    return True


def _rate(context: Context, leaf: int, game: Finished) -> None:
    players = [str(holder) if holder else None for holder in game.holders]
    if not counts(players):
        return
    before = store.of_ruleset(context.session, game.ruleset, [UUID(player) for player in players if player])
    try:
        winners = frozenset(loads(game.result)["winners"])
    except (ValueError, TypeError, KeyError):  # a damaged row, for which the other games do not wait
        log.exception("game %s: its result cannot be read, and changes no ratings", game.id)
        return
    played = Played(leaf, game.ruleset, tuple(map(str, players)), winners)
    after = rate({str(player): rating for player, rating in before.items()}, played)
    new = {UUID(player): rating for player, rating in after.items()}
    store.keep(context.session, game.app_id, game.ruleset, new)


def of_player(context: Context, player_id: UUID) -> PageOf[answers.Rating]:
    """List the ratings of a player. Raises NotFound."""
    players.get(context, player_id)
    return {"items": [_show(rated) for rated in store.of_player(context.session, player_id)], "next": None}


def ladder(context: Context, ruleset: str, chosen: Page) -> PageOf[answers.Rating]:
    """List the players of the caller's app, or for anybody of this server, by rating.

    A guest of one seat is none of the app's players, and sees what anybody sees.

    Raises NotFound, BadRequest if the cursor is of no such list.
    """
    rulesets.ruleset(ruleset)
    own = None if SEAT_GUEST in context.caller.scopes else context.caller.app_id
    app_id = own or credentials.app_named(context.session, credentials.GUESTS)
    context.session.see(app_id)
    if app_id is None:
        return {"items": [], "next": None}  # nobody has come to this server yet
    rows = store.best(context.session, app_id, ruleset, chosen.before, chosen.limit + 1)
    if not rows and chosen.before and not store.is_rated(context.session, app_id, ruleset, chosen.before):
        raise BadRequest({"cursor": ["Is not of this list."]})
    shown = rows[: chosen.limit]
    return {
        "items": [_show(rated) for rated in shown],
        "next": shown[-1].player_id.hex if len(rows) > len(shown) else None,
    }


def _show(rated: Rated) -> answers.Rating:
    rating = rated.rating
    return {
        "player": {"id": str(rated.player_id), "name": rated.name},
        "ruleset": rated.ruleset,
        "rating": rating.points,
        "mu": round(rating.mu, 6),
        "sigma": round(rating.sigma, 6),
        "games": rating.games,
        "provisional": rating.provisional,
    }
