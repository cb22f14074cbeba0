"""Games as records, with everything that a replay elsewhere needs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
import referee.proofs
import referee.records
import referee.table
from api.context import Context
from api.core.json import Json
from api.feature import Hook
from api.games import looks
from api.games.answers_of_logs import Ended, Entry, GameInclusion, GameRecord, ListedMove
from api.games.game import Game
from api.games.loading import load
from api.games.views import NO_LABELS, Visibility, entry_of, show_entry, visibility_of
from api.store import log

included: Hook[[Game], GameInclusion | None] = Hook()
"""Returns the proofs that a game is in a log of all games, as its record shows them."""


def record(context: Context, game_id: UUID) -> GameRecord:
    """Return a game's record: whole after the end, and before that what the caller may see."""
    game = load(context, game_id)
    visibility = visibility_of(context.caller, game)
    looks.record_view(context, game, visibility)
    return record_of(context, game, visibility)


def record_of(context: Context, game: Game, visibility: Visibility) -> GameRecord:
    """Return a game's record as somebody sees it; whole after the end."""
    over = game.over
    visibility = visibility._replace(whole=visibility.whole or over)
    entries: list[Entry] = []
    names: Json = {}
    moves: list[ListedMove] = []
    ended: Ended | None = None
    for entry in log.all_entries(context.session, game.id, game.version):
        written = entry_of(entry)
        public: Any = written.public
        names |= {str(entry.seq): written.name} if written.name else {}
        shown = show_entry(written, visibility)
        entries.append(shown)
        if public["type"] == "moved":
            move = referee.table.full_move(public, shown.get("private", {}), game.rules.MOVES)
            moves.append({"seat": public["seat"], "move": move, "seq": entry.seq, "at": public["at"]})
            ended = None  # a time-out followed by a move did not end the game
        elif public["type"] in referee.records.GOING_BACK:
            moves = [each for each in moves if each["seq"] < public["of"]]
        elif public["type"] in referee.records.ENDINGS:
            late = [*ended.get("seats", [ended["seat"]]), public["seat"]] if ended else []
            ended = {"type": public["type"], "seat": late[0] if late else public.get("seat")}
            if late:
                ended["seats"] = late
            ended.update(public.get("ruling", {}))
    record: GameRecord = {
        "format": "card-referee/1",
        "game": str(game.id),
        "ruleset": game.ruleset,
        "version": game.ruleset_version,
        "seats": len(game.seats),
        "options": game.options,
        "seed": game.seed.hex() if over else None,
        "entropy": [seat.entropy for seat in game.seats],
        "moves": moves,
        "result": game.result,
        "commitment": referee.commitment(game.seed),
        **game.origin,
        **(game.labels.to_json() if visibility.own and any(game.labels) else NO_LABELS),
        "names": names,
        "entries": entries,
    }
    for proofs in included(context, game):  # which also show that it has ended
        if proofs and proofs["leaves"]:
            record["inclusion"] = proofs
    if game.title:
        record["title"] = game.title
    if ended:
        record["ended"] = ended
    if over and game.state is not None and game.installed:
        record["chance"] = _outcomes(game, moves)
    if over:
        record["looks"] = looks.of_game(context, game.id)
    return record


def _outcomes(game: Game, moves: list[ListedMove]) -> list[dict[str, Any]]:
    """Return every outcome of chance, for checking the deals without knowing the rules."""
    chance = referee.Noted(game.key)
    state, _ = referee.deal(game.ruleset, len(game.seats), game.options, chance, version=game.ruleset_version)
    for move in moves:
        referee.advance(state, move["seat"], move["move"], chance)
    return chance.outcomes
