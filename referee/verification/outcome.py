"""Compares what an entry says of cards with what happened to them."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.engine.jsontext import same
from referee.engine.position import Moved
from referee.log.chain import SALT
from referee.log.words import ALL, is_erased
from referee.table.events import Facts
from referee.verification.findings import Findings

CLOCKS = ("deadlines", "reserve", "vacation")
SCORING = ("scores", "won_by")
PUBLIC = (*CLOCKS, "move", "transfers", *SCORING)
COMPARED = (*PUBLIC, "private")


OTHER_CLOCKS = "the deadlines, reserves or days off are not those that follow from the pace"


class Outcomes:
    """Compares entries, and the outcomes of chance with those that a record names, if it does."""

    def __init__(self, named: object, findings: Findings) -> None:
        self._named = named if type(named) is list else None
        self._findings = findings
        self._drawn = 0

    def draw(self, outcomes: list[dict[str, Any]]) -> None:
        """Compare the outcomes of chance that were drawn, and forget them."""
        for outcome in outcomes:
            if self._named is not None and not same(self._named[self._drawn : self._drawn + 1], [outcome]):
                self._findings.fail("shuffles", f"outcome {self._drawn} of chance is not what the seed gives")
            self._drawn += 1
        outcomes.clear()

    def end(self) -> None:
        """Report outcomes that were never drawn."""
        if self._named is not None and len(self._named) > self._drawn:
            self._findings.fail("shuffles", "the record names outcomes of chance that were never drawn")

    def compare(self, entry: Mapping[str, Any], facts: Facts, known: Sequence[str] = PUBLIC) -> bool:
        """Return whether an entry says what happened, as far as it is `known`."""
        public, private, seat = facts.public, facts.private, entry.get("seat")
        if entry["type"] == "moved" and is_erased(entry, entry.get("private") or {}) and known is PUBLIC:
            if ALL not in private:
                self._findings.fail("transfers", "seals a text, and the move has none")
            private = {name: share for name, share in private.items() if name != ALL}
        written = {name: entry[name] for name in known if name in entry}
        if "private" in entry and known is PUBLIC:  # the check of seals compares the salts
            written["private"] = _without_salts(entry["private"], seat)
        if same(written, {**public, "private": private} if private else public):
            return True
        if any(not same(entry.get(name), public.get(name)) for name in CLOCKS):
            self._findings.fail("clocks", OTHER_CLOCKS)
        if "transfers" not in public:
            return False
        check = _check_of(facts.transfers)
        if not same(entry.get("transfers"), public["transfers"]):
            self._findings.fail(check, "the transfers written are not what happened")
        if not same(_without_salts(entry.get("private") or {}, seat), private):
            self._findings.fail(check, "a private part is not what that seat saw")
        if not same(entry.get("move"), public.get("move")):
            self._findings.fail("transfers", "the public move is not the one that was made")
        due = [public.get(name) for name in SCORING]
        if not same([entry.get(name) for name in SCORING], due):
            scored = dict(zip(SCORING, due, strict=True))
            self._findings.fail("transfers", f"what was scored is not what happened: {scored}")
        return False


def _check_of(transfers: Sequence[Moved]) -> str:
    """Return the check to which transfers belong: dealt cards show the outcome of chance."""
    return "shuffles" if any(source is None for source, *_ in transfers) else "transfers"


def _without_salts(private: object, mover: int | None) -> object:
    """Return the shares of a private part without salts and the signature of a hidden move."""
    if type(private) is not dict:
        return private
    return {
        seat: {
            name: value
            for name, value in share.items()
            if name != SALT and not (name == "signature" and seat in (str(mover), ALL))
        }
        if type(share) is dict
        else share
        for seat, share in private.items()
    }
