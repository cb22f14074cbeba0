"""Idempotency-Key: the first answer, again, in the transaction of what it answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

from flask import Response, request

import referee
from api.services.context import Context
from api.services.errors import BadRequest, KeyReused
from api.services.texts import dumps, loads, sorted_bytes
from api.store import idempotency

KEY = re.compile(r"[\x21-\x7e]{1,255}")
KEPT_HEADERS = ("ETag", "Location")


def with_idempotency(context: Context, run: Callable[[], Response]) -> Response:
    """Answer a request, or give it the answer that it got before. Refusals are not kept."""
    key = request.headers["Idempotency-Key"]
    if not KEY.fullmatch(key):
        raise BadRequest({"Idempotency-Key": ["Must be 1 to 255 visible ASCII characters."]})
    owner = context.caller.owner
    assert owner is not None
    now = context.now()
    expired = now - timedelta(hours=context.settings.idempotency_hours)
    with context.session.transaction():
        fingerprint = _fingerprint()
        before = idempotency.claim(context.session, owner, key, fingerprint, now, expired)
        if before is not None:
            if bytes(before.fingerprint) != fingerprint:
                raise KeyReused("This Idempotency-Key came before with another request.")
            headers = {**loads(before.headers), "Idempotency-Replayed": "true"}
            return Response(bytes(before.body), before.status, headers, content_type="application/json")
        response = run()
        headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
        data = response.get_data()
        idempotency.keep(context.session, owner, key, response.status_code, dumps(headers).decode(), data)
        return response


def _fingerprint() -> bytes:
    body = referee.parse(request.get_data() or b"{}")
    return sha256(sorted_bytes([request.method, request.full_path, body])).digest()
