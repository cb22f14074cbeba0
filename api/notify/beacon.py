"""Rounds of a public beacon, fetched as drand's servers publish them."""

from __future__ import annotations

import logging

import httpx
import orjson

import referee

log = logging.getLogger("card_referee.jobs")

TIMEOUT = 5.0  # seconds for each step of a request
MOST_OF_ANSWER = 10_000  # bytes


def fetch(url: str, chain: referee.Chain, number: int) -> str | None:
    """Return the signature, in hex, of a round of a chain that is published at `url`.

    None if it is not available, or not the chain's: its publisher need not be trusted.
    """
    try:
        answer = orjson.loads(_get(f"{url}/public/{number}"))
        signature = answer["signature"]
        if chain.has_signed(number, signature):
            return str(signature)
        why = "is not signed by the chain"
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, KeyError, TypeError) as error:
        why = type(error).__name__
    log.warning("round %s of the beacon cannot be had yet: %s", number, why)
    return None


def _get(url: str) -> bytes:
    with (
        httpx.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False) as client,
        client.stream("GET", url, headers={"Accept": "application/json"}) as response,
    ):
        response.raise_for_status()
        begun = b""
        for part in response.iter_bytes():
            begun += part
            if len(begun) > MOST_OF_ANSWER:
                raise ValueError("the answer is too long")
        return begun
