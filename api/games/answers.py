"""The kept response to a move: not its body, but the place in the log from which it can be produced again.

Nothing in a log ever changes, so what a caller was shown at a version can be shown again at any time. Only
what is in no entry is kept with the place, such as the app's labels and the signature of the receipt.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from uuid import UUID

import referee.records
from api.context import Context
from api.core.json import Json
from api.games import looks
from api.games.game import Game
from api.games.history import at_version
from api.games.loading import load
from api.games.views import Visibility, seats_of, show_game, show_stored, visibility_of
from api.http.idempotency import Kept
from api.store import log
from api.store.idempotency_keys import Reference

UNLOGGED = ("title", "rematch_of", "rematch", "external_id", "metadata")
"""Members of a shown game that entries do not contain, or not completely."""


def reference(game: Game, entry: referee.records.Entry | None, answer: Json) -> Reference | None:
    """Return the reference from which the answer can be produced again, or None if its body must be kept."""
    if entry is None or entry.public["type"] != "moved" or game.imported_by:  # whose players become names
        return None
    shown, text = answer["game"], answer["receipt"] or ""
    assert isinstance(shown, dict)
    assert isinstance(text, str)
    beside = {name: shown[name] for name in UNLOGGED if shown.get(name)}
    place = entry.public["seq"], game.version
    return Reference((*place, beside) if beside else place, base64.b64decode(text.rpartition(" ")[2]))


def value_of(context: Context, game_id: UUID, answer: Kept) -> object:
    """Return a kept response; one of which the place in the log was kept is read from there."""
    return answer.value if answer.reference is None else read_again(context, game_id, answer.reference)


def read_again(context: Context, game_id: UUID, reference: Reference) -> Json:
    """Return the answer to a move as its caller received it, whatever has happened since.

    Raises PassedOn if that takes long.
    """
    number, version = reference.place[:2]
    beside = reference.place[2] if len(reference.place) > 2 else {}
    game = load(context, game_id)
    if game.version != version:
        game = at_version(context, game, version)
        game.head = log.hash_of(context.session, game_id, version) or game.head
    caller = replace(context.caller, ended=False)  # its token may have ended with the game since
    visibility = visibility_of(caller, game)
    looks.note_view(context, game, visibility)
    if not visibility.maker:
        visibility = Visibility(seats_of(caller, game))
    (entry,) = log.page(context.session, game_id, number - 1, 1)
    receipt = _receipt(context, game, reference)
    shown = show_game(game, visibility, receipt)
    for name in UNLOGGED:
        if name in shown:
            shown[name] = beside.get(name, {} if name == "metadata" else None)
    return {"entry": show_stored(entry, visibility), "game": shown, "receipt": receipt}


def _receipt(context: Context, game: Game, reference: Reference) -> str | None:
    """Return the receipt again: the signed text, then the line of its signature; None if there was none."""
    if not reference.signature or context.signer is None:
        return None
    return context.signer.again(context.session, str(game.id), game.version, game.head, reference.signature)
