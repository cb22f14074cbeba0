"""Signs of life of the job worker for systemd (`WatchdogSec`), which replaces a worker without any."""

from __future__ import annotations

import logging
import os
import threading
import time

NOTIFIED = "NOTIFY_SOCKET"  # a variable of systemd
EVERY = 1.0  # seconds between signs of life


def start() -> None:
    """Begin to give signs of life, if whoever started this process listens."""
    if os.environ.get(NOTIFIED):
        threading.Thread(target=_run, daemon=True).start()


def _run() -> None:
    from gunicorn.systemd import sd_notify  # a worker without systemd needs no gunicorn

    while True:
        sd_notify("WATCHDOG=1", logging.getLogger(__name__))
        time.sleep(EVERY)
