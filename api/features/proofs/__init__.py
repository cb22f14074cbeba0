"""The log of all games: a Merkle tree whose heads witnesses sign."""

from api.feature import SECOND, Feature, Job
from api.features.proofs import tables, tree
from api.records import export

FEATURE = Feature(
    "proofs",
    tables=[
        tables.tree_queue,
        tables.tree_leaves,
        tables.tree_tiles,
        tables.tree_heads,
        tables.tree_cosignatures,
    ],
    routes=["routes"],
    answers=[export.included.by(tree.of_game)],
    jobs=[Job(tree.integrate_all, SECOND, "tree_queue")],
)
