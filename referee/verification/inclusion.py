"""Checks a record's proofs that its game is in its server's log of all games.

Anybody can make a tree in which a game is. So the proofs count only for a tree that the server has signed;
and a tree that a witness has seen is the one that everybody else was shown.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from referee.engine.jsontext import compact
from referee.engine.verdicts import Malformed
from referee.log.entries import LAST
from referee.log.times import read_time
from referee.proofs.leaves import CREATED, GAMES, leaf
from referee.proofs.merkle import is_consistent, leaf_hash, root_of_inclusion
from referee.proofs.receipts import Key, Receipt, is_bare, read_keys, read_receipt, signer, unsigned
from referee.verification.findings import Findings

CHECK, WITNESSED = "inclusion", "witnessed"
LEAVES = frozenset((CREATED, *LAST))
MEMBERS, LEAF_MEMBERS = {"checkpoint", "size", "root", "leaves"}, {"index", "data", "proof"}
KEYS = "keys"  # of the server, with endorsements; what they are is the business of whoever trusts one
NO_PROOFS = "the record has no proofs that its game is in the log of all games"


class Trust(NamedTuple):
    """What a verifier knows of a log of all games.

    It may have the server's keys, a checkpoint that a witness has seen, and, if that is of another size than
    the record's, the server's answer with the proof of consistency between the two.
    """

    keys: Sequence[Key] = ()
    witnessed: Receipt | None = None
    consistency: object = None


def listed_keys(record: Mapping[str, Any]) -> list[Key]:
    """Return the keys of the server that a record's proofs list; nobody has to trust them.

    Raises Malformed.
    """
    inclusion = record.get("inclusion")
    listed = (inclusion.get(KEYS) if type(inclusion) is dict else None) or []
    return read_keys(compact(listed))


class Inclusion:
    """Collects the entries that are leaves of the log of all games; compares them with a record's proofs."""

    def __init__(self, data: Mapping[str, Any], trust: Trust, findings: Findings) -> None:
        self._inclusion = data.get("inclusion")
        self._imported = data.get("origin") == "imported"
        self._trust = trust
        self._findings = findings
        self._entries: list[Mapping[str, Any]] = []
        self._proved: list[Mapping[str, Any]] = []

    def read(self, entry: Mapping[str, Any]) -> None:
        """Collect an entry that is a leaf."""
        self._entries.append(entry)

    def report(self, logged: bool) -> None:
        """Check the proofs, if the record has any. They concern entries, so this needs a log."""
        asked = (CHECK, WITNESSED) if self._trust.witnessed else (CHECK,)
        if self._inclusion is None or not logged:
            if self._inclusion is not None or self._trust.keys or self._trust.witnessed:
                self._findings.skip(NO_PROOFS if logged else "the record has no log", *asked)
            return
        if type(self._inclusion) is dict and (lacks := MEMBERS - self._inclusion.keys()):
            self._findings.skip(f"the record's proofs lack {', '.join(sorted(lacks))}", *asked)
            return
        try:
            fault = self._fault(self._inclusion)
        except (KeyError, TypeError, ValueError, AttributeError):
            fault = "the proofs cannot be read"
        if fault is not None:
            self._findings.fail(CHECK, fault)
            return
        note = self._inclusion["checkpoint"]
        signed = None if note is None or is_bare(note) else read_receipt(note)
        self._report_signature(signed)
        if self._trust.witnessed is not None:
            self._compare(signed, self._trust.witnessed)

    def _fault(self, inclusion: dict[str, Any]) -> str | None:
        size, root, leaves = inclusion["size"], bytes.fromhex(inclusion["root"]), inclusion["leaves"]
        if inclusion.keys() - {KEYS} != MEMBERS or type(size) is not int or inclusion["root"] != root.hex():
            return "the proofs cannot be read"
        if inclusion["checkpoint"] is not None and not is_bare(inclusion["checkpoint"]):
            try:
                signed = read_receipt(inclusion["checkpoint"])
            except Malformed:
                return "the checkpoint cannot be read"
            if (signed.size, signed.root) != (size, root):
                return "the checkpoint is of another tree"
        leaves = [one for one in leaves if one.keys() >= LEAF_MEMBERS]
        if len(leaves) > len(self._entries):
            return "there are more proofs than leaves"
        left = [*self._entries]
        for one, due in zip(leaves, self._entries, strict=False):
            while left and not self._is_leaf(left[0], one["data"]):
                left.pop(0)
            proof = [bytes.fromhex(text) for text in one["proof"]]
            whole = one.keys() == LEAF_MEMBERS and type(one["index"]) is int
            if not left or not whole or [hash_.hex() for hash_ in proof] != one["proof"]:
                return f"the leaf of entry {due['seq']} is another one"
            entry = left.pop(0)
            if root_of_inclusion(one["index"], size, leaf_hash(one["data"].encode()), proof) != root:
                return f"entry {entry['seq']} is not in the tree"
            self._proved.append(entry)
        return None

    def _is_leaf(self, entry: Mapping[str, Any], data: str) -> bool:
        """Return whether this is the leaf of an entry."""
        commitment = self._entries[0]["commitment"]
        return data == leaf(entry, commitment, entry["hash"], self._imported).decode()

    def _report_signature(self, signed: Receipt | None) -> None:
        """Report who has signed the tree of valid proofs, and whether the game's end is in it."""
        key = signer(signed, self._trust.keys) if signed else None
        last = read_time(self._proved[-1].get("at")) if self._proved else None
        open_: list[str] = []
        if signed is None:
            open_.append("the root that the record names is signed by nobody")
        elif not self._trust.keys:
            open_.append("whether the server has signed the root that the record names: no keys were given")
        elif key is None:
            false, why = unsigned(signed, self._trust.keys)
            if false is not None:
                self._findings.fail(CHECK, f"the checkpoint: {why}")
            open_.append(f"the checkpoint: {why}")
        elif signed.origin != f"{key.name}/{GAMES}":
            self._findings.fail(CHECK, "the checkpoint is not of the log of all games")
        elif key.valid_until and last and last > key.valid_until:
            self._findings.fail(CHECK, "the key that signed the root was retired before")
        if self._entries[0] not in self._proved:
            open_.append("there is no proof of the beginning of the game")
        if self._entries[-1] not in self._proved:
            open_.append(
                f"the end of the game, entry {self._entries[-1]['seq']}, was not in the tree yet when the"
                " record was fetched"
            )
        if open_:
            self._findings.skip("; ".join(open_), CHECK)
        elif signed and key:
            what = f"the game is in the log of all games, of {signed.size} leaves, that {key.name} has signed"
            self._findings.confirm(CHECK, what)

    def _compare(self, signed: Receipt | None, witnessed: Receipt) -> None:
        if self._trust.keys and signer(witnessed, self._trust.keys) is None:
            self._findings.fail(WITNESSED, "none of the keys given has signed the witnessed checkpoint")
        elif signed is None:
            self._findings.skip("the root that the record names is signed by nobody", WITNESSED)
        elif signed.origin != witnessed.origin:
            self._findings.fail(WITNESSED, f"another log was witnessed: {witnessed.origin}")
        else:
            first, second = sorted((signed, witnessed), key=lambda one: one.size)
            if first.size != second.size and self._trust.consistency is None:
                self._findings.skip(
                    f"a tree of another size was witnessed; give the server's answer to GET /v1/log/proofs/"
                    f"consistency?first={first.size}&second={second.size} with --consistency",
                    WITNESSED,
                )
            elif self._is_one(first, second):
                self._findings.confirm(
                    WITNESSED, f"the tree agrees with the witnessed one of {witnessed.size} leaves"
                )
            else:
                self._findings.fail(WITNESSED, "the tree is another one than the witnessed one")

    def _is_one(self, first: Receipt, second: Receipt) -> bool:
        """Return whether one tree is the beginning of the other, or the same."""
        answer = self._trust.consistency if first.size != second.size else {"proof": []}
        try:
            proof = [bytes.fromhex(text) for text in answer["proof"]]  # type: ignore[index]
        except (KeyError, TypeError, ValueError):
            return False
        return is_consistent(first.size, second.size, first.root, second.root, proof)
