"""Conditional reads: who has the newest state already gets no body."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from flask import request

from api.context import Context
from api.core import VERSION
from api.core.errors import ObjectChanged
from api.core.json import sorted_bytes
from api.http import inputs


def for_viewer(headers: Mapping[str, str], context: Context) -> dict[str, str]:
    """Return headers in which the ETag, if there is one, belongs to the caller alone.

    None is as before when a new version of the API may show more, or when a backup was restored: the same
    version of a game may then be another state.
    """
    if "ETag" not in headers:
        return {**headers}
    version, _, mark = headers["ETag"].strip('"').partition("+")
    shown = f"{VERSION} {context.caller.viewer} {context.session.epoch} {mark}"
    return {**headers, "ETag": f'"{version}-{sha256(shown.encode()).hexdigest()[:12]}"'}


def tagged(shown: dict[str, Any]) -> Any:
    """Present an object, with a mark of what is shown as its ETag."""
    return shown, 200, {"ETag": mark(shown)}


def mark(shown: Mapping[str, Any]) -> str:
    """Return the ETag of an object that has no version."""
    return f'"{sha256(sorted_bytes(shown)).hexdigest()}"'


def require_unchanged(context: Context, etag: str) -> None:
    """Raise ObjectChanged if If-Match names other ETags than this one, which is the caller's after it.

    A bare version will do, as for moves. BadRequest if it is no list of ETags.
    """
    tags = inputs.etags("If-Match", request.headers.get("If-Match"))
    if tags is None:
        return
    now = for_viewer({"ETag": etag}, context)["ETag"].strip('"')
    known = (now, now.partition("-")[0])
    expected = [
        tag.removeprefix("W/") for tag in tags
    ]  # proxies weaken ETags, and add what they did to the body
    if not any(tag in known or tag.startswith(f"{now}-") for tag in expected):
        raise ObjectChanged("It has changed since this ETag.")


def require_same(context: Context, shown: Mapping[str, Any]) -> None:
    """Raise ObjectChanged if If-Match names an ETag other than that of what is shown now."""
    if "If-Match" in request.headers:
        require_unchanged(context, mark(shown))


def asks() -> bool:
    """Return whether the request is conditional."""
    return "If-None-Match" in request.headers


def is_known(headers: Mapping[str, str], context: Context) -> bool:
    """Return whether the caller has said that it has what these headers belong to."""
    return request.if_none_match.contains_weak(for_viewer(headers, context)["ETag"].strip('"'))
