"""Records of games, and proofs about them, in answers."""

from __future__ import annotations

from api.schemas.fields import Fixed
from api.schemas.games import FORKED_FROM, IMPORTED_BY, ORIGIN, TESTED
from api.schemas.labels import Labels
from api.schemas.logs.entries import PUBLIC_MOVE, Entry
from api.schemas.members import (
    UUID,
    Boolean,
    Count,
    DateTime,
    EntryTime,
    Hash,
    Hex,
    List,
    Nested,
    Object,
    Seats,
    String,
)
from api.schemas.rulesets import Result
from api.schemas.rulesets.declared import Declared
from api.schemas.shapes import Answer, OpenAnswer, page_of, part


class LogKey(Answer):
    """A key that signs receipts."""

    vkey = String(about="Name, id and Ed25519 key, as C2SP's signed notes write them.")
    valid_from = DateTime()
    valid_until = DateTime(null=True, about="It signs nothing after this time; null while it is used.")
    restored = Boolean(
        about="It was retired because a backup was restored, which may lack entries that it has signed."
    )
    endorsement = String(
        null=True, about="A note in which the key before says that this one follows; null for the first."
    )


LogKeyList = page_of(LogKey, "LogKeyList", "Every key of the server, newest first, on one page.")


class ListedMove(Answer):
    """A move that was not taken back, and its entry."""

    seat = Count()
    move = Declared(PUBLIC_MOVE)
    seq = Count(1)
    at = EntryTime()


class GameLeaf(Answer):
    """A leaf of a game, and the proof that the tree of the checkpoint contains it."""

    index = Count()
    data = String(about="The content of the leaf, as canonical JSON.")
    proof = List(Hash())


class GameInclusion(Answer):
    """A game's leaves in the log of all games, for its beginning and end; missing for some seconds."""

    checkpoint = String(
        null=True, about="Size and root, signed (`c2sp.org/tlog-checkpoint`); null without a key."
    )
    size = Count()
    root = Hash()
    leaves = List(Nested(GameLeaf))


class GameRecord(OpenAnswer, Labels):
    """A game as a file, with its log."""

    format = Fixed("card-referee/1")
    game = UUID(optional=True, about="The game's id on this server, which receipts name too.")
    ruleset = String()
    version = Count()
    seats = Count()
    options = Object()
    seed = Hex(null=True, about="Null until the game is over.")
    entropy = List(String())
    origin = ORIGIN
    imported_by = IMPORTED_BY
    forked_from = FORKED_FROM
    moves = List(Nested(ListedMove))
    result = Nested(Result, null=True)
    commitment = Hash()
    entries = List(Nested(Entry))
    ended = part(
        "How it ended, if not by a move.",
        type=String(),
        seat=Count(null=True),
        seats=Seats(optional=True, about="All seats that ran out of time, if there are several."),
        winners=Seats(optional=True, about="Who wins by the director's decision."),
        losers=Seats(optional=True, about="Who loses by the director's decision."),
        optional=True,
    )
    chance = List(Object(), optional=True, about="Every shuffle and random pick, once the game is over.")
    title = String(optional=True)
    test_clock = TESTED
    randomness = part(
        "The round of a public beacon that was added to the chance.",
        round=Count(1),
        signature=Hex(),
        optional=True,
    )
    inclusion = Nested(GameInclusion, optional=True, about="Proof that the game is in the log of all games.")


class GameBundle(Answer):
    """A finished game with everything that is needed to verify it offline."""

    format = Fixed("card-referee-bundle/1")
    record = Nested(GameRecord)
    receipts = List(String(), about="Of the game's end; empty without a key.")
    keys = List(Nested(LogKey), about="All keys of the server.")


CHECKS = List(
    part(
        "A check: whether it holds, what was found, and the first entry that fails.",
        name=String(),
        ok=Boolean(),
        detail=String(),
        seq=Count(1, null=True),
    )
)


class Verification(Answer):
    """The result of the verification of a game."""

    ok = Boolean()
    origin = ORIGIN
    imported_by = IMPORTED_BY
    forked_from = FORKED_FROM
    test_clock = TESTED
    checks = CHECKS
