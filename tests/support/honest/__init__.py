"""Records of games with every feature of a log, as an honest server writes them: random, but repeatable.

`honest(number)` plays a game in which players join, reveal, move, talk, take moves back, pause, go away, run
out of time, hand seats over and give up, with bots, orders, keys, reserves, and all that an operator may do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.table import commands
from tests.support.honest import acts
from tests.support.honest.deal import create, gather
from tests.support.honest.server import Server

ACTS: dict[Callable[[Server], None], float] = {  # how often
    acts.talk: 0.05,
    acts.nudge: 0.04,
    acts.take_back: 0.12,
    acts.undo: 0.3,
    acts.vacation: 0.06,
    acts.pause: 0.04,
    acts.operate: 0.06,
    acts.hand_over: 0.05,
    acts.agree_to_end: 0.02,
    acts.adjudicate: 0.003,
}


RETIRING = 1000  # from this number on, players give their keys up: tests name games of lower numbers


def play(server: Server) -> None:
    """Play until the game is over or has gone on for long enough."""
    while not server.over and len(server.fold.moves) < server.most:
        server.wait()
        for act, often in ACTS.items():
            if not server.over and server.choose.random() < often:
                act(server)
        if not server.over and server.number >= RETIRING and server.choose.random() < 0.1:
            acts.retire(server)
        if not server.over:
            server.move(server.choose.choice(server.state.to_act))
    if not server.over:
        server.wait()
    if not server.over:
        end = server.choose.random()
        if end < 0.2 or not server.players:
            server.ask(commands.play.Cancel() if server.players else commands.play.CancelEndless())
        elif end < 0.4:
            acts.adjudicate(server)
        else:
            acts.resign(server)
    if server.players and server.choose.random() < 0.2:
        acts.talk(server)


def played(number: int, ruleset: str | None = None, most: int = 40) -> Server:
    """Play a game; return its server, which has the keys of all players."""
    server = Server(number, ruleset, most)
    run(server)
    return server


def run(server: Server) -> None:
    """Play a game from its first entry to its last."""
    create(server)
    gather(server)
    server.go_on()
    if not server.over:
        play(server)


def honest(number: int, ruleset: str | None = None, most: int = 40) -> dict[str, Any]:
    """Return the record of a game."""
    return played(number, ruleset, most).record()
