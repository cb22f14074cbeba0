"""The compute processes: they answer requests that take long, one at a time in each process.

gunicorn's plain workers are the pool: its master replaces a process that dies, and ends one whose request
takes longer than allowed. They receive whole requests from the web processes through a socket that only our
own account can open, answer them with the same application, and run at a lower priority than web processes.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from subprocess import Popen, SubprocessError
from typing import Any

from gunicorn.app.base import BaseApplication

from api.core.config import Settings
from api.core.lines import logger
from api.run import handover
from api.run.embedded.accounts import inherited
from api.run.embedded.processes import spawn
from api.run.web.shutdown import SHUTDOWN_GRACE, forget_worker

log = logger("card_referee.web")

REQUESTS = 200  # that a process answers before it is replaced, which frees its memory
NICENESS = 10
BACKLOG = 1024

Environ = dict[str, Any]


class ComputePool:
    """The compute processes of a web server, which its master starts when the first caller shows a token.

    The socket is opened here, so that requests only wait while the processes start, for the first time or
    again. A server that nobody uses saves their memory (90 MB).
    """

    def __init__(self, settings: Settings, directory: str) -> None:
        self.path = str(Path(directory) / "compute")
        self._settings = settings
        self._process: Popen[bytes] | None = None
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.setblocking(False)
        self._listener.listen(BACKLOG)

    def keep(self) -> None:
        """Start the processes if somebody waits for them, unless they are running."""
        running = self._process is not None and self._process.poll() is None
        if running or not select.select([self._listener], [], [], 0)[0]:
            return
        listener = self._listener.fileno()
        try:
            with handover.pipe() as (reads, writes):
                self._process = spawn(
                    [sys.executable, "-P", "-m", "api.run.web.compute", str(listener), str(reads)],
                    dies_by=signal.SIGTERM,
                    environ=handover.without_settings(os.environ),
                    keep=[listener, reads, *inherited(os.environ)],
                )
        except (OSError, SubprocessError) as error:  # without memory, say: all other requests go on
            log.error(f"The compute processes do not start, and are tried again: {error}")
            return
        handover.send(self._settings, writes)

    def refuse(self) -> None:
        """Hang up on requests that no process has taken yet: the web processes answer them with 503."""
        while select.select([self._listener], [], [], 0)[0]:
            with suppress(BlockingIOError):  # a process was quicker
                self._listener.accept()[0].close()

    def stop(self) -> None:
        """End the processes at once, when there is no web process left that could wait for them."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)  # they have a session of their own
            self._process.wait()


class ComputeServer(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn with our settings instead of its own command line."""

    def __init__(self, settings: Settings, listener: int) -> None:
        self.settings = settings
        self.listener = listener
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options; gunicorn calls this."""
        options = {
            "bind": f"fd://{self.listener}",
            "backlog": BACKLOG,
            "workers": self.settings.compute_workers,
            "worker_class": "api.run.web.workers.ComputeWorker",
            "timeout": self.settings.compute_timeout,
            "graceful_timeout": SHUTDOWN_GRACE,
            "max_requests": REQUESTS,
            "max_requests_jitter": REQUESTS // 2,
            "preload_app": True,  # imported once, so that a new process is ready at once
            "control_socket_disable": True,
            "proc_name": "referee-api compute",
            "child_exit": forget_worker,
            "loglevel": "warning",  # its lines of lower levels name paths, which may be secret
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Return the application; the master calls this before it has threads or connections."""
        from api.app import create_app
        from api.core import logs
        from api.http.middleware import add_request_id

        app = create_app(self.settings, passed_on=True)
        app.wsgi_app = _with_request_id(app.wsgi_app)  # type: ignore[method-assign]  # as Flask documents it
        logs.configure(self.settings.log_level, add_request_id)
        os.nice(NICENESS)  # only now: a request waits for the start
        return app


def _with_request_id(inner: Callable[[Environ, Any], Iterable[bytes]]) -> Any:
    from api.http.middleware import REQUEST_ID

    def run(environ: Environ, start_response: Any) -> Iterable[bytes]:
        environ[REQUEST_ID] = environ.get("HTTP_X_REQUEST_ID", "")
        return inner(environ, start_response)

    return run


if __name__ == "__main__":
    ComputeServer(handover.receive(int(sys.argv[2])), int(sys.argv[1])).run()
