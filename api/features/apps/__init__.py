"""An operator exports an app, and deletes it."""

from api.feature import Feature

FEATURE = Feature(
    "apps",
    needs=["months", "notices", "webhooks", "test_clocks", "proofs"],
    commands=True,
)
