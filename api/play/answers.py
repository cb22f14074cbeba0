"""The answer to a move as it is kept for a repeat: not its body, but where in the log it can be read again.

Nothing in a log ever changes, so what a caller was shown at a version can be shown again at any time. Only
what no entry tells of is kept beside the place: what an app writes on its game, and who signed the receipt.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import referee
from api.core.context import Context
from api.game.game import Game
from api.game.history import at_version
from api.game.rows import load
from api.game.show import show_game, show_stored
from api.game.visibility import Visibility, seats_of, visibility
from api.store.game import log

ENTRY, VERSION, SIGNED, BESIDE = "entry", "version", "signed", "beside"
UNLOGGED = ("dealing", "title", "rematch_of", "rematch", "series", "external_id", "metadata")
"""Members of a game as it is shown that an entry does not tell of, or not all of them."""

Reference = dict[str, Any]


def reference(game: Game, entry: referee.Entry | None, answer: Any) -> Reference | None:
    """Return what the answer to a move can be read again by; None where its body has to be kept."""
    if entry is None or entry.public["type"] != "moved" or game.imported_by:  # whose players become names
        return None
    shown = answer["game"]
    found: Reference = {ENTRY: entry.public["seq"], VERSION: game.version}
    if answer["receipt"] is not None:
        found[SIGNED] = answer["receipt"].rpartition("\n\n")[2]
    beside = {name: shown[name] for name in UNLOGGED if shown.get(name)}
    return {**found, BESIDE: beside} if beside else found


def read_again(context: Context, game_id: UUID, kept: Reference) -> dict[str, Any]:
    """Return the answer to a move as its caller was shown it then, whatever has happened since.

    Raises PassedOn where that takes long.
    """
    version = kept[VERSION]
    game = load(context, game_id)
    if game.version != version:
        game = at_version(context, game, version)
        game.head = log.hash_of(context.session, game_id, version) or game.head
    caller = replace(context.caller, ended=False)  # its token may have ended with the game since
    seen = visibility(caller, game)
    if not seen.maker:
        seen = Visibility(seats_of(caller, game))
    (entry,) = log.page(context.session, game_id, kept[ENTRY] - 1, 1)
    receipt = _receipt(game, kept[SIGNED]) if SIGNED in kept else None
    shown = show_game(game, seen, receipt)
    beside = kept.get(BESIDE, {})
    for name in UNLOGGED:
        if name in shown:
            shown[name] = beside.get(name, {} if name == "metadata" else None)
    return {"entry": show_stored(entry, seen), "game": shown, "receipt": receipt}


def _receipt(game: Game, signed: str) -> str:
    """Put a receipt together again: what was signed, and under it the line of who did."""
    _, name, _ = signed.split(" ")
    return f"{referee.checkpoint(f'{name}/{game.id}', game.version, game.head)}\n{signed}"
