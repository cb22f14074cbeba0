"""Verifies a stored game: replays its log from its seed, and compares it with all other stored data."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import orjson

import referee
import referee.positions
import referee.records
import referee.verification
from api.context import Context
from api.core.errors import NotFound, RulesetNotInstalled
from api.core.json import Json, loads, stored
from api.games import looks
from api.games.answers_of_logs import Verification
from api.games.game import Game
from api.games.loading import game_of, reading
from api.games.views import visibility_of
from api.store import games as store
from api.store import log
from api.store.games import GameRow
from api.store.log import StoredEntry

# What is stored in addition to the log, and can be derived from it.
BESIDE = {
    "stored": "every entry is stored as it was written",
    "head": "the game's version and hash are those of the last entry",
    "position": "the stored position is the one that the log leads to",
}
# The sentences for an imported game, because the usual ones say that it was dealt here.
IMPORTED = {
    "commitment": "the seed is the one that the log names; the game was not dealt here",
    "stored": "every entry is stored as it was imported or, where the game went on here, as it was written",
}
EFFORT = 5_000  # maximum effort for repeating the choices of bots: a few seconds
WHAT = {**referee.verification.CHECKS, **BESIDE}


def verify(context: Context, game_id: UUID) -> Verification:
    """Verify a game: `{"ok", "origin", "imported_by", "checks": [{"name", "ok", "detail", "seq"}]}`.

    Raises NotFound, GameUnreadable.

    While the game runs, only auditors get the details, because these may name hidden cards.
    """
    row = store.stored(context.session, game_id)
    if row is None:
        raise NotFound("There is no such game.")
    with reading(game_id):
        row = store.opened(context.session, row)
        game = game_of(row._replace(position=None))  # because the log may be unreadable
    visibility = visibility_of(context.caller, game)
    if not game.installed:
        raise RulesetNotInstalled(game.ruleset, game.ruleset_version)
    looks.record_view(context, game, visibility)
    entries = log.all_entries(context.session, game.id, game.version)
    checks = check_table(game, row.position, entries)
    if not visibility.whole and not game.over:
        checks = [
            check if check.ok else check._replace(detail=f"not so: {WHAT[check.name]}") for check in checks
        ]
    usual = IMPORTED if game.imported_by else {}
    checks = [c._replace(detail=usual.get(c.name, c.detail)) if c.ok else c for c in checks]
    results = [check._asdict() for check in checks]
    return {"ok": all(check.ok for check in checks), **game.origin, "checks": results}


def faults(row: GameRow, entries: Iterator[StoredEntry]) -> list[str]:
    """Return what is wrong with a stored game and its log, in words."""
    checks = check_table(game_of(row._replace(position=None)), row.position, entries)
    return [f"{check.name}: {check.detail}" for check in checks if not check.ok]


def check_table(
    game: Game, position: str | None, entries: Iterator[StoredEntry]
) -> list[referee.verification.Check]:
    """Check a game and its stored position against its log, which is read once."""
    verification = referee.Verification(
        {
            "format": "card-referee/1",
            "ruleset": game.ruleset,
            "version": game.ruleset_version,
            "seats": len(game.seats),
            "options": game.options,
            "seed": game.seed.hex(),
            "entropy": [seat.entropy for seat in game.seats],
            "result": game.result,
            "names": {},
            **game.origin,
        },
        EFFORT,
    )
    last = altered = 0
    for entry in entries:
        last += 1
        shown, name = _written(entry)
        if shown is None or entry.seq != last:
            altered = altered or last
        verification.read(shown, name)
    checks = verification.report().checks
    head_holds = (last, verification.head) == (game.version, game.head)
    led_to = stored(referee.dump(verification.state)) if verification.state else None
    position_holds = _completed(game, position) == led_to and game.drawn == verification.drawn
    return [
        *checks,
        _check("stored", not altered, "is not as it was written", altered or None),
        _check("head", head_holds, "the log does not end where the game stands", last or None),
        _check("position", position_holds, "another position is stored", last or None),
    ]


def _completed(game: Game, position: str | None) -> str | None:
    """Return a stored position with the defaults of options that the ruleset has had only since then."""
    try:
        held = loads(position or "null")
        options = referee.positions.read_options(game.rules, len(game.seats), held["options"])[1]
        return stored({**held, "options": options})
    except (TypeError, KeyError, orjson.JSONDecodeError, referee.Malformed):
        return position


def _check(name: str, ok: bool, fault: str, seq: int | None) -> referee.verification.Check:
    return (
        referee.verification.Check(name, True, BESIDE[name])
        if ok
        else referee.verification.Check(name, False, fault, seq)
    )


def _written(entry: StoredEntry) -> tuple[Json | None, Json | None]:
    """Return an entry with its hash and private part, and the name of its newcomer.

    The entry is None if it is not in the service's form.
    """
    try:
        public = loads(entry.public)
        private = loads(entry.private) if entry.private else {}
        said = loads(entry.words) if entry.words else None
        written = [(entry.private, private), (entry.words, said), (entry.public, public)]
        if any(text and stored(part) != text for text, part in written):
            return None, None
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None, None
    if not isinstance(public, dict) or public.keys() & {"hash", "private"}:
        return None, None
    if said and "seals" in public:
        private[referee.records.ALL], said = said, None
    shown = {**public, "hash": bytes(entry.hash).hex()}
    return {**shown, "private": private} if private else shown, said
