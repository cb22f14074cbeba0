"""What proves a game to others: receipts, trees, witnesses, signatures.

>>> this, other = leaf_hash(b"this game"), leaf_hash(b"another one")
>>> root_of_inclusion(0, 2, this, [other]) == node_hash(this, other)
True
"""

from referee.proofs.cosigning import cosigned as cosigned
from referee.proofs.cosigning import read_witness as read_witness
from referee.proofs.leaves import leaf as leaf
from referee.proofs.merkle import EMPTY_TREE as EMPTY_TREE
from referee.proofs.merkle import is_consistent as is_consistent
from referee.proofs.merkle import leaf_hash as leaf_hash
from referee.proofs.merkle import node_hash as node_hash
from referee.proofs.merkle import prove_consistency as prove_consistency
from referee.proofs.merkle import prove_inclusion as prove_inclusion
from referee.proofs.merkle import root_of_inclusion as root_of_inclusion
from referee.proofs.merkle import tree_root as tree_root
from referee.proofs.promises import promise_line as promise_line
from referee.proofs.receipts import Key as Key
from referee.proofs.receipts import Receipt as Receipt
from referee.proofs.receipts import checkpoint as checkpoint
from referee.proofs.receipts import is_server_name as is_server_name
from referee.proofs.receipts import read_keys as read_keys
from referee.proofs.receipts import read_receipt as read_receipt
from referee.proofs.receipts import read_vkey as read_vkey
from referee.proofs.receipts import signed_note as signed_note
from referee.proofs.receipts import signer as signer
from referee.proofs.signing import by_itself as by_itself
from referee.proofs.signing import bytes_to_sign as bytes_to_sign
from referee.proofs.signing import fits as fits
from referee.proofs.signing import signed_action as signed_action
from referee.proofs.succession import succession as succession
