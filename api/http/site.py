"""What the requests of one process share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import UUID

from flask import current_app

from api.context import Context, ReceiptSigner
from api.core.config import Settings
from api.core.shares import Recallable
from api.feature import Features, RateLimits
from api.http.compute import Compute
from api.http.queue import Delays, FairQueue, Known
from api.http.tokens import RememberedCallers
from api.http.visits import Visits
from api.store.database.session import Database, Session


@dataclass(frozen=True)
class Site:
    """What the requests of one process share, except the streams (`api.app`)."""

    settings: Settings
    features: Features
    database: Database
    clock: Callable[[], datetime]
    random_bytes: Callable[[int], bytes]
    limits: RateLimits | None
    compute: Compute | None
    signer: ReceiptSigner | None
    remembered: RememberedCallers
    visits: Visits[UUID]
    queue: FairQueue
    checks: FairQueue
    streams: Recallable
    delays: Delays
    known: Known

    def context(self, session: Session) -> Context:
        """Return the context of one request or job of this process."""
        chance, signer = self.random_bytes, self.signer
        return Context(self.settings, session, self.features.hooks, self.clock, chance, signer=signer)


def this_site() -> Site:
    """Return the site of the current application."""
    return cast(Site, current_app.extensions["card_referee"])
