"""An append-only Merkle tree as RFC 9162 (and RFC 6962) define it: hashes, proofs and how they are checked.

Pure functions. To create proofs, the caller passes `node(level, index)`: the hash over the complete subtree
of 2**level leaves that begins at leaf index * 2**level.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

Node = Callable[[int, int], bytes]
EMPTY_TREE = sha256(b"").digest()  # the root of a tree without leaves


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two others."""
    return sha256(b"\x01" + left + right).digest()


# --- making -----------------------------------------------------------------------------------------


def tree_root(size: int, node: Node) -> bytes:
    """Return the root of the first `size` leaves."""
    return _over(0, size, node) if size else EMPTY_TREE


def root_of_leaves(leaves: Iterable[bytes]) -> bytes:
    """Return the root over hashes of leaves, which are read only once."""
    spine: list[tuple[int, bytes]] = []  # the roots of complete subtrees, the largest first
    for hash_ in leaves:
        level = 0
        while spine and spine[-1][0] == level:
            level, hash_ = level + 1, node_hash(spine.pop()[1], hash_)
        spine.append((level, hash_))
    root = spine.pop()[1] if spine else EMPTY_TREE
    while spine:
        root = node_hash(spine.pop()[1], root)
    return root


def prove_inclusion(index: int, size: int, node: Node) -> list[bytes]:
    """Prove that a leaf is among the first `size`. Raises ValueError if there is no such leaf."""
    if not 0 <= index < size:
        raise ValueError(f"there is no leaf {index} among {size}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_over(middle, end, node))
            end = middle
        else:
            path.append(_over(start, middle, node))
            start = middle
    return path[::-1]


def prove_consistency(first: int, second: int, node: Node) -> list[bytes]:
    """Prove that the first `second` leaves begin with the first `first`.

    Raises ValueError for impossible sizes.
    """
    if not 0 < first <= second:
        raise ValueError(f"no proof leads from {first} leaves to {second}")
    path: list[bytes] = []
    start, end, whole = 0, second, True
    while first != end:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_over(middle, end, node))
            end = middle
        else:
            path.append(_over(start, middle, node))
            start, whole = middle, False
    if not whole:
        path.append(_over(start, end, node))
    return path[::-1]


def _over(start: int, end: int, node: Node) -> bytes:
    """Return the hash over leaves; `start` is a multiple of every power of two that is needed."""
    length = end - start
    if length & (length - 1) == 0:
        level = length.bit_length() - 1
        return node(level, start >> level)
    middle = start + _split(length)
    return node_hash(_over(start, middle, node), _over(middle, end, node))


def _split(length: int) -> int:
    """Return the largest power of two below a length."""
    return 1 << ((length - 1).bit_length() - 1)


# --- checking ---------------------------------------------------------------------------------------


def root_of_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to (RFC 9162, 2.1.3.2), or None if it is malformed."""
    if not 0 <= index < size:
        return None
    number, last, root = index, size - 1, leaf
    for hash_ in proof:
        if last == 0:
            return None
        if number & 1 or number == last:
            root = node_hash(hash_, root)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            root = node_hash(root, hash_)
        number, last = number >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(first: int, second: int, before: bytes, after: bytes, proof: Sequence[bytes]) -> bool:
    """Check a consistency proof between two roots (RFC 9162, 2.1.4.2)."""
    if first == second:
        return not proof and before == after
    if first == 0:  # every tree begins with the empty tree
        return not proof and before == EMPTY_TREE
    if not 0 < first < second or not proof:
        return False
    path = [*proof] if first & (first - 1) else [before, *proof]
    number, last = first - 1, second - 1
    while number & 1:
        number, last = number >> 1, last >> 1
    old = new = path[0]
    for hash_ in path[1:]:
        if last == 0:
            return False
        if number & 1 or number == last:
            old, new = node_hash(hash_, old), node_hash(hash_, new)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            new = node_hash(new, hash_)
        number, last = number >> 1, last >> 1
    return last == 0 and old == before and new == after
