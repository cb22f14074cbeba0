"""The web server: gunicorn's master, and gevent workers, in which an idle subscriber costs no thread.

gevent patches each worker before the worker imports the application, so that locks and sockets are made after
the patch. Before that, the master imports only modules without locks or sockets that anything waits for, so
that the workers share the memory of these modules.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import resource
import shutil
import socket
import tempfile
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from gunicorn.sock import TCPSocket
from gunicorn.systemd import sd_notify

from api.core.config import Settings, started
from api.core.lines import JsonLines, logger
from api.core.resources import CONNECTIONS
from api.core.shares import Recallable
from api.run.web.compute import ComputePool
from api.run.web.sharing import Connections
from api.run.web.shutdown import SHARED_NUMBERS, SHUTDOWN_GRACE, forget_worker

log = logger("card_referee.web")

OPEN_FILES = 65_536
SPARE = 100  # connections beyond those that are counted, which are closing or just opened
NOTIFIED = "NOTIFY_SOCKET"
MEMORY, LEAST_MEMORY = Path("/dev/shm"), 32 << 20  # bytes that must be free there
NEW, LOCKED = "card-referee-new-", "card-referee-web-processes-"  # names of directories
SHARED = (
    "cryptography.hazmat.primitives.ciphers.aead",
    "marshmallow",
    "referee",
    "sqlalchemy.dialects.postgresql",
)


def run(settings: Settings, listener: int) -> None:
    """Serve on a listening file descriptor until a signal ends it. Does not return."""
    # The connections inherit it. The kernel closes one whose client takes nothing of what is sent to it.
    with socket.socket(fileno=os.dup(listener)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * settings.write_timeout)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    # The processes write their metrics there (see api.core.metrics), and reach the compute processes there.
    directory = os.environ[SHARED_NUMBERS] = _shared_directory()
    pool = ComputePool(settings, directory) if settings.compute_workers else None
    import_shared()
    gc.freeze()  # otherwise a collection in a worker would copy every page
    master = os.getpid()
    log.info(started("web server", settings))
    try:
        Master(WebServer(settings, listener, pool), pool).run()
    finally:
        if os.getpid() == master:  # a worker that ends gets here too
            if pool is not None:
                pool.stop()
            shutil.rmtree(directory, ignore_errors=True)
            log.info("web server stopped")


def _shared_directory() -> str:
    """Create a directory for the files of all processes; in memory, if the system has a place for that.

    These files are mapped into memory: on a full disk, the kernel would kill every process that writes there.
    """
    memory = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= LEAST_MEMORY
    directory = Path(tempfile.mkdtemp(prefix=NEW, dir=MEMORY if memory else None))
    _remove_left_over(directory.parent)
    _lock(directory)  # never closed, so until these processes end
    return str(directory.rename(directory.with_name(directory.name.replace(NEW, LOCKED, 1))))


def _lock(directory: Path) -> int:
    """Lock a directory until the returned descriptor is closed. Raises BlockingIOError, OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove_left_over(parent: Path) -> None:
    """Remove our directories of processes that were killed: these take memory."""
    for path in parent.glob(f"{LOCKED}*"):
        with contextlib.suppress(OSError):
            if path.lstat().st_uid == os.geteuid():
                descriptor = _lock(path)
                shutil.rmtree(path, ignore_errors=True)
                os.close(descriptor)


def import_shared() -> None:
    """Import the modules whose memory the web processes share."""
    for name in SHARED:
        import_module(name)


class JsonLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log, in our form."""

    def setup(self, cfg: Any) -> None:
        """Set the handlers."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonLines())


class Reserved(TCPSocket):  # type: ignore[misc]  # gunicorn has no types
    """A socket that does not listen before a process can answer."""

    @staticmethod
    def _is_listening(sock: socket.socket) -> bool:
        """Return what keeps gunicorn from letting it listen."""
        return True


