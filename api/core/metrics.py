"""Metrics of a process for Prometheus, and what it depends on.

The first failure of each dependency is logged with its reason, and its recovery.
"""

from __future__ import annotations

import logging
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
LINUX = sys.platform.startswith("linux")
SHARED = "PROMETHEUS_MULTIPROC_DIR"

disable_created_metrics()  # type: ignore[no-untyped-call]  # no types
registry = CollectorRegistry()
requests = Counter(
    "referee_http_requests", "Answers given.", ("method", "route", "status"), registry=registry
)
seconds = Histogram(
    "referee_http_request_seconds", "Until the answer begins.", ("route",), buckets=SECONDS, registry=registry
)
moves = Counter("referee_moves", "Moves judged.", ("ruleset", "verdict"), registry=registry)
endless = Counter(
    "referee_endless_games",
    "Games that went on for too many entries: called off; or, again and again, warned of.",
    ("outcome",),
    registry=registry,
)
APPS = 100  # that a process counts by themselves
entries = Counter(
    "referee_entries",
    f"Entries written, by the id of their app; after the first {APPS} apps of a process, as `other`.",
    ("app",),
    registry=registry,
)
# The library looks up each counter again, with a lock, which takes longer than to count.
requests_with, seconds_with, moves_with = cache(requests.labels), cache(seconds.labels), cache(moves.labels)
_counted: dict[object, Counter] = {}


def count_entries(app: object, number: int) -> None:
    """Count entries that were written for an app."""
    counter = _counted.get(app)
    if counter is None:
        counter = entries.labels(str(app) if len(_counted) < APPS else "other")
        if len(_counted) < APPS:
            _counted[app] = counter
    counter.inc(number)


subscribers = Gauge(
    "referee_followers",
    "Connections that wait for what happens in a game.",
    registry=registry,
    multiprocess_mode="livesum",
)


dependency_up = Gauge(
    "referee_dependency_up",
    "1 if the last use of what a process depends on worked, otherwise 0.",
    ("dependency",),
    registry=registry,
    multiprocess_mode="livemin",
)
memory = Gauge("referee_memory_bytes", "Resident memory.", registry=registry, multiprocess_mode="livesum")
connections = Gauge(
    "referee_pool_connections",
    "Connections to the database of all processes: open, and requests that wait for one.",
    ("state",),
    registry=registry,
    multiprocess_mode="livesum",
)
waiting = Gauge(
    "referee_requests_waiting",
    "Requests that wait for others of their app.",
    registry=registry,
    multiprocess_mode="livesum",
)
refused = Counter(
    "referee_requests_refused", "Requests that were refused because too many waited.", registry=registry
)
DELIVERED, FAILED, GIVEN_UP = "delivered", "failed", "given_up"
sent = Counter(
    "referee_sent",
    "Attempts to send: delivered, failed (is tried again), given up.",
    ("channel", "outcome"),
    registry=registry,
)
jobs = Counter("referee_jobs", "Jobs that ended: done, failed.", ("job", "outcome"), registry=registry)


class Family(NamedTuple):
    """A number for each value of a label, found out for one answer; without a label, one number."""

    name: str
    about: str
    label: str
    numbers: Mapping[str, float]


class FoundNumbers(Collector):
    """Numbers that were found out for this answer."""

    def __init__(self, families: Sequence[Family]) -> None:
        self.families = families

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the numbers that Prometheus asks for."""
        for each in self.families:
            family = GaugeMetricFamily(each.name, each.about, labels=[each.label] if each.label else None)
            for value, number in each.numbers.items():
                family.add_metric([value] if each.label else [], number)
            yield family


def measure_memory() -> None:
    """Note how much memory this process uses."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if LINUX else 0
    memory.set(pages * resource.getpagesize())


def exposition(families: Sequence[Family] = ()) -> bytes:
    """Return all metrics in Prometheus' text format, with numbers that were found out for this answer."""
    counted = registry
    if SHARED in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]  # no types
    asked = CollectorRegistry()
    asked.register(FoundNumbers(families))
    return generate_latest(counted) + generate_latest(asked)


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


DATABASE = Dependency("database")
