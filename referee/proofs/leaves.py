"""The leaves of a server's log of all games: one for each game that is created, one for each end.

A leaf identifies its game only by the commitment, which is in the game's record. So everybody can count games
that ended, were called off or never ended, but only those who know the commitment can tell which game a leaf
belongs to.
"""

from collections.abc import Mapping
from typing import Any

from referee.log.chain import canonical

CREATED = "created"
GAMES = "games"  # the name of the log, after its server's name


def leaf(entry: Mapping[str, Any], commitment: str, hash_: str, imported: bool = False) -> bytes:
    """Return the leaf of a `created`, `finished` or `cancelled` entry: canonical JSON.

    The number and hash of the entry bind everything up to it: at first the terms of the game, such as its
    ruleset, options, pace, test clock and visibility, at the end the whole log.
    """
    data = {
        "at": entry["at"],
        "commitment": commitment,
        "hash": hash_,
        "seq": entry["seq"],
        "type": entry["type"],
    }
    if imported:
        data["origin"] = "imported"
    return canonical(data)
