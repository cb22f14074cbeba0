"""Who am I, and what waits for me."""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from api.accounts import players
from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.schemas import requests

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
