"""The Merkle tree of RFC 9162, compared with known roots and proofs and for all small trees."""

from __future__ import annotations

from typing import Any

import pytest

from referee.proofs import merkle

# The test vectors of Certificate Transparency (RFC 6962); RFC 9162 hashes in the same way.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
LEAVES = [bytes.fromhex(text) for text in INPUTS]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
INCLUSION = {
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
}
CONSISTENCY = {
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}


def tree(leaves: list[bytes]) -> merkle.Node:
    def node(level: int, index: int) -> bytes:
        if level == 0:
            return merkle.leaf_hash(leaves[index])
        return merkle.node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

    return node


def plain_root(leaves: list[bytes]) -> bytes:
    """Compute the root as RFC 9162 describes it in words (2.1.1)."""
    if len(leaves) < 2:
        return merkle.leaf_hash(leaves[0]) if leaves else merkle.EMPTY_TREE
    split = max(1 << power for power in range(20) if 1 << power < len(leaves))
    return merkle.node_hash(plain_root(leaves[:split]), plain_root(leaves[split:]))


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_the_test_vectors(size: int):
    assert merkle.tree_root(size, tree(LEAVES)).hex() == ROOTS[size] == plain_root(LEAVES[:size]).hex()


@pytest.mark.parametrize("place", INCLUSION, ids=str)
def test_inclusion_proofs_are_those_of_the_test_vectors(place: tuple[int, int]):
    assert [hash_.hex() for hash_ in merkle.prove_inclusion(*place, tree(LEAVES))] == INCLUSION[place]


@pytest.mark.parametrize("sizes", CONSISTENCY, ids=str)
def test_consistency_proofs_are_those_of_the_test_vectors(sizes: tuple[int, int]):
    assert [hash_.hex() for hash_ in merkle.prove_consistency(*sizes, tree(LEAVES))] == CONSISTENCY[sizes]


def damaged(proof: list[bytes]) -> list[list[bytes]]:
    """Yield copies of a proof with each of its hashes changed, removed or duplicated."""
    found = [[*proof, bytes(32)], [bytes(32), *proof]]
    for n, hash_ in enumerate(proof):
        found += [
            [*proof[:n], bytes([hash_[0] ^ 1, *hash_[1:]]), *proof[n + 1 :]],
            proof[:n] + proof[n + 1 :],
        ]
    return found


def test_every_leaf_of_every_small_tree_is_proved_and_nothing_else():
    leaves = [b"%d" % n for n in range(20)]
    node = tree(leaves)
    for size in range(1, 21):
        root = plain_root(leaves[:size])
        for index in range(size):
            proof = merkle.prove_inclusion(index, size, node)
            hashed = merkle.leaf_hash(leaves[index])
            assert merkle.root_of_inclusion(index, size, hashed, proof) == root
            assert merkle.root_of_inclusion(index, size, merkle.leaf_hash(b"other"), proof) != root
            for bad in damaged(proof):
                assert merkle.root_of_inclusion(index, size, hashed, bad) != root
        for index in (-1, size):
            assert merkle.root_of_inclusion(index, size, bytes(32), []) is None
            with pytest.raises(ValueError, match="no leaf"):
                merkle.prove_inclusion(index, size, node)


def test_every_small_tree_is_consistent_with_those_before_it_and_no_other():
    leaves = [b"%d" % n for n in range(20)]
    node, other = tree(leaves), tree([b"other", *leaves[1:]])
    for second in range(1, 21):
        after = plain_root(leaves[:second])
        for first in range(1, second + 1):
            before, proof = plain_root(leaves[:first]), merkle.prove_consistency(first, second, node)
            assert merkle.is_consistent(first, second, before, after, proof)
            assert not merkle.is_consistent(first, second, merkle.tree_root(first, other), after, proof)
            for bad in damaged(proof):
                assert not merkle.is_consistent(first, second, before, after, bad)
        assert merkle.is_consistent(0, second, merkle.EMPTY_TREE, after, [])
        assert not merkle.is_consistent(second + 1, second, after, after, [])


@pytest.mark.parametrize("sizes", [(0, 3), (4, 3), (-1, 2)])
def test_sizes_without_a_consistency_proof(sizes: Any):
    with pytest.raises(ValueError, match="no proof"):
        merkle.prove_consistency(*sizes, tree(LEAVES))
