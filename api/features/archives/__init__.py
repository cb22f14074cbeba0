"""Archives: the logs of old months leave the database for files, from which the core serves them."""

from api.feature import Feature

FEATURE = Feature("archives", needs=["proofs"], commands=True)
