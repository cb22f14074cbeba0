"""Requests time-stamps (RFC 3161) from an authority."""

from __future__ import annotations

import httpx
from cryptography.x509 import Certificate

from referee.log.timestamps import Stamp, Unstamped, check_stamp, library

QUERY, REPLY = "application/timestamp-query", "application/timestamp-reply"
TIMEOUT = 30  # seconds


def request_stamp(url: str, note: bytes, trusted: list[Certificate]) -> Stamp:
    """Request a time-stamp of a note from the authority at a URL. Raises Unstamped."""
    client = library()
    request = client.TimestampRequestBuilder().data(note).hash_algorithm(client.HashAlgorithm.SHA256).build()
    try:
        response = httpx.post(
            url, content=request.as_bytes(), headers={"Content-Type": QUERY, "Accept": REPLY}, timeout=TIMEOUT
        )
        response.raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unstamped(f"The authority gave no time-stamp: {error}.") from None
    return check_stamp(note, response.content, trusted, nonce=request.nonce)
