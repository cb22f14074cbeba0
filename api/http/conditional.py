"""Conditional reads: who has the newest state already gets no body."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from flask import request

from api.core.callers import Caller
from api.http import inputs


def for_viewer(headers: Mapping[str, str], caller: Caller) -> dict[str, str]:
    """Return headers in which the ETag, if there is one, belongs to the caller alone."""
    if "ETag" not in headers:
        return {**headers}
    version, _, mark = headers["ETag"].strip('"').partition("+")
    shown = sha256((caller.viewer + mark).encode()).hexdigest()[:12] if mark else caller.viewer
    return {**headers, "ETag": f'"{version}-{shown}"'}


def asks() -> bool:
    """Return whether the request is conditional."""
    return "If-None-Match" in request.headers


def is_known(headers: Mapping[str, str], caller: Caller) -> bool:
    """Return whether the caller has said that it has what these headers belong to. Raises BadRequest."""
    known = request.headers.get("If-None-Match")
    return known is not None and inputs.matches_none(known, for_viewer(headers, caller)["ETag"])
