"""The types of entries, each declared once: its members, when it occurs, its effects, and its wording.

Verification, history, imports, records, dispute reports, the specification and the pages read these
declarations. What only one of them does with a type is in a table there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

Entry = Mapping[str, Any]
EVERY = ("seq", "type", "at", "hash")
SEAT = ("seat", "player", "bot")
WHO = ("seat", "player")  # no entry with a seat lacks them
CLOCKS = ("deadlines", "reserve")
ORIGIN = ("origin", "imported_by")
TERMS = ("ruleset", "ruleset_version", "options", "seats", "visibility", "pace", "commitment")
DEALING = ("entropy", "reveal_within")  # how the deal comes about, if not only from a seed
OUTCOME = ("transfers", "scores", "won_by")
SHARES = ("sealed", "seals", "private")
SIGNED = (*SEAT, "by", "signature")
TABLE = ("open", "running")
EVEN_PAUSED = ("running", "paused")


class Notice(NamedTuple):
    """What apps and players are told of an entry: what it means, and members of an example.

    Apps get those `on_request` only if they name the event, because it is so frequent.
    """

    about: str
    example: Mapping[str, Any] = MappingProxyType({})
    on_request: bool = False


@dataclass(frozen=True, slots=True)
class EntryType:
    """A type of entry.

    `words` describe an entry in a sentence, with `{who}` (the seat's player), `{newcomer}` (the player that
    the entry names) or a member in braces; a `….seat` is told by the name of who sits there. Where a seat
    changes hands during the game, `handed_over` are the words and `notice_of_replacement` is the notice.

    An entry may occur in these `stages` of a game, and leads to the stage `then` ("": the stage stays): so
    `stages` and `then` say which entries may follow which. A type that `resigns` leads there only if late
    seats resign. An entry has these `members` in addition to those of every entry, and always the `needed`
    ones. All is public, except that in a `shared` type seats may have a part that the others do not see, and
    that everybody sees a text (which the entry `says`, or a move) in a share, until it is erased. An entry
    `names` a newcomer by the hash of the name.

    An entry that is `aside` changes nothing at the table: no turn begins or ends, and a take-back request
    stays open. No take-back reaches beyond an entry that is `final`. With `turns`, turns begin and end; with
    `afresh`, all of them. An entry that `ends` a game ends it without a move; only messages follow the `last`
    entry.
    """

    words: str
    stages: tuple[str, ...]
    members: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    then: str = ""
    shared: bool = False
    says: bool = False
    names: bool = False
    aside: bool = False
    final: bool = True
    turns: bool = False
    afresh: bool = False
    ends: bool = False
    resigns: bool = False
    handed_over: str = ""
    notice: Notice = field(kw_only=True)
    notice_of_replacement: Notice | None = None
    last: bool = False
    known: frozenset[str] = field(init=False)  # the names of all members

    def __post_init__(self) -> None:
        more = SHARES if self.shared or self.says else ()
        object.__setattr__(self, "known", frozenset((*EVERY, *self.members, *more)))

    def has(self, name: str) -> bool:
        """Return whether an entry of the type may have this member."""
        return name in self.known


BEN = {"id": "019ca94f-4d80-7000-8000-000000000011"}  # in examples
ENTRY_TYPES: dict[str, EntryType] = {
    "created": EntryType(
        "A game of {ruleset} is set up.",
        ("nothing",),
        (*TERMS, *DEALING, *ORIGIN, "test_clock"),
        needed=TERMS,
        then="open",
        notice=Notice("A game has been created."),
    ),
    "joined": EntryType(
        "{newcomer} sits down.",
        TABLE,
        (*SEAT, *CLOCKS, "by", "entropy", "commitment", "replaced", "dropped", "public_key"),
        needed=(*WHO, "bot", "entropy"),
        names=True,
        final=False,
        turns=True,
        handed_over="{newcomer} takes this seat.",
        notice=Notice("A player or a bot has taken a seat."),
        notice_of_replacement=Notice("Another player has taken over a seat of a running game."),
    ),
    "left": EntryType(
        "{newcomer} leaves, and the seat is free again.",
        TABLE,
        (*SEAT, "by", "reserve", "replaced", "agreed", "dropped"),
        needed=(*WHO, "bot"),
        final=False,
        handed_over="The seat of {newcomer} changes hands.",
        notice=Notice("A player has left a seat, before the start or to be replaced."),
    ),
    "revealed": EntryType(
        "{who} reveals the entropy of the seat.",
        ("open",),
        (*SEAT, "by", "entropy"),
        needed=(*WHO, "entropy"),
        final=False,
        notice=Notice("A seat has revealed the entropy that it had committed to."),
    ),
    "forfeited": EntryType(
        "{who} has not revealed in time.",
        ("open", "forfeited"),
        (*SEAT, "by"),
        needed=WHO,
        then="forfeited",
        final=False,
        notice=Notice("A seat has not revealed its entropy in time; the game is cancelled."),
    ),
    "started": EntryType(
        "The cards are dealt.",
        ("open",),
        (*OUTCOME, *CLOCKS),
        needed=("transfers",),
        then="running",
        shared=True,
        turns=True,
        notice=Notice("Every seat is taken and the cards are dealt."),
    ),
    "moved": EntryType(
        "{who} moves.",
        ("running",),
        (*SIGNED, *OUTCOME, *CLOCKS, "move", "random", "order"),
        needed=(*WHO, "move", "transfers"),
        shared=True,
        final=False,
        turns=True,
        notice=Notice("A move has been made.", on_request=True),
    ),
    "said": EntryType(
        "{who}: {text}",
        ("open", *EVEN_PAUSED, "given up", "timed out", "over"),
        (*SEAT, "by"),
        needed=(*WHO, "sealed", "seals"),
        says=True,
        aside=True,
        notice=Notice(
            "Somebody has written a message.",
            {
                "sealed": "0f5c8c7bd8f0a3c5e6a1d2b4f79c8e3a6b5d4c3f2e1a0b9c8d7e6f5a4b3c2d1e",
                "seals": {"all": "17de9db7d01297951053b25a580a0010d788383f7cf8dcf5aa64ba4a21e50344"},
                "private": {"all": {"text": "Good luck!", "salt": "8f3a6c2e9b1d4f70a5c8e2b6d9f1a3c5"}},
            },
        ),
    ),
    "take_back_requested": EntryType(
        "{who} asks to take back move {of}.",
        ("running",),
        (*SIGNED, "of"),
        needed=(*WHO, "of"),
        aside=True,
        notice=Notice("A seat asks to take back its last move."),
    ),
    "take_back_agreed": EntryType(
        "{who} agrees to take back move {of}.",
        ("running",),
        (*SIGNED, "of"),
        needed=(*WHO, "of"),
        aside=True,
        notice=Notice("A seat agrees to take back a move."),
    ),
    "take_back_refused": EntryType(
        "{who} does not agree to take back move {of}.",
        ("running",),
        (*SIGNED, "of"),
        needed=(*WHO, "of"),
        aside=True,
        notice=Notice("A seat does not agree to take back a move."),
    ),
    "vacation_taken": EntryType(
        "{who} is away until {vacation.until}.",
        ("running",),
        (*SIGNED, "vacation", "deadlines"),
        needed=(*WHO, "vacation"),
        aside=True,
        notice=Notice(
            "A seat has gone on vacation.",
            {"deadlines": {"0": "2026-03-04T12:00:00.000000Z"}},
        ),
    ),
    "nudged": EntryType(
        "{who} nudges {nudge.seat}.",
        ("running",),
        (*SEAT, "by", "nudge"),
        needed=(*WHO, "nudge"),
        aside=True,
        notice=Notice(
            "Another player has reminded this seat to move.",
            {"nudge": {"seat": 1, "player": BEN}},
        ),
    ),
    "key_retired": EntryType(
        "{who} acts without a key from now on.",
        ("open", *EVEN_PAUSED),
        SIGNED,
        needed=(*WHO, "signature"),
        aside=True,
        notice=Notice("A seat acts without its public key from now on."),
    ),
    "replacement_agreed": EntryType(
        "{who} agrees that {newcomer} take over the seat of {replacement.seat}.",
        ("running",),
        (*SIGNED, "replacement"),
        needed=(*WHO, "replacement"),
        names=True,
        aside=True,
        notice=Notice("A seat has agreed to a replacement for another seat."),
    ),
    "pause_agreed": EntryType(
        "{who} agrees to a pause.",
        ("running",),
        SIGNED,
        needed=WHO,
        aside=True,
        notice=Notice("A seat has agreed to pause the game."),
    ),
    "ending_agreed": EntryType(
        "{who} agrees to end the game by {ending}.",
        ("running",),
        (*SIGNED, "ending"),
        needed=(*WHO, "ending"),
        aside=True,
        notice=Notice("A seat has agreed to cancel the game, or to a draw.", {"ending": "draw"}),
    ),
    "paused": EntryType(
        "The game is paused.",
        ("running",),
        then="paused",
        final=False,
        notice=Notice("All players have agreed to a pause; the clocks stand still."),
    ),
    "resumed": EntryType(
        "{who} ends the pause.",
        ("paused",),
        (*SIGNED, "deadlines"),
        needed=WHO,
        then="running",
        final=False,
        notice=Notice("A seat has ended the pause; current turns continue."),
    ),
    "time_returned": EntryType(
        "The server was down since {since}: every clock gets the time back.",
        ("open", "running"),
        ("since", "deadlines"),
        needed=("since",),
        aside=True,
        notice=Notice("Every clock has its time back after an outage."),
    ),
    "time_added": EntryType(
        "{director} gives {added.seat} more time.",
        ("running",),
        ("by", "added", "deadlines"),
        needed=("added", "deadlines"),
        aside=True,
        notice=Notice("A seat has been given more time."),
    ),
    "resigned": EntryType(
        "{who} gives up.",
        EVEN_PAUSED,
        SIGNED,
        needed=WHO,
        then="given up",
        ends=True,
        notice=Notice("A seat has resigned."),
    ),
    "timed_out": EntryType(
        "{who} runs out of time.",
        ("running", "timed out"),
        (*SEAT, "by"),
        needed=WHO,
        then="timed out",
        ends=True,
        resigns=True,
        notice=Notice("A seat's deadline has passed."),
    ),
    "dropped": EntryType(
        "{who} has missed too many turns and is out.",
        ("running",),
        (*SEAT, "by"),
        needed=WHO,
        then="given up",
        ends=True,
        notice=Notice("A seat has missed too many turns in a row, and the game is over."),
    ),
    "drawn": EntryType(
        "All players agree to a draw.",
        ("running",),
        then="decided",
        ends=True,
        notice=Notice("All players have agreed to a draw."),
    ),
    "adjudicated": EntryType(
        "{director} decides the game.",
        EVEN_PAUSED,
        ("by", "ruling"),
        needed=("ruling",),
        then="decided",
        ends=True,
        notice=Notice("The game's app has decided the game."),
    ),
    "finished": EntryType(
        "The game is over.",
        ("running", "given up", "timed out", "decided"),
        ("result", "seed"),
        needed=("result", "seed"),
        then="over",
        last=True,
        notice=Notice(
            "A game has finished with a result.",
            {"result": {"winners": [0], "losers": [1], "reason": "ace"}},
        ),
    ),
    "cancelled": EntryType(
        "The game is called off.",
        (*TABLE, "paused", "forfeited"),
        ("by", "agreed", "reason"),
        then="over",
        ends=True,
        last=True,
        notice=Notice("A game has been cancelled."),
    ),
    "taken_back": EntryType(
        "{who} takes move {of} back.",
        ("running",),
        (*SEAT, *CLOCKS, "by", "of"),
        needed=(*WHO, "of"),
        final=False,
        turns=True,
        afresh=True,
        notice=Notice("A seat's move has been taken back."),
    ),
    "timeout_undone": EntryType(
        "{director} undoes the time-out of {undone.seat}: move {of} does not count.",
        ("running",),
        ("by", "of", "undone", *CLOCKS),
        needed=("of", "undone"),
        final=False,
        turns=True,
        afresh=True,
        notice=Notice("A time-out has been undone; the turn goes on."),
    ),
}


NOTHING = "nothing"  # the stage before the first entry


def stage_after(kind: str, stage: str, resigning: bool) -> str:
    """Return the stage after an entry of a known type; `resigning`: late seats resign."""
    declared = ENTRY_TYPES[kind]
    return declared.then if declared.then and (resigning or not declared.resigns) else stage


ENDINGS = tuple(name for name, kind in ENTRY_TYPES.items() if kind.ends)
LAST = tuple(name for name, kind in ENTRY_TYPES.items() if kind.last)
# Entries after which the moves from entry `of` on do not count.
GOING_BACK = ("taken_back", "timeout_undone")
