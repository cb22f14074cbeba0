"""Metrics, one number for each process; `exposition` sums them over all web processes of this server.

prometheus-client keeps the processes' numbers in the directory that PROMETHEUS_MULTIPROC_DIR names
(`api.run.web.server` sets it before its workers start); without it there is only this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
SHARED = "PROMETHEUS_MULTIPROC_DIR"

registry = CollectorRegistry()
requests = Counter(
    "referee_http_requests", "Answers given.", ("method", "route", "status"), registry=registry
)
seconds = Histogram(
    "referee_http_request_seconds", "Until the answer begins.", ("route",), buckets=SECONDS, registry=registry
)
moves = Counter("referee_moves", "Moves judged.", ("ruleset", "verdict"), registry=registry)
replica_reads = Counter(
    "referee_replica_reads",
    "Pages of finished games' logs that a replica was asked for: used, or repeated at the primary.",
    ("outcome",),
    registry=registry,
)
# The library looks up each counter again, with a lock, which takes longer than to count.
requests_with, seconds_with, moves_with = cache(requests.labels), cache(seconds.labels), cache(moves.labels)
subscribers = Gauge(
    "referee_followers",
    "Connections that wait for what happens in a game.",
    registry=registry,
    multiprocess_mode="livesum",
)


class Depths(Collector):
    """The lengths of the job worker's queues, counted for this answer."""

    def __init__(self, depths: Mapping[str, int]) -> None:
        self.depths = depths

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the numbers that Prometheus asks for."""
        family = GaugeMetricFamily("referee_queue_depth", "What waits for the job worker.", labels=["queue"])
        for queue, depth in self.depths.items():
            family.add_metric([queue], depth)
        yield family


def exposition(depths: Mapping[str, int]) -> bytes:
    """Return all metrics in Prometheus' text format; `depths` has the lengths of the queues."""
    counted = registry
    if SHARED in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]  # no types
    queued = CollectorRegistry()
    queued.register(Depths(depths))
    return generate_latest(counted) + generate_latest(queued)
