"""What strangers share in the core, and what happens when it is full. Features declare their own.

What can be taken back leaves no room for `others`: whoever has most makes room for who comes. For each there
is a test of the loudest party beside an innocent one (`pytest.mark.beside`).
"""

from __future__ import annotations

from api.core.shares import Resource

GAMES = Resource(
    "games",
    "`MAX_GAMES` of each app that are not over",
    "players who make them; for guests before that the networks they are in",
    "409, until some are over",
    others=9,
)
PLAYERS = Resource(
    "players",
    "`MAX_PLAYERS` of the server's guests and accounts",
    "networks in which guests come",
    "409, until the stay of some is over",
    others=9,
)

PLACES = Resource(
    "places in work",
    "`CONCURRENCY` of a web process",
    "apps; all without a token; all with unknown tokens",
    "it waits for its turn, unless nobody else is there",
    others=3,
)
COMPUTE_PLACES = Resource(
    "compute places",
    "`COMPUTE_WORKERS`",
    "the same",
    "it waits for its turn, unless nobody else is there",
)
WAITING = Resource(
    "requests that wait",
    "1,000 in a web process, and 8 long ones",
    "the same, and in them keys and tokens, or networks",
    "the newest request of the loudest gets 429",
    others=0,
)
BODIES = Resource(
    "memory for bodies",
    "8 of `MAX_RECORD_BODY` in a web process",
    "the same",
    "429",
)
STREAMS = Resource(
    "streams",
    "`MAX_STREAMS`, each web process a part, and at most half of its connections",
    "apps and their players or keys; all others together, and the networks they are in",
    "the newest stream of the loudest ends",
    others=0,
)
CONNECTIONS = Resource(
    "connections",
    "10,000 of a web process, or those of HAProxy, which lets one have half",
    "networks they come from",
    "the newest connection of the loudest is closed",
    others=0,
)

RESOURCES = (
    GAMES,
    PLAYERS,
    STREAMS,
    CONNECTIONS,
    PLACES,
    COMPUTE_PLACES,
    WAITING,
    BODIES,
)
