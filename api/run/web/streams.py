"""Streams that take no greenlet while they wait.

A greenlet with the objects of its request takes 40 kB, and most subscribers only wait. So when a stream has
sent what there was, its request ends, and what is left of it is a `Connection`. If there may be something to
send, a greenlet continues one connection after the other. Whenever it has to wait itself, for the database or
for a subscriber that reads slowly, another greenlet takes over, so that nobody waits for somebody else.
"""

from __future__ import annotations

import _socket
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from gevent import Greenlet, GreenletExit, get_hub
from gevent.pool import Group
from gevent.socket import socket as gevent_socket
from gevent.socket import wait_write
from gunicorn.workers.base_async import ALREADY_HANDLED

from api.routes.streams.sending import Stream
from api.streams.following import Wait

MOST = 40_000  # connections; further streams keep their greenlets, which gunicorn limits
BATCH = 8  # connections that are continued before the loop looks for requests
LAST = b"0\r\n\r\n"  # the last chunk

Environ = dict[str, Any]

log = logging.getLogger(__name__)


class Streams:
    """A WSGI application around another, which keeps the connections of the other's streams."""

    def __init__(self, inner: Callable[[Environ, Any], Iterable[bytes]]) -> None:
        self.inner = inner
        self.server: Any = None  # the server that accepted the connections
        self.connections: set[Connection] = set()
        self._ready: deque[Connection] = deque()
        self._running = Group()

    def __call__(self, environ: Environ, start_response: Any) -> Any:
        """Answer a request. A stream begins as part of it, and goes on without it."""
        writes = []

        def start(*arguments: Any) -> Any:
            write = start_response(*arguments)
            writes.append(write)
            return write

        answer = self.inner(environ, start)
        if not isinstance(answer, Stream) or len(self.connections) >= MOST:
            return answer
        try:
            for step in answer.steps:
                if isinstance(step, Wait):
                    Connection(self, answer, environ, step)
                    return ALREADY_HANDLED
                writes[-1](step)
        except BaseException:
            answer.close()
            raise
        return answer  # there is nothing left to send

    def make_ready(self, connection: Connection) -> None:
        """Continue a connection soon."""
        self._ready.append(connection)
        if len(self._ready) == 1:
            self._take_over()

    def close(self) -> None:
        """End all streams; the subscribers connect again."""
        self._ready.clear()
        self._running.kill()
        for connection in list(self.connections):
            connection.close()

    def _take_over(self) -> None:
        """Start another greenlet as soon as this one waits or ends."""
        get_hub().loop.run_callback(self._start)

    def _start(self) -> None:
        if self._ready:
            self._running.start(Greenlet(self._run))

    def _run(self) -> None:
        self._take_over()
        for _ in range(BATCH):
            if self._ready:
                self._ready.popleft().run()


class Connection:
    """A subscriber's connection while no request belongs to it, and its stream."""

    __slots__ = ("_channel", "_chunked", "_reusable", "_socket", "_stream", "_streams", "_timer")

    def __init__(self, streams: Streams, stream: Stream, environ: Environ, wait: Wait) -> None:
        """Take the socket from a request whose headers have been sent."""
        self._streams = streams
        self._stream = stream
        self._socket = _socket.socket(fileno=environ["gunicorn.socket"].detach())
        self._socket.setblocking(False)
        self._chunked = environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        self._reusable = self._chunked and environ.get("HTTP_CONNECTION", "").lower() != "close"
        streams.connections.add(self)
        self._sleep(wait)

    def wake(self) -> None:
        """Continue soon: there may be something to send, or it is time for a keep-alive."""
        self._stop_waiting()
        self._streams.make_ready(self)

    def run(self) -> None:
        """Send what there is; then wait again, or end."""
        try:
            for step in self._stream.steps:
                if isinstance(step, Wait):
                    self._sleep(step)
                    return
                self._send(b"%x\r\n%s\r\n" % (len(step), step) if self._chunked else step)
            if self._chunked:
                self._send(LAST)
            if self._reusable:
                self._give_back()
        except (OSError, GreenletExit):
            pass  # the subscriber has left, or the process ends
        except Exception:
            log.exception("a stream broke off")
        self.close()

    def close(self) -> None:
        """End the stream."""
        self._stop_waiting()
        self._socket.close()
        self._streams.connections.discard(self)
        self._streams.server.count()
        self._stream.close()

    def _sleep(self, wait: Wait) -> None:
        self._channel = wait.channel
        self._timer = get_hub().loop.timer(max(0.0, wait.seconds))
        self._timer.start(self.wake)
        if not wait.channel.sleep(self, wait.after, wait.watch):
            self.wake()

    def _stop_waiting(self) -> None:
        self._channel.forget(self)
        self._timer.close()

    def _send(self, data: bytes) -> None:
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                wait_write(self._socket.fileno())

    def _give_back(self) -> None:
        """Let the server read the next request."""
        server = self._streams.server
        if not server.closed:
            client = gevent_socket(fileno=self._socket.detach())
            server.do_handle(client, client.getpeername())
