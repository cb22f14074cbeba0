"""Checks a record's proofs that its game is in its server's log of all games.

Anybody can make a tree in which a game is. So the proofs count only for a tree that the server has signed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.engine.jsontext import compact
from referee.engine.verdicts import Malformed
from referee.log.entries import LAST
from referee.log.times import read_time
from referee.proofs.leaves import CREATED, GAMES, leaf
from referee.proofs.merkle import leaf_hash, root_of_inclusion
from referee.proofs.receipts import Key, Receipt, is_bare, read_keys, read_receipt, signer, unsigned
from referee.verification.findings import Findings

CHECK = "inclusion"
LEAVES = frozenset((CREATED, *LAST))
MEMBERS, LEAF_MEMBERS = {"checkpoint", "size", "root", "leaves"}, {"index", "data", "proof"}
KEYS = "keys"  # of the server, with endorsements; what they are is the business of whoever trusts one
NO_PROOFS = "the record has no proofs that its game is in the log of all games"


def listed_keys(record: Mapping[str, Any]) -> list[Key]:
    """Return the keys of the server that a record's proofs list; nobody has to trust them.

    Raises Malformed.
    """
    inclusion = record.get("inclusion")
    listed = (inclusion.get(KEYS) if type(inclusion) is dict else None) or []
    return read_keys(compact(listed))


class Inclusion:
    """Collects the entries that are leaves of the log of all games; compares them with a record's proofs."""

    def __init__(self, data: Mapping[str, Any], keys: Sequence[Key], findings: Findings) -> None:
        self._inclusion = data.get("inclusion")
        self._imported = data.get("origin") == "imported"
        self._keys = keys
        self._findings = findings
        self._entries: list[Mapping[str, Any]] = []
        self._proved: list[Mapping[str, Any]] = []

    def read(self, entry: Mapping[str, Any]) -> None:
        """Collect an entry that is a leaf."""
        self._entries.append(entry)

    def report(self, logged: bool) -> None:
        """Check the proofs, if the record has any. They concern entries, so this needs a log."""
        if self._inclusion is None or not logged:
            if self._inclusion is not None or self._keys:
                self._findings.skip(NO_PROOFS if logged else "the record has no log", CHECK)
            return
        if type(self._inclusion) is dict and (lacks := MEMBERS - self._inclusion.keys()):
            self._findings.skip(f"the record's proofs lack {', '.join(sorted(lacks))}", CHECK)
            return
        try:
            fault = self._fault(self._inclusion)
        except (KeyError, TypeError, ValueError, AttributeError):
            fault = "the proofs cannot be read"
        if fault is not None:
            self._findings.fail(CHECK, fault)
            return
        note = self._inclusion["checkpoint"]
        self._report_signature(None if note is None or is_bare(note) else read_receipt(note))

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
        key = signer(signed, self._keys) if signed else None
        last = read_time(self._proved[-1].get("at")) if self._proved else None
        open_: list[str] = []
        if signed is None:
            open_.append("the root that the record names is signed by nobody")
        elif not self._keys:
            open_.append("whether the server has signed the root that the record names: no keys were given")
        elif key is None:
            false, why = unsigned(signed, self._keys)
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
