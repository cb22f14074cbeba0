"""gunicorn's workers, which answer unreadable requests in the same form as the API answers others."""

from __future__ import annotations

import logging
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any

import gevent
from gevent.event import Event
from gevent.hub import Hub
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn import util
from gunicorn.http import errors, wsgi
from gunicorn.workers.ggevent import GeventWorker
from gunicorn.workers.sync import SyncWorker

from api.core.shares import Recallable, networks
from api.run.web.sharing import BACKLOG, Connections

SLUGS = {
    errors.LimitRequestLine: "uri-too-long",
    errors.ExpectationFailed: "expectation-failed",
    errors.LimitRequestHeaders: "header-fields-too-large",
    errors.UnsupportedTransferCoding: "not-implemented",
}
OURS = (errors.InvalidResponseHeader, errors.InvalidResponseHeaderName, errors.ConfigurationProblem)

HEARTBEAT = 1.0  # seconds; the master replaces a worker that is silent for PROCESS_TIMEOUT
LINGER = 5.0  # seconds for what still arrives when a connection is closed after an answer
MOST_UNREAD = 64 << 20  # bytes that are then thrown away
CLOSE = ("Connection", "close")
BODY = ("CONTENT-LENGTH", "TRANSFER-ENCODING")
DELAY = 0.01  # seconds; the longest that a connection waits for another process to take it
POLL = 0.05  # seconds, while requests in progress are finished

log = logging.getLogger(__name__)


def linger(client: Any) -> None:
    """Close a connection on which more may arrive, without losing the answer (RFC 9112, 9.6)."""
    util.close_graceful(client, LINGER, MOST_UNREAD)


@contextmanager
def _counted(connections: Recallable | None, client: Any, address: Any) -> Iterator[bool]:
    """Count a connection while it is open; yield whether it may be. Behind a proxy all may.

    It ends when it is taken back, as if its client had hung up.
    """

    def leave() -> None:
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    if connections is None:
        yield True
        return
    party = networks(address[0])
    admitted = connections.enter(party, leave)
    try:
        yield admitted
    finally:
        connections.exit(party, leave)
        if not admitted:
            client.close()


class Refusing:
    """Answers with problems, like the API, what the worker itself refuses; its log quotes no request."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that did not reach the application, or an error that escaped from it."""
        if not isinstance(exc, Exception):  # the worker is stopping
            return
        try:
            util.write_nonblock(client, refusal(exc))
        except Exception:
            log.debug("nobody was left to read an answer")
        linger(client)


