"""Signs of life of the job worker, as systemd defines them (sd_notify): a worker without any is replaced."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import threading
import time

EVERY = 1.0  # seconds between signs of life
START = 60.0  # more seconds until the first one
SIGN = b"WATCHDOG=1"
ADDRESS = "NOTIFY_SOCKET"  # systemd's variable; @ begins an address without a file


def start() -> None:
    """Begin to give signs of life, if whoever started this process listens."""
    address = os.environ.get(ADDRESS)
    if address:
        address = "\0" + address[1:] if address.startswith("@") else address
        threading.Thread(target=_run, args=(address,), daemon=True).start()


def _run(address: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
        while True:
            with contextlib.suppress(OSError):  # nobody listens, or nobody reads
                sender.sendto(SIGN, address)
            time.sleep(EVERY)


class Watchdog:
    """Listens to a process. Only Linux has addresses without a file; elsewhere nothing counts as silent."""

    def __init__(self) -> None:
        self._listener: socket.socket | None = None
        self._heard = time.monotonic()
        if sys.platform.startswith("linux"):
            self._name = f"card-referee-{secrets.token_hex(16)}"
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
            self._listener.bind("\0" + self._name)

    def environment(self) -> dict[str, str]:
        """Return what a new process needs to know, which may take longer until its first sign of life."""
        self.silence()  # forget what the one before it has sent
        self._heard = time.monotonic() + START
        return {ADDRESS: f"@{self._name}"} if self._listener else {}

    def silence(self) -> float:
        """Return for how many seconds nothing was heard."""
        now = time.monotonic()
        if self._listener is None:
            return 0.0
        with contextlib.suppress(BlockingIOError):
            while self._listener.recv(len(SIGN)):
                self._heard = now
        return now - self._heard
