"""Records: a game as a file that any replay understands."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api import auth
from api.routes.operation import operation
from api.services import records
from api.services.context import Context

blueprint = Blueprint("records", __name__)


@operation(
    blueprint,
    "GET",
    "/v1/games/<uuid:game>/record",
    audience=auth.READERS_OR_ANYBODY,
    answers={200: "GameRecord"},
    problems=("not-found",),
)
def get_record(context: Context, game: UUID) -> Any:
    """Export a game: whole once it is over, until then what the caller may see."""
    return records.record(context, game)
