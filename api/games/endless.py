"""Games that nobody plays any more and that go on by themselves: with bots, or with the moves of the clock.

No work is without end. A game that only bots play is called off, and so is one whose players are all deleted;
of one at which a player sits, only the log and a metric tell, because the player may come back.
"""

from __future__ import annotations

import logging
from uuid import UUID

from api.context import Context
from api.core import metrics
from api.games.game import OPERATOR, RUNNING, Game
from api.games.loading import time_of
from api.store import log as store
from api.store import players
from referee.table import Event, commands

log = logging.getLogger("card_referee.game")
CALLED_OFF, WARNED = "called off", "warned"


def call_off(context: Context, game: Game) -> bool:
    """Call a game off, in the open transaction, if nobody can play it and it has gone on for too long.

    Return whether that was done. Of a game at which a player sits, warn.
    """
    most = context.settings.bots_most_entries
    if game.version < most or game.status != RUNNING or game.paused:
        return False
    since = game.version - store.last_of_person(context.session, game.id)
    if since < most:
        return False
    seated = [UUID(seat.player.id) for seat in game.seats if seat.player]
    over = not any(players.get(context.session, game.app_id, each) for each in seated)
    metrics.endless.labels(CALLED_OFF if over else WARNED).inc()
    log.warning("game %s: %d entries since the last one of a player", game.id, since)
    if over:
        command = commands.play.Cancel() if seated else commands.play.CancelEndless()
        event = commands.decide(game, command, time_of(context, game))
        assert isinstance(event, Event)  # the game runs
        game.enter(event, director=OPERATOR if seated else None)
    return over
