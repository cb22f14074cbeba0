"""Test clocks: an app sets the time of its test games."""

from api.feature import Feature
from api.features.test_clocks import tables, test_clocks
from api.games import games, loading

FEATURE = Feature(
    "test_clocks",
    tables=[tables.test_clocks],
    routes=["routes"],
    answers=[
        loading.clock_time.by(test_clocks.time),
        games.clock_bound.by(test_clocks.bind),
        games.clock_free.by(test_clocks.is_free),
    ],
)
