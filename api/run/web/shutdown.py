"""How gunicorn's workers end, those of the web and those that compute."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

SHARED_NUMBERS = "PROMETHEUS_MULTIPROC_DIR"
SHUTDOWN_GRACE = 3  # seconds for requests under way when we stop; subscribers reconnect by themselves


def forget_worker(server: object, worker: Any) -> None:
    """Forget a worker that is gone: what it counted stays, what it held does not."""
    for path in Path(os.environ[SHARED_NUMBERS]).glob(f"gauge_live*_{worker.pid}.db"):
        path.unlink(missing_ok=True)
