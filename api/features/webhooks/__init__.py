"""Webhooks: where an app gets notices of what happens in its games."""

from api.feature import HOUR, Feature, Job
from api.features.notices import projection
from api.features.notices.client import Client
from api.features.webhooks import deliveries, outbox, tables, webhooks
from api.features.webhooks.dispatch import CONCURRENCY, Dispatcher
from api.game import events
from api.play import games

FEATURE = Feature(
    "webhooks",
    tables=[tables.deliveries, tables.webhooks],
    needs=["notices"],
    routes=["routes"],
    commands=True,
    sends="notices",
    answers=[
        projection.listening.by(outbox.listening),
        events.posted.by(outbox.post),
        games.asked_for.by(webhooks.asked_for),
        games.rematched.by(webhooks.follow),
    ],
    jobs=[Job(deliveries.prune, HOUR)],
    runners=[
        lambda settings, contexts: Dispatcher(
            lambda: deliveries.Webhooks(Client(settings, CONCURRENCY)), contexts
        )
    ],
)
