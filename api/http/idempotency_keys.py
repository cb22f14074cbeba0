"""Reads the Idempotency-Key of a request."""

from __future__ import annotations

import hmac
import re
from typing import Any

from flask import request

import referee.records
from api.context import IdempotencyKey
from api.core.callers import Caller
from api.core.errors import BadRequest
from api.core.json import sorted_bytes

KEY = re.compile(r"[\x21-\x7e]{1,255}")
FINGERPRINT_BYTES = 16
UNGUESSABLE = 16  # least length of a key that alone identifies a caller


def by_key_alone(body: dict[str, Any]) -> None:
    """Return no secret, because a caller who repeats the request knows only the key."""


def read_key(caller: Caller, secret: str | None, *, of_caller: bool) -> IdempotencyKey | None:
    """Return the key of a request, if any. Raises BadRequest.

    A kept response is shown again to a caller who knows the `secret`: the token or, if not `of_caller`,
    something else in the request. If the secret is None, the key itself must be hard to guess.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not KEY.fullmatch(key):
        raise BadRequest({"Idempotency-Key": ["Must be 1 to 255 visible ASCII characters."]})
    if secret is None and len(key) < UNGUESSABLE:
        why = f"Must have {UNGUESSABLE} characters at least: anyone who knows it gets the answer again."
        raise BadRequest({"Idempotency-Key": [why]})
    secret = secret or key
    if not of_caller:  # the table is shared, and must contain neither the secret nor the key
        key = hmac.digest(secret.encode(), key.encode(), "sha256").hex()
    body = referee.records.parse(request.get_data() or b"{}")
    # A keyed hash, so that a backup does not reveal a secret move to somebody who tries all possible moves.
    # Who knows the secret may ask again without the token: a guest's has ended when it becomes an account.
    player = caller.player_id if of_caller else None
    content = sorted_bytes([request.method, request.full_path, body, str(player)])
    fingerprint = hmac.digest(secret.encode(), content, "sha256")[:FINGERPRINT_BYTES]
    return IdempotencyKey(key, secret, fingerprint)
