"""All processes that serve, and what can be done to them.

Two web servers and two job workers share one database: `serve` with all its processes, and a `web` and a
`worker` as on a second host, behind a network that can be cut.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import psutil

from api.core.config import Settings
from api.run.embedded.postgres import find_database
from tests.servers.database_proxy import Proxy
from tests.servers.serving import Server, changed, command, environment, free_port, start

SETTINGS = {
    "WORKERS": "2",
    "COMPUTE_WORKERS": "1",
    "RATE_LIMIT": "none",
    "ADDRESS_RATE_LIMIT": "none",
    "ALLOW_PRIVATE_WEBHOOKS": "true",
    "LOG_LEVEL": "warning",
    "WEBHOOK_PORTS": "",
}
KINDS = (
    "serve",
    "web master",
    "web process",
    "compute master",
    "compute process",
    "worker",
    "postgres master",
    "postgres backend",
    "postgres helper",
    "far web master",
    "far web process",
    "far worker",
)
TIMEOUT = 300  # seconds; only a limit in case something hangs
DISK = "disk"  # below the directory of a tree
DIES_OFTEN = 4  # `serve` allows five deaths of one part in a minute


class Tree:
    """The processes; `directory` contains everything that they write."""

    def __init__(self, directory: Path, *builds: str) -> None:
        self.directory, self.data_dir = directory, directory / DISK / "data"
        self.clock, self.ballast = directory / "clock", directory / DISK / "ballast"
        self._settings = {**SETTINGS, **changed("clock", *builds), "CLOCK_FILE": str(self.clock)}
        self._port, self._far_port = free_port(), free_port()
        self.far_url = f"http://127.0.0.1:{self._far_port}"
        self.set_clock(0)
        self.ended: list[str] = []
        self.server: Server = self._serve()
        self.settings = find_database(Settings(data_dir=self.data_dir))
        (directory / "far").mkdir(mode=0o755)
        self.proxy = Proxy(directory / "far", self.data_dir / "run")
        self._log = (directory / "far.log").open("ab")
        self._far: dict[str, subprocess.Popen[bytes]] = {}
        self.keep()

    # --- starting -----------------------------------------------------------------------------------

    def _serve(self) -> Server:
        return start(self.data_dir, "--port", self._port, timeout=TIMEOUT, **self._settings)

    def keep(self) -> None:
        """Restart processes that nothing else restarts, as an init system does."""
        if self.server.process.poll() is not None:
            if self.server.process.returncode >= 0:
                self.ended.append("".join(self.server.errors[-3:]))
            self.server = self._serve()
        for part in ("web", "worker"):
            if part not in self._far or self._far[part].poll() is not None:
                self._far[part] = self._start_far(part)

    def _start_far(self, part: str) -> subprocess.Popen[bytes]:
        address = self.settings.worker_database_url if part == "worker" else self.settings.database_url
        own = replace(
            self.settings,
            database_url=address.partition("?")[0] + f"?host={quote(str(self.proxy.directory), safe='/')}",
            owner_database_url="",
            worker_database_url="",
            port=self._far_port,
        )
        return subprocess.Popen(
            command(part),
            env=environment(**{**own.environment(), **self._settings}),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    @property
    def urls(self) -> tuple[str, str]:
        return self.server.url, self.far_url

    def end(self) -> None:
        self.proxy.relent()
        for process in self._far.values():
            process.terminate()
        self.server.end()
        for process in self._far.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()
        self.proxy.close()
        self._log.close()

    # --- finding ------------------------------------------------------------------------------------

    def processes(self, kind: str) -> list[psutil.Process]:
        """Return the living processes of a kind."""
        with contextlib.suppress(psutil.Error):
            if kind == "serve":
                return [psutil.Process(self.server.process.pid)]
            if kind == "far worker":
                return [psutil.Process(self._far["worker"].pid)]
            return list(self._below(kind))
        return []

    def _below(self, kind: str) -> Iterator[psutil.Process]:
        far = kind.startswith("far ")
        top = [psutil.Process(self._far["web"].pid)] if far else []
        for child in top or psutil.Process(self.server.process.pid).children():
            words = child.cmdline()
            if words[:1] and words[0].startswith(
                "gunicorn"
            ):  # it sets its own title if setproctitle is installed
                words = ["web"]
            name = next((name for name in ("web", "worker") if name in words), "postgres")
            kinds = [(child, "worker" if name == "worker" else f"{name} master")]
            for below in child.children():
                if "api.run.web.compute" in below.cmdline():
                    kinds += [(below, "compute master"), *((p, "compute process") for p in below.children())]
                elif name == "postgres":
                    client = "card_referee" in " ".join(below.cmdline())
                    kinds.append((below, "postgres backend" if client else "postgres helper"))
                else:
                    kinds.append((below, f"{name} process"))
            yield from (process for process, of in kinds if of == kind.removeprefix("far "))

    # --- doing --------------------------------------------------------------------------------------

    def set_clock(self, seconds: float) -> None:
        """Make every process believe that it is this much later."""
        new = self.clock.with_suffix(".new")
        new.write_text(str(seconds))
        new.chmod(0o644)
        new.replace(self.clock)

    def fill_disk(self) -> None:
        """Leave no room in the data directory, if that is a separate file system."""
        room = os.statvfs(self.data_dir)
        with (
            self.ballast.open("wb") as file,
            contextlib.suppress(OSError),
        ):  # another process used the rest
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize)

    @property
    def can_fill(self) -> bool:
        return os.path.ismount(self.directory / DISK)

    def empty_disk(self) -> None:
        self.ballast.unlink(missing_ok=True)


@contextlib.contextmanager
def small_disk(directory: Path, size: str = "6g") -> Iterator[None]:
    """Put the data directory on a separate file system if mounting is allowed."""
    disk = directory / DISK
    disk.mkdir(mode=0o711)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=711", "tmpfs", disk]
    mounted = subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode == 0
    try:
        yield
    finally:
        if mounted:  # detached at once; it disappears when nobody has it open
            subprocess.run(["umount", "--lazy", disk], check=True)
