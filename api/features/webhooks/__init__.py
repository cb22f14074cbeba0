"""Webhooks: where an app gets notices of what happens in its games."""

from api.callers import players
from api.core.config import Settings
from api.feature import Contexts, Feature
from api.features.notices import events, projection
from api.features.notices.dispatch import Dispatcher
from api.features.webhooks import deliveries, posting, tables
from api.features.webhooks.deliveries import CONCURRENCY, Run, Sent


def dispatcher(settings: Settings, contexts: Contexts) -> Dispatcher[Run, Sent]:
    """Return what sends notices to the addresses of apps."""

    def connect() -> deliveries.Poster:
        from api.features.notices.client import Client  # whoever sends nothing does without its 6 MB

        return Client(settings, CONCURRENCY)

    return deliveries.dispatcher(lambda: deliveries.Webhooks(connect), contexts)


FEATURE = Feature(
    "webhooks",
    tables=[tables.webhooks],
    needs=["notices"],
    routes=["routes"],
    commands=True,
    events=[posting.TEST],
    sends="notices",
    answers=[
        projection.listening.by(posting.listening),
        events.posted.by(posting.post),
        players.deleted.by(deliveries.forget),
    ],
    runners=[dispatcher],
    resources=[deliveries.WEBHOOK_SLOTS, deliveries.RECEIVER_SLOTS],
)
