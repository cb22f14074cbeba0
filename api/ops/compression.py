"""Compression with gzip for clients that accept it: pages and their files, rulesets, and long API responses.

The response to a move is not compressed, because it is short and compression would cost more than it saves.
Flask-Compress would change the ETags of games (`"17-…:gzip"`), and needs three more packages.
"""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Response, request

LEVEL = 6
LEAST, LEAST_OF_API = 1_000, 16_000  # bytes
MOST = 4 * 1024 * 1024  # longer responses are streams anyway
TYPES = frozenset(
    [
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "application/yaml",
        "image/svg+xml",
    ]
)


def compress(response: Response) -> Response:
    """Compress a response if its client accepts that and it is worth it."""
    is_api = request.path.startswith("/v1/") and not request.path.startswith("/v1/rulesets/")
    if not _fits(response, LEAST_OF_API if is_api else LEAST) or not request.accept_encodings["gzip"]:
        return response
    etag, _ = response.get_etag()
    response.direct_passthrough = False  # of a file, which can be read now
    response.set_data((_pack if is_api or not etag else _pack_file)(response.get_data()))
    response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")
    if etag and not is_api:
        response.set_etag(etag, weak=True)  # the same content in other bytes
    return response


def _fits(response: Response, least: int) -> bool:
    return (
        request.method == "GET"
        and response.status_code == 200
        and response.mimetype in TYPES
        and response.content_encoding is None
        and least <= (response.content_length or 0) <= MOST
    )


def _pack(data: bytes) -> bytes:
    return gzip.compress(data, LEVEL, mtime=0)


_pack_file = lru_cache(maxsize=128)(_pack)
