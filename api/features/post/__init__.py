"""Play by post: orders, vacations, nudges, pauses, replacements."""

from api.callers import players
from api.feature import Feature
from api.features.post import orders, standing_orders, tables
from api.games import bots, saving

FEATURE = Feature(
    "post",
    needs=["notices", "mail"],
    tables=[tables.standing_orders],
    routes=["routes"],
    events=[standing_orders.CANCELLED],
    answers=[
        bots.played.by(standing_orders.play_next),
        saving.saved.by(orders.end),
        saving.handed_over.by(orders.drop),
        players.deleted.by(orders.forget),
    ],
)
