"""The leaves of a server's log of all games: one for each game that is created, one for each end.

A leaf identifies its game only by the commitment, which is in the game's record. So everybody can count games
that ended, were called off or never ended, but only those who know the commitment can tell which game a leaf
belongs to.
"""

from collections.abc import Mapping
from typing import Any

from referee.log.chain import canonical
from referee.log.entries import LAST

CREATED = "created"
GAMES = "games"  # the name of the log, after its server's name


def leaf(entry: Mapping[str, Any], commitment: str, hash_: str, imported: bool = False) -> bytes:
    """Return the leaf of a `created`, `finished` or `cancelled` entry: canonical JSON.

    The leaf of an end also has the number and hash of its entry, which cover the whole log.
    """
    data = {"at": entry["at"], "commitment": commitment, "type": entry["type"]}
    if entry["type"] in LAST:
        data |= {"hash": hash_, "seq": entry["seq"]}
    if imported:
        data["origin"] = "imported"
    return canonical(data)