class Master(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's master, which also keeps the compute processes running."""

    def __init__(self, server: WebServer, pool: ComputePool | None) -> None:
        self.pool = pool
        self.listener = server.listener
        self.ready = False
        super().__init__(server)

    def start(self) -> None:
        """Begin; systemd hears that the server is ready only when a process can answer."""
        self.LISTENERS = [Reserved(f"fd://{self.listener}", self.cfg, self.log, fd=self.listener)]
        notified = os.environ.pop(NOTIFIED, None)
        super().start()
        if notified is not None:
            os.environ[NOTIFIED] = notified

    def manage_workers(self) -> None:
        """Keep all processes running; gunicorn calls this at least once a second."""
        if not self.ready and self.LISTENERS[0].getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            self.ready = True
            sd_notify("READY=1", self.log)
        sd_notify("WATCHDOG=1", self.log)
        super().manage_workers()
        if self.pool is not None:
            self.pool.keep()

    def stop(self, graceful: bool = True) -> None:
        """Stop all processes; gunicorn calls this."""
        if self.pool is not None:
            self.pool.refuse()
        super().stop(graceful)


class WebServer(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn with our settings instead of its own command line."""

    def __init__(self, settings: Settings, listener: int, pool: ComputePool | None) -> None:
        self.settings = settings
        self.listener = listener
        self.pool = pool
        self.connections = Connections()
        most = settings.worker_connections
        self.open = None if settings.trusted_proxies else Recallable(CONNECTIONS, most)
        self.end: Callable[[], None] | None = None
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options; gunicorn calls this."""
        options = {
            "bind": f"fd://{self.listener}",
            "workers": self.settings.workers,
            "worker_class": "api.run.web.workers.WebWorker",
            "worker_connections": self.settings.worker_connections + SPARE,
            "timeout": self._silence(),
            "graceful_timeout": SHUTDOWN_GRACE,
            "keepalive": 30,
            "limit_request_line": 8190,
            "forwarded_allow_ips": "",  # no header changes paths; TRUSTED_PROXIES has its own middleware
            "preload_app": False,
            "control_socket_disable": True,
            "worker_tmp_dir": os.environ[SHARED_NUMBERS],
            "proc_name": "referee-api",
            "child_exit": self._forget,
            "worker_exit": self._end,
            "logger_class": JsonLog,
            "loglevel": "warning",  # its lines of lower levels name paths, which may be secret
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def _silence(self) -> int:
        """Return for how many seconds a web process may be silent: it may have to do long requests itself."""
        chosen = self.settings
        return chosen.process_timeout if self.pool else max(chosen.process_timeout, chosen.compute_timeout)

    def _forget(self, server: object, worker: Any) -> None:
        """Forget a worker that has ended; say why if it was replaced."""
        if worker.aborted:
            log.error("a web process did not answer for %d s and was replaced", self._silence())
        self.connections.forget(worker.age)
        forget_worker(server, worker)

    def _end(self, server: object, worker: object) -> None:
        """Say in the database that a worker ends; runs in it."""
        if self.end is not None:
            self.end()

    def load(self) -> Any:
        """Return the application to a worker, which gevent has already patched."""
        from api.app import create_app
        from api.core import logs, tracing
        from api.http.bodies import Bodies
        from api.http.compute import Compute
        from api.http.middleware import add_request_id
        from api.run.web import heartbeat, workers

        workers.install_response()
        tracing.configure()
        compute = Compute(self.pool.path, self.settings) if self.pool is not None else None
        app = create_app(self.settings, compute=compute)
        self.live = app.extensions["card_referee"].live
        app.wsgi_app = Bodies(app.wsgi_app, self.settings)  # type: ignore[method-assign]  # as Flask documents it
        heartbeat.start(app)
        self.end = partial(heartbeat.end, app.extensions["card_referee"])
        logs.configure(self.settings.log_level, add_request_id)
        gc.collect()
        gc.freeze()  # later collections skip what exists now
        return app
