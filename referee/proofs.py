"""What proves a game: receipts, trees, witnesses, signatures, and what a verification finds.

>>> this, other = leaf_hash(b"this game"), leaf_hash(b"another one")
>>> root_of_inclusion(0, 2, this, [other]) == node_hash(this, other)
True
"""

from referee.dispute import report as dispute_report
from referee.log.cosigning import Witness, cosigned, read_witness
from referee.log.leaves import leaf
from referee.log.merkle import EMPTY as EMPTY_TREE
from referee.log.merkle import consistency as prove_consistency
from referee.log.merkle import inclusion as prove_inclusion
from referee.log.merkle import is_consistent, leaf_hash, node_hash, root_of_inclusion
from referee.log.merkle import root as tree_root
from referee.log.promises import promise_line
from referee.log.receipts import (
    Key,
    Receipt,
    checkpoint,
    is_server_name,
    read_keys,
    read_receipt,
    read_vkey,
    signed_note,
    signer,
)
from referee.log.succession import succession
from referee.verification.findings import CHECKS, Check, Report
from referee.verification.signing import by_itself, bytes_to_sign, fits, signed_action

__all__ = [
    "CHECKS",
    "EMPTY_TREE",
    "Check",
    "Key",
    "Receipt",
    "Report",
    "Witness",
    "by_itself",
    "bytes_to_sign",
    "checkpoint",
    "cosigned",
    "dispute_report",
    "fits",
    "is_consistent",
    "is_server_name",
    "leaf",
    "leaf_hash",
    "node_hash",
    "promise_line",
    "prove_consistency",
    "prove_inclusion",
    "read_keys",
    "read_receipt",
    "read_vkey",
    "read_witness",
    "root_of_inclusion",
    "signed_action",
    "signed_note",
    "signer",
    "succession",
    "tree_root",
]
