"""How gunicorn's web and compute workers end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

SHARED_NUMBERS = "PROMETHEUS_MULTIPROC_DIR"
SHUTDOWN_GRACE = 3  # seconds for requests in progress when we stop; subscribers reconnect by themselves


def forget_worker(server: object, worker: Any) -> None:
    """Delete the live gauges of a worker that has ended; its counters stay."""
    for path in Path(os.environ[SHARED_NUMBERS]).glob(f"gauge_live*_{worker.pid}.db"):
        path.unlink(missing_ok=True)
