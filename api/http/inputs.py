"""Reads requests strictly."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

from flask import request
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import RequestEntityTooLarge

import referee.records
from api.context import IdempotencyKey
from api.core.callers import Caller, Expected
from api.core.errors import BadRequest, Slip, UnsupportedForm
from api.core.json import sorted_bytes

JSON = "application/json"
UTF_8 = ("utf-8", "utf8")  # the second name is not registered, but many programs send it
ETAG = re.compile(r'(W/)?"([^"]*)"|([0-9a-f]{64}|[0-9]{1,10})')
HASH_LENGTH = 64  # in hex
MOST_FAULTS = 100  # errors of a request that an answer names at most
PIECE = 1 << 20  # bytes of a body that are scanned at a time
VERSION = re.compile(r"(?:W/)?([0-9a-f]{64}|[0-9]{1,10})(?:-.*)?")
KEY = re.compile(r"[\x21-\x7e]{1,255}")
FINGERPRINT_BYTES = 16
UNGUESSABLE = 16  # least length of a key that alone identifies a caller


def require_few_values(data: bytes, most: int) -> None:
    """Raise RequestEntityTooLarge for JSON with more values, because each needs a hundred times its bytes.

    Every value except the first follows a comma or an opening bracket; those in strings are counted too.
    """
    if len(data) <= most:
        return
    count = 0
    for start in range(0, len(data), PIECE):
        count += sum(data.count(mark, start, start + PIECE) for mark in (b",", b"[", b"{"))
        if count > most:
            raise RequestEntityTooLarge


def receive(most: int) -> bytes:
    """Read and return the whole body. Raises RequestEntityTooLarge if it is longer, chunked or not."""
    request.max_content_length = most
    data = request.get_data()
    # werkzeug reads chunks up to the limit and ignores the rest
    if request.content_length is None and len(data) >= most and request.environ["wsgi.input"].read(1):
        raise RequestEntityTooLarge
    return data


def body(schema: Schema) -> Any:
    """Read the JSON body. Raises BadRequest, UnsupportedForm; Malformed if it is not JSON."""
    data, kind = request.get_data(), request.headers.get("Content-Type")
    if kind != JSON:
        if (data or kind is not None) and request.mimetype != JSON:
            raise UnsupportedForm("Content-Type", f"Must be {JSON}.")
        if request.mimetype_params.get("charset", "utf-8").lower() not in UTF_8:
            raise UnsupportedForm("Content-Type", "charset: JSON is always UTF-8 (RFC 8259, 8.1).")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedForm("Content-Encoding", "Send the body uncompressed.")
    if not data:
        data = b"{}"
    value = referee.records.parse(data)
    if type(value) is not dict:
        raise BadRequest({"body": ["Must be an object."]})
    return _load(schema, value)


def query(schema: Schema) -> Any:
    """Read the query. Raises BadRequest, also if a parameter that takes one value is repeated."""
    if not request.query_string:
        return dict(_defaults(schema))
    _require_utf_8()
    plain = {}
    for name, values in request.args.lists():
        repeats = getattr(schema.fields.get(name), "repeats", False)
        if len(values) > 1 and not repeats:
            raise BadRequest({name[:100]: ["Given more than once."]})
        plain[name] = values if repeats else values[0]
    return _load(schema, plain)


def refuse_body() -> None:
    """Raise BadRequest if there is a body, for operations without one. An empty object is allowed."""
    if request.get_data().strip() not in (b"", b"{}"):
        raise BadRequest({"body": ["There is none here."]})


def accepted(forms: Sequence[str]) -> str | None:
    """Return which of these media types Accept prefers, or None if it excludes all of them.

    Only the parameter `q` counts: many clients name a charset, and none of our media types has parameters.
    """
    ranges = [(name.partition(";")[0], quality) for name, quality in request.accept_mimetypes]
    return MIMEAccept(ranges).best_match(forms) if ranges else forms[0]


def _require_utf_8() -> None:
    """Raise BadRequest if the query is not UTF-8; werkzeug would leave such bytes undecoded."""
    try:
        unquote_to_bytes(request.query_string).decode()
    except UnicodeDecodeError as error:
        raise BadRequest({"query": [f"Must be UTF-8 (byte {error.start})."]}) from None


@cache
def _defaults(schema: Schema) -> dict[str, Any]:
    values: dict[str, Any] = _load(schema, {})
    return values


def refuse_query() -> NoReturn:
    """Raise BadRequest: the operation has no query parameters."""
    _require_utf_8()
    raise BadRequest({name[:100]: [Slip("Unknown parameter.")] for name in request.args or ("query",)})


def _load(schema: Schema, value: Any) -> Any:
    try:
        return schema.load(value)
    except ValidationError as error:
        faults = flat(error.messages)
        raise BadRequest(dict(list(faults.items())[:MOST_FAULTS])) from None


def flat(messages: Any, place: str = "") -> dict[str, list[str]]:
    """Return marshmallow's nested messages as field → messages; nested names are joined with dots."""
    if isinstance(messages, dict):
        faults: dict[str, list[str]] = {}
        for key, inner in messages.items():
            name = str(key)[:100]
            inside = place if name == "_schema" else f"{place}.{name}" if place else name
            faults.update(flat(inner, inside))
        return faults
    return {place or "body": [*messages]}


def if_match(header: str | None) -> Expected:
    """Return the versions or last hashes that If-Match accepts, or None if it accepts any.

    Only the version of an ETag counts here, because an ETag may come from another viewer, and proxies may
    have weakened or changed it. Raises BadRequest.
    """
    tags = etags("If-Match", header)
    if tags is None:
        return None
    versions = [match[1] for tag in tags if (match := VERSION.fullmatch(tag))]
    return frozenset(one if len(one) == HASH_LENGTH else int(one) for one in versions)


def etags(name: str, header: str | None) -> list[str] | None:
    """Return a list of ETags without quotes (a version needs none), or None for `*`.

    Weak ETags keep their mark. Raises BadRequest.
    """
    if header is None or header.strip() == "*":
        return None
    tags = []
    for tag in header.split(","):
        read = ETAG.fullmatch(tag.strip())
        if read is None:
            raise BadRequest({name: ['Must be a version in double quotes, such as "17".']})
        tags.append((read[1] or "") + (read[2] or read[3] or ""))
    return tags


def by_key_alone(body: Mapping[str, object]) -> None:
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
    return IdempotencyKey(key, fingerprint)
