"""The leaves of a server's log of all games: one for each game that is created, one for each end.

A leaf names a game by its commitment, which its record tells, and by nothing else: so everybody can count
games that ended, were called off or never ended, and nobody learns which game a leaf is of who does not know.
"""

from collections.abc import Mapping
from typing import Any

from referee.log.chain import canonical
from referee.log.entries import LAST

CREATED = "created"


def leaf(entry: Mapping[str, Any], commitment: str, hash_: str, imported: bool = False) -> bytes:
    """Return the leaf of a `created`, `finished` or `cancelled` entry: canonical JSON.

    The end names its entry's number and hash too, and with it the whole log.
    """
    data = {"at": entry["at"], "commitment": commitment, "type": entry["type"]}
    if entry["type"] in LAST:
        data |= {"hash": hash_, "seq": entry["seq"]}
    if imported:
        data["origin"] = "imported"
    return canonical(data)
