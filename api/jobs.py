"""The worker process: deadlines and deliveries have their place here."""

from __future__ import annotations

import signal

from api.config import Settings


def run_worker(settings: Settings) -> None:
    """Work until SIGTERM or SIGINT; then finish what is under way and return."""
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    signal.sigwait(ends)
