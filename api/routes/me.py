"""Who am I, and what waits for me."""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from api import auth
from api.routes.operation import operation
from api.schemas import requests
from api.services import players
from api.services.context import Context

blueprint = Blueprint("me", __name__)


@operation(
    blueprint,
    "GET",
    "/v1/me",
    audience=auth.HOLDERS,
    answers={200: "Me"},
)
def get_me(context: Context) -> Any:
    """Return who the token belongs to."""
    return players.me(context)


@operation(
    blueprint,
    "GET",
    "/v1/me/turns",
    audience=auth.PLAYERS,
    query=requests.TurnPages,
    answers={200: "TurnList"},
)
def list_my_turns(context: Context, query: dict[str, Any]) -> Any:
    """List the games that wait for me, the most urgent deadline first."""
    return players.turns(context, query["page"])
