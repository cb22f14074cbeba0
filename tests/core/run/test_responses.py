"""Answers of the web server: complete, in chunks only where no length is known, and none after HEAD."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.wsgi import FileWrapper

from api.run.web.workers import Response

HEAD = re.compile(rb"HTTP/1.1 (\d+) .*?\r\n\r\n", re.S)
LENGTH = [("Content-Length", "6")]


class Wire:
    """A socket that records each piece."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def sendall(self, data: bytes) -> None:
        self.pieces.append(data)

    def sendfile(self, file: io.BufferedReader, offset: int, count: int) -> None:
        self.pieces.append(file.read(count))


def sent(
    parts: Iterable[bytes], status: str, headers: list[tuple[str, str]], method: str = "GET"
) -> list[bytes]:
    """Send an answer as gunicorn does; return its pieces, without the headers."""
    wire = Wire()
    asked: Any = SimpleNamespace(method=method, version=(1, 1), should_close=lambda: False)
    answer = Response(asked, wire, Config())
    answer.start_response(status, headers)
    if isinstance(parts, FileWrapper):
        answer.write_file(parts)
    else:
        for part in parts:
            answer.write(part)
    answer.close()
    assert [bool(HEAD.match(piece)) for piece in wire.pieces] == [True] + [False] * (len(wire.pieces) - 1)
    return [HEAD.sub(b"", piece) for piece in wire.pieces]


@pytest.mark.parametrize(
    ("parts", "status", "headers", "body"),
    [
        ([b"answer"], "200 OK", LENGTH, b"answer"),
        ([b"ans", b"wer"], "200 OK", LENGTH, b"answer"),
        ([b"", b"answer"], "200 OK", LENGTH, b"answer"),
        ([b"one\n", b"two\n"], "200 OK", [], b"4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n"),
        ([b"", b"two\n"], "200 OK", [], b"4\r\ntwo\n\r\n0\r\n\r\n"),
        ([], "204 NO CONTENT", [], b""),
        ([], "304 NOT MODIFIED", [], b""),
    ],
)
def test_an_answer_is_sent_whole(
    parts: list[bytes], status: str, headers: list[tuple[str, str]], body: bytes
) -> None:
    assert b"".join(sent(parts, status, headers)) == body


def test_an_answer_to_head_has_only_headers() -> None:
    assert sent([b""], "200 OK", LENGTH, "HEAD") == [b""]


def test_a_file_follows_the_headers() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"answer")
        file.seek(0)
        assert sent(FileWrapper(file), "200 OK", LENGTH) == [b"", b"answer"]
