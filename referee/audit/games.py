"""What is told of a game that was verified: who played, who won, and why it is fair or not."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from referee.log.times import read_time, timestamp
from referee.log.words import readable
from referee.proofs.promises import DELAY
from referee.proofs.receipts import KEYS_AT
from referee.verification.assessment import Assessment
from referee.verification.findings import CONTRADICTED, NOT_YET
from referee.verification.forks import Compared
from referee.verification.kinds import kinds

RUNNING, UNSEEDED, NEWER_KEYS, NEWER_LOG = "running", "unseeded", "keys", "log"
UNREADABLE, NO_LOG, ERASED = "unreadable", "no_log", "erased"
Json = Mapping[str, Any]


class Player(NamedTuple):
    """Whoever held a seat at the end: what identifies them, and their name if it is known."""

    id: str
    name: str


class Game(NamedTuple):
    """A game, its verdict, and the reason: which check it breaks, or what is missing.

    `vouchers` have keys that the verifier has pinned. `entry` is the first that breaks the check, or the last
    that no receipt contradicts; `holder` has that receipt, and `until` is when what is missing must be there.
    """

    name: str
    verdict: str
    id: str = ""
    reason: str = ""
    vouchers: tuple[str, ...] = ()
    players: Sequence[Player] = ()
    winners: Sequence[int] | None = None
    scores: Sequence[Any] | None = None
    kinds: Sequence[str] = ()
    entry: int | None = None
    holder: str | None = None
    until: str | None = None


def told(name: str, assessment: Assessment, holders: Sequence[str]) -> Game:
    """Return what is told of a game; its first receipts are of these `holders`."""
    record = assessment.record
    log = record.get("entries")
    log = [entry for entry in log if type(entry) is dict] if type(log) is list else []
    entries = readable(log, record.get("names"))
    result = record.get("result")
    winners = result.get("winners") if type(result) is dict else None
    game = Game(
        name,
        assessment.verdict,
        id=str(record.get("game") or record.get("commitment")),
        vouchers=tuple(assessment.vouchers),
        players=_players(entries, record.get("names"), record["seats"]),
        winners=[seat for seat in winners if type(seat) is int] if type(winners) is list else None,
        scores=assessment.report.scores,
        kinds=[
            *kinds(record),
            *([ERASED] if assessment.report.erased else []),
            *([] if assessment.report.logged else [NO_LOG]),
        ],
    )
    if game.verdict == CONTRADICTED:
        return _broken(game, assessment, entries, holders)
    return _missing(game, assessment, entries) if game.verdict == NOT_YET else game


def _players(entries: Iterable[Json], names: object, seats: int) -> list[Player]:
    """Return who has each seat at last; those whose names were erased have none."""
    players = [Player("", "")] * seats
    for number, entry in enumerate(entries, 1):
        seat = entry.get("seat")
        if entry.get("type") == "joined" and type(seat) is int and 0 <= seat < seats:
            named = type(names) is dict and str(number) in names
            players[seat] = _player(entry) if named or entry.get("bot") else _player(entry)._replace(name="")
    return players


def _player(joined: Json) -> Player:
    player, bot = joined.get("player"), joined.get("bot")
    if type(player) is dict:
        name = player.get("name")
        return Player(str(player.get("id"))[:80], name[:80] if type(name) is str else "")
    return Player(f"bot {bot}"[:80], f"bot {bot}"[:80]) if bot else Player("", "")


def _broken(game: Game, assessment: Assessment, entries: Sequence[Json], holders: Sequence[str]) -> Game:
    """Add the first check that a game breaks, and whose receipt shows it."""
    others = [""] * (len(assessment.receipts) - len(holders))
    held = [*zip(assessment.receipts, [*holders, *others], strict=True)]
    wrong = [(one, holder) for one, holder in held if one.ok is False]
    if wrong:
        first, holder = min(wrong, key=lambda pair: pair[0].receipt.size)
        size = first.receipt.size
        fitting = [one.receipt.size for one, _ in held if one.ok and one.receipt.size < size]
        if not fitting or not _is_altered(first, entries):
            return game._replace(reason="receipts", holder=holder)
        return game._replace(reason="altered", holder=holder, entry=max(fitting))
    if assessment.record.get("seed") is None and any(one.name == "commitment" for one in assessment.broken):
        return game._replace(reason=UNSEEDED)
    return game._replace(reason=assessment.broken[0].name, entry=assessment.broken[0].seq)


def _is_altered(one: Compared, entries: Sequence[Json]) -> bool:
    """Return whether a receipt is of an entry that is another one, or missing."""
    size = one.receipt.size
    return size > len(entries) or (size > 0 and entries[size - 1].get("hash") != one.receipt.root.hex())


def _missing(game: Game, assessment: Assessment, entries: Sequence[Json]) -> Game:
    """Add what a game lacks first, and when it must be there."""
    missing = {one.name: one.detail for one in assessment.missing}
    if "commitment" in missing:
        return game._replace(reason=RUNNING)
    if any(KEYS_AT in detail for detail in missing.values()):
        return game._replace(reason=NEWER_KEYS)
    name = next(name for name in ("inclusion", "witnessed", "receipts") if name in missing)
    ended = read_time(entries[-1].get("at")) if entries else None
    return game._replace(reason=name, until=timestamp(ended + DELAY) if ended else None)
