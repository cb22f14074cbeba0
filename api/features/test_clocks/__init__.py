"""Test clocks: an app sets the time of its test games."""

from api.feature import Feature
from api.features.test_clocks import tables, test_clocks
from api.game import rows
from api.play import games

FEATURE = Feature(
    "test_clocks",
    tables=[tables.test_clocks],
    routes=["routes"],
    answers=[
        rows.clock_time.by(test_clocks.time),
        games.clock_bound.by(test_clocks.bind),
        games.clock_free.by(test_clocks.is_free),
    ],
)
