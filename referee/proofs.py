"""What proves a game: receipts, trees, witnesses, signatures, and what a verification finds.

>>> this, other = leaf_hash(b"this game"), leaf_hash(b"another one")
>>> root_of_inclusion(0, 2, this, [other]) == node_hash(this, other)
True
"""

from referee.dispute.page import dispute_report as dispute_report
from referee.log.cosigning import Witness as Witness
from referee.log.cosigning import cosigned as cosigned
from referee.log.cosigning import read_witness as read_witness
from referee.log.leaves import leaf as leaf
from referee.log.merkle import EMPTY_TREE as EMPTY_TREE
from referee.log.merkle import is_consistent as is_consistent
from referee.log.merkle import leaf_hash as leaf_hash
from referee.log.merkle import node_hash as node_hash
from referee.log.merkle import prove_consistency as prove_consistency
from referee.log.merkle import prove_inclusion as prove_inclusion
from referee.log.merkle import root_of_inclusion as root_of_inclusion
from referee.log.merkle import tree_root as tree_root
from referee.log.promises import promise_line as promise_line
from referee.log.receipts import Key as Key
from referee.log.receipts import Receipt as Receipt
from referee.log.receipts import checkpoint as checkpoint
from referee.log.receipts import is_server_name as is_server_name
from referee.log.receipts import read_keys as read_keys
from referee.log.receipts import read_receipt as read_receipt
from referee.log.receipts import read_vkey as read_vkey
from referee.log.receipts import signed_note as signed_note
from referee.log.receipts import signer as signer
from referee.log.succession import succession as succession
from referee.verification.findings import CHECKS as CHECKS
from referee.verification.findings import Check as Check
from referee.verification.findings import Report as Report
from referee.verification.signing import by_itself as by_itself
from referee.verification.signing import bytes_to_sign as bytes_to_sign
from referee.verification.signing import fits as fits
from referee.verification.signing import signed_action as signed_action
