"""What this process depends on: the first failure of each is logged with its reason, and its recovery."""

from __future__ import annotations

import logging
import threading
import time

from api.ops.metrics import dependency_up

log = logging.getLogger("card_referee.dependencies")


class Dependency:
    """Something outside that may fail, such as the database; one for each process."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._failing_since: float | None = None
        self._reason = ""

    @property
    def reason(self) -> str:
        """Return why it fails, or "" while it works."""
        return self._reason

    def failed(self, reason: str) -> None:
        """Note a failure; the first one is logged."""
        with self._lock:
            first, self._reason = self._failing_since is None, reason
            if first:
                self._failing_since = time.monotonic()
        dependency_up.labels(self._name).set(0)
        if first:
            log.error("%s fails: %s", self._name, reason)

    def worked(self) -> None:
        """Note a success; the first one after a failure is logged."""
        with self._lock:
            since, self._failing_since, self._reason = self._failing_since, None, ""
        dependency_up.labels(self._name).set(1)
        if since is not None:
            log.warning("%s works again, after %.0f s", self._name, time.monotonic() - since)


DATABASE, REPLICA = Dependency("database"), Dependency("replica")
MAIL = Dependency("mail server")
