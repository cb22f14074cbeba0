"""Checks a record's proofs that its game is in its server's log of all games."""

from collections.abc import Mapping
from typing import Any

from referee.log.entries import LAST
from referee.log.leaves import CREATED, leaf
from referee.log.merkle import leaf_hash, root_of_inclusion
from referee.log.receipts import read_receipt
from referee.verdicts import Malformed
from referee.verification.findings import Findings

CHECK = "inclusion"
HOLDS = "the game is in the log of all games whose root the record names"
LEAVES = frozenset((CREATED, *LAST))
MEMBERS, LEAF_MEMBERS = {"checkpoint", "size", "root", "leaves"}, {"index", "data", "proof"}


class Inclusion:
    """Collects the entries that are leaves of the log of all games; compares them with a record's proofs."""

    def __init__(self, data: Mapping[str, Any], findings: Findings) -> None:
        self._inclusion = data.get("inclusion")
        self._imported = data.get("origin") == "imported"
        self._findings = findings
        self._entries: list[Mapping[str, Any]] = []

    def see(self, entry: Mapping[str, Any]) -> None:
        """Collect an entry that is a leaf."""
        self._entries.append(entry)

    def report(self, logged: bool) -> None:
        """Check the proofs, if the record has any. They concern entries, so this needs a log."""
        if self._inclusion is None:
            return
        if not logged:
            self._findings.skip("the record has no log", CHECK)
            return
        try:
            fault = self._fault(self._inclusion)
        except (KeyError, TypeError, ValueError, AttributeError):
            fault = "the proofs cannot be read"
        if fault is None:
            self._findings.hold(CHECK, HOLDS)
        else:
            self._findings.fail(CHECK, fault)

    def _fault(self, inclusion: dict[str, Any]) -> str | None:
        size, root, leaves = inclusion["size"], bytes.fromhex(inclusion["root"]), inclusion["leaves"]
        if inclusion.keys() != MEMBERS or type(size) is not int or inclusion["root"] != root.hex():
            return "the proofs cannot be read"
        if inclusion["checkpoint"] is not None:
            try:
                signed = read_receipt(inclusion["checkpoint"])
            except Malformed:
                return "the checkpoint cannot be read"
            if (signed.size, signed.root) != (size, root):
                return "the checkpoint is of another tree"
        if not 0 < len(leaves) <= len(self._entries):
            return "there are not as many proofs as leaves"
        for one, entry in zip(leaves, self._entries, strict=False):
            commitment = self._entries[0]["commitment"]
            data = leaf(entry, commitment, entry["hash"], self._imported)
            proof = [bytes.fromhex(text) for text in one["proof"]]
            whole = one.keys() == LEAF_MEMBERS and type(one["index"]) is int and one["data"] == data.decode()
            written = [hash_.hex() for hash_ in proof] == one["proof"]
            if not whole or not written:
                return f"the leaf of entry {entry['seq']} is another one"
            if root_of_inclusion(one["index"], size, leaf_hash(data), proof) != root:
                return f"entry {entry['seq']} is not in the tree"
        return None
