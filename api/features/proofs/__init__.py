"""What proves a game to others: receipts, evidence in one file, the log of all games with its witnesses."""

from api.feature import SECOND, Check, Due, Feature, Job
from api.features.proofs import keys, tables, tree
from api.games import export

FEATURE = Feature(
    "proofs",
    tables=[
        tables.tree_queue,
        tables.tree_leaves,
        tables.tree_tiles,
        tables.tree_heads,
        tables.tree_cosignatures,
        tables.log_keys,
    ],
    routes=["routes"],
    commands=True,
    signer=keys.Signer,
    prepare=keys.prepare,
    answers=[export.included.by(tree.of_game)],
    checks=[Check("witnesses", tree.check, needs_database=True, setting="witnesses")],
    jobs=[Job(tree.integrate_all, SECOND, Due("log_of_all_games", "tree_queue"))],
)
