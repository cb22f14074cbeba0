"""What a process knows of the service's outages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True)
class Heartbeat:
    """What a process knows of the service's outages (`api.play.automatic.outages`).

    A process that `beats` writes regularly that it is up: when it last did, and when the latest outage ended.
    """

    beats: bool = False
    at: datetime | None = None
    outage: datetime | None = None
