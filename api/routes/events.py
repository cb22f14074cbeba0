"""The log of a game, as the caller may see it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api import auth
from api.routes.operation import operation
from api.schemas import requests
from api.services import events
from api.services.context import Context

blueprint = Blueprint("events", __name__)


@operation(
    blueprint,
    "GET",
    "/v1/games/<uuid:game>/events",
    audience=auth.READERS_OR_ANYBODY,
    query=requests.EventPages,
    answers={200: "EntryList"},
    problems=("not-found",),
)
def list_events(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Read the log, oldest entry first."""
    return events.page(context, game, query.get("cursor", query["after"]), query["limit"])