class WebWorker(Refusing, GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    """A web process. gunicorn's own loop would notice only at the next full second that it must end."""

    def patch(self) -> None:
        """Let gevent replace everything that blocks, before anything is created that could block."""
        if "psycopg" in sys.modules:  # it chooses at its import how to wait for the database
            raise RuntimeError("psycopg was imported before gevent's patch: each wait would stop the process")
        super().patch()
        self.ending = Event()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to end, and wake the loop."""
        super().handle_exit(sig, frame)
        self.ending.set()

    def run(self) -> None:
        """Serve until a signal; then finish requests in progress, as far as the grace period allows."""
        [listener] = self.sockets
        listener.listen(BACKLOG)  # another process may have done so
        server = self._server(listener)
        while self.alive:
            self.notify()
            self.ending.wait(HEARTBEAT)
        server.close()
        self.app.live.close()  # subscribers connect again, to another process
        end = time.monotonic() + self.cfg.graceful_timeout
        while len(server.pool) and time.monotonic() < end:
            self.notify()
            gevent.sleep(POLL)
        server.stop(timeout=1)

    def handle_request(self, listener: Any, request: Any, client: Any, address: Any) -> Any:
        """Answer a request that has arrived, and close its connection in order if no other may follow."""
        if request.method in ("GET", "HEAD"):  # whose bodies are refused, so nobody is asked to send one
            request._expected_100_continue = False  # gunicorn has no other way to say so
        try:
            return super().handle_request(listener, request, client, address)
        except StopIteration:  # no other request follows
            if any(name in BODY for name, _ in request.headers):
                linger(client)
            raise

    def _server(self, listener: Any) -> SharingServer:
        listener.setblocking(1)

        def handle(client: Any, address: Any) -> None:
            server.count()
            try:
                with _counted(self.app.open, client, address) as admitted:
                    if admitted:
                        self.handle(listener, client, address)
            finally:
                server.count(ended=1)

        pool = Pool(self.worker_connections)
        connections = self.app.connections
        server = SharingServer(listener, handle, spawn=pool, connections=connections, process=self.age)
        server.start()
        return server


class SharingServer(StreamServer):  # type: ignore[misc]  # gevent has no types
    """Accepts connections, but first leaves them to the other processes while one of those has fewer.

    What those have not taken after a moment it takes itself, and many at once: to accept a connection is
    little work, and new callers must not wait until the loop has run once for each one before them.
    """

    max_accept = 100  # connections at a time

    def __init__(self, *arguments: Any, connections: Connections, process: int, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._connections, self._process = connections, process
        self._left_over = 0  # connections that the others may have had
        self.count()

    def do_read(self) -> Any:
        """Accept a connection, or return None for now."""
        if not self._left_over and self._connections.ahead(self._process):
            self._left_over = self.max_accept
            self.stop_accepting()
            self._timer = self.loop.timer(DELAY)
            self._timer.start(self._start_accepting_if_started)
            return None
        client = super().do_read()
        self._left_over = max(0, self._left_over - 1) if client else 0
        self.count(begun=1)
        return client

    def count(self, begun: int = 0, ended: int = 0) -> None:
        """Report the number of connections, with those that are just beginning and without those that end."""
        if not self.closed:
            self._connections.publish(self._process, len(self.pool) + begun - ended)

    def close(self) -> None:
        """Accept no more connections."""
        super().close()
        self._connections.forget(self._process)


class ComputeWorker(Refusing, SyncWorker):  # type: ignore[misc]  # gunicorn has no types
    """A compute process. If it is stopped it sends nothing, which the waiting web process understands."""


class Response(wsgi.Response):  # type: ignore[misc]  # gunicorn has no types
    """A response whose connection ends if the application says so, or if it is shorter than announced.

    To send the headers together with the body was tried, and left out: it saved 4 % of the processor time of
    the smallest response (`/healthz`, 336 instead of 349 µs), and nothing that could be measured of others.
    """

    def process_headers(self, headers: list[tuple[str, str]]) -> None:
        """Read the application's headers; of those about the connection, only `Connection: close` counts."""
        super().process_headers(headers)
        if CLOSE in headers:
            self.force_close()

    def sendfile(self, respiter: Any) -> bool:
        """Send a file; return whether that is possible."""
        done = bool(super().sendfile(respiter))
        if done:
            self.sent = self.response_length or 0
        return done

    def close(self) -> None:
        """End the response. If it is shorter than announced, the connection is closed."""
        super().close()
        if self.sent < (self.response_length or 0) and not self._omits_body:
            self.force_close()


def install_response() -> None:
    """Answer all requests of this process like this, and log what stops a greenlet, which gevent prints."""
    wsgi.Response = Response
    Hub.print_exception = lambda hub, context, *error: log.error("a greenlet stopped", exc_info=error)


def refusal(error: BaseException) -> bytes:
    """Return the whole answer to a request that could not be read, or could not be answered."""
    from api.http import problems  # imported here, because the master imports this file
    from api.http.middleware import HEADERS
    from api.http.problem_types import TYPES

    if isinstance(error, errors.ParseException) and not isinstance(error, OURS):
        kind = TYPES[SLUGS.get(type(error), "malformed-request")]
        detail = kind.about.replace("`", "")
        members = {}
        if kind.slug == "malformed-request":
            detail = "This is no HTTP request that could be read."
            members = {"errors": {"request": [detail]}}
        log.warning("refused a request: %s", type(error).__name__)
    else:
        kind, detail, members = TYPES["internal-error"], "This should not have happened.", {}
        log.error("unexpected %s", type(error).__name__, exc_info=error)
    # No path was read, or it may contain a secret: an empty reference is the address that was asked for.
    body = problems.document(kind, detail, instance="", **members)
    status = kind.status
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"Date: {util.http_date()}",
        "Connection: close",
        f"Content-Type: {problems.CONTENT_TYPE}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in HEADERS),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body
