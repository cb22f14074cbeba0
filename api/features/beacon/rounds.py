"""Rounds of a public beacon, fetched as drand's servers publish them."""

from __future__ import annotations

import logging

import orjson

import referee.proofs

log = logging.getLogger("card_referee.jobs")

TIMEOUT = 5.0  # seconds for each step of a request
MOST_OF_ANSWER = 10_000  # bytes


def fetch(url: str, chain: referee.proofs.Chain, number: int) -> str | None:
    """Return the signature, in hex, of a round of a chain that is published at `url`.

    None if it is not available, or not the chain's: its publisher need not be trusted.
    """
    try:
        answer = orjson.loads(_get(f"{url}/public/{number}"))
        signature = answer["signature"]
        if chain.has_signed(number, signature):
            return str(signature)
        why = "is not signed by the chain"
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = type(error).__name__
    log.warning("round %s of the beacon cannot be had yet: %s", number, why)
    return None


def _get(url: str) -> bytes:
    import requests  # only servers with a beacon need it

    with requests.Session() as session:
        session.trust_env = False
        headers = {"Accept": "application/json"}
        response = session.get(url, headers=headers, timeout=TIMEOUT, allow_redirects=False, stream=True)
        response.raise_for_status()
        begun = b""
        for part in response.iter_content(MOST_OF_ANSWER):
            begun += part
            if len(begun) > MOST_OF_ANSWER:
                raise ValueError("the answer is too long")
        return begun
