"""A proxy in front of PostgreSQL's socket that breaks connections at a statement, loses answers, or stops."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

SOCKET = ".s.PGSQL.5432"


class Proxy:
    """A proxy in front of PostgreSQL's socket that breaks the connection at a given statement.

    With `deliver`, the server still gets the statement, but its answer is lost.
    """

    def __init__(self, directory: Path, behind: Path) -> None:
        self.directory = directory
        self._behind = str(behind / SOCKET)
        self._breaks: tuple[bytes, bool] | None = None
        self._holds: bytes | None = None
        self._flows = threading.Event()
        self._flows.set()
        self._clients: set[socket.socket] = set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(directory / SOCKET))
        (directory / SOCKET).chmod(0o777)
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def break_at(self, statement: bytes, *, deliver: bool) -> None:
        self._breaks = (statement, deliver)

    def hold_at(self, statement: bytes) -> None:
        """From this statement on, which the server still gets, deliver nothing; no connection breaks."""
        self._holds = statement

    @property
    def waits(self) -> bool:
        """Return whether the statement has not come yet."""
        return self._breaks is not None

    def relent(self) -> None:
        """Stop interfering."""
        self._breaks = self._holds = None
        self._flows.set()

    def hold(self) -> None:
        """Deliver nothing in either direction until `relent`."""
        self._flows.clear()

    def cut(self) -> None:
        """Break every connection."""
        for client in list(self._clients):
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()
        self.relent()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._behind)
            except OSError:  # the database is down
                client.close()
                server.close()
                continue
            self._clients.add(client)
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            threading.Thread(target=self._back, args=(server, client), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := self._received(client):
                if self._breaks is not None and self._breaks[0] in data:
                    deliver, self._breaks = self._breaks[1], None
                    client.shutdown(socket.SHUT_RDWR)
                    if deliver:
                        server.sendall(data)
                    break
                if self._holds is not None and self._holds in data:
                    self.hold()
                server.sendall(data)
        with suppress(OSError):
            server.shutdown(socket.SHUT_WR)

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        while data := self._received(server):
            try:
                client.sendall(data)
            except OSError:  # the connection is broken; the server's answers are dropped
                continue
        self._clients.discard(client)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _received(self, end: socket.socket) -> bytes:
        try:
            data = end.recv(65536)
        except OSError:
            return b""
        self._flows.wait()
        return data
