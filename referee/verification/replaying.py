"""Replay of a recorded game together with its log, to compare each entry with what happened."""

from collections.abc import Mapping
from typing import Any

from referee.engine.chance import Noted
from referee.engine.jsontext import same
from referee.engine.play import advance, deal, judge
from referee.engine.position import Moved, clone
from referee.engine.shapes import Move
from referee.engine.takeback import reveals
from referee.engine.verdicts import Malformed
from referee.log.chain import SALT, account
from referee.log.record import Record, close
from referee.verification.findings import Findings

Entry = Mapping[str, Any]
SCORING = ("scores", "won_by")
COMPARED = ("move", "transfers", *SCORING, "private")


class Replay:
    """The game behind a log.

    `rules` are those of the log's number. `state` is None before the deal, and when the game cannot be
    replayed any further; `compared` are the members of the last entry that say exactly what happened;
    `drawn` counts the outcomes of chance and `moves` the moves so far; `refused` is the
    illegal move: `{"n", "seat", "move", "verdict"}`.
    """

    def __init__(self, record: Record, outcomes: object, findings: Findings) -> None:
        """`outcomes` are the outcomes of chance in the record, if any."""
        self._record = record
        self._outcomes = outcomes
        self._findings = findings
        self._chance: Noted | None = None
        self.state: Any = None
        self.compared: tuple[str, ...] = ()
        self.drawn = 0
        self.moves = 0
        self.refused: dict[str, Any] | None = None
        # The moves that may be taken back (those since the last chance), and the position before them.
        self._anchor: Any = None
        self._since: list[tuple[int, int, Any]] = []

    @property
    def waiting(self) -> list[int] | None:
        """The seats that the game now waits for, or None if unknown."""
        if self.state is None:
            return None
        return [] if self.state.result is not None else self.state.to_act

    def play(self) -> None:
        """Play the record's own moves, from the deal to its end."""
        self.deal()
        for made in self._record.moves:
            self.move(made["seat"], made["move"])
        if self._record.ended is not None:
            try:
                self.end(self._record.ended)
            except Malformed as error:
                self._findings.fail("result", str(error))

    def deal(self, entry: Entry | None = None) -> None:
        """Deal, and compare with the `started` entry, if there is one."""
        record = self._record
        self._chance = Noted(record.key)
        self.state, transfers = deal(
            record.ruleset, record.seats, record.options, self._chance, version=record.version
        )
        self._compare_chance()
        self._anchor = clone(self.state)
        self._compare(entry, None, transfers, None)

    def move(self, seat: int, move: Any, entry: Entry | None = None, seq: int = 0) -> None:
        """Judge and make a move, and compare with the `moved` entry of this number, if there is one."""
        self.moves += 1
        if self.state is None or self._chance is None:
            return
        verdict = judge(self.state, seat, move)
        if verdict.refusal is not None:
            rule, reason, _ = verdict.refusal
            self.refused = {"n": self.moves, "seat": seat, "move": move, "verdict": verdict.to_json()}
            self._findings.fail(
                "verdicts", f"move {self.moves}, of seat {seat}, is refused by {rule}: {reason}"
            )
            self.lose_track()
            return
        drawn = self.drawn
        transfers = advance(self.state, seat, move, self._chance)
        self._compare_chance()
        if self.drawn != drawn:
            self._anchor, self._since = clone(self.state), []
        elif entry is not None:
            self._since.append((seq, seat, move))
        self._compare(entry, move, transfers, seat)

    def take_back(self, of: int) -> None:
        """Go back to before the move of entry `of`. The check fails if that would take back a revelation."""
        if self.state is None or self._chance is None:
            return
        state = clone(self._anchor)
        earlier = [move for move in self._since if move[0] < of]
        taken = self._since[len(earlier) :]
        if not taken or taken[0][0] != of:
            self._findings.fail("order", f"takes back entry {of}, which is no move since chance was drawn")
            self.lose_track()
            return
        for _, seat, move in earlier:
            advance(state, seat, move, self._chance)
        self.state = clone(state)
        for _, seat, move in taken:
            shown = reveals(state, seat, move, self._chance)
            if shown is not None:
                self._findings.fail("order", f"takes back a move although {shown}")
        self._since = earlier
        self.moves -= len(taken)

    def end(self, ending: dict[str, Any]) -> None:
        """End the game without a move. Raises Malformed if it is already over."""
        if self.state is not None:
            close(self.state, ending)

    def lose_track(self) -> None:
        """Stop replaying, because later entries have no meaning for this game."""
        self.state = None
        self._findings.skip(
            "the game cannot be followed to its end", "shuffles", "verdicts", "transfers", "result"
        )

    def _compare(
        self, entry: Entry | None, move: Move | None, transfers: list[Moved], seat: int | None
    ) -> None:
        if entry is None:
            return
        public, private = account(self.state, move, transfers, seat)
        written = {name: entry[name] for name in COMPARED if name in entry}
        if "private" in entry:  # the check of seals compares the salts
            written["private"] = _without_salts(entry.get("private"), seat)
        if same(written, {**public, "private": private} if private else public):
            self.compared = COMPARED
            return
        shares = _without_salts(entry.get("private") or {}, seat)
        if not same(entry.get("transfers"), public["transfers"]):
            self._findings.fail(_check_of(transfers), "the transfers written are not what happened")
        if not same(shares, private):
            self._findings.fail(_check_of(transfers), "a private part is not what that seat saw")
        if not same(entry.get("move"), public.get("move")):
            self._findings.fail("transfers", "the public move is not the one that was made")
        due = [public.get("scores"), public.get("won_by")]
        if not same([entry.get("scores"), entry.get("won_by")], due):
            scored = dict(zip(SCORING, due, strict=True))
            self._findings.fail("transfers", f"what was scored is not what happened: {scored}")

    def _compare_chance(self) -> None:
        assert self._chance is not None
        for outcome in self._chance.outcomes:
            named = self._outcomes
            if type(named) is list and not same(named[self.drawn : self.drawn + 1], [outcome]):
                self._findings.fail("shuffles", f"outcome {self.drawn} of chance is not what the seed gives")
            self.drawn += 1
        self._chance.outcomes.clear()

    def has_more_outcomes(self) -> bool:
        """Return whether the record names outcomes that were never drawn."""
        return type(self._outcomes) is list and len(self._outcomes) > self.drawn


def _check_of(transfers: list[Moved]) -> str:
    """Return the check to which transfers belong: dealt cards show the outcome of chance."""
    return "shuffles" if any(source is None for source, *_ in transfers) else "transfers"


def _without_salts(private: object, mover: int | None) -> object:
    """Return the shares of a private part without salts and the mover's signature."""
    if type(private) is not dict:
        return private
    return {
        seat: {
            name: value
            for name, value in share.items()
            if name != SALT and (name, seat) != ("signature", str(mover))
        }
        if type(share) is dict
        else share
        for seat, share in private.items()
    }
