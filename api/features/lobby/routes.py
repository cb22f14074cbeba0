"""Seeks, with which players find each other."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.lobby import seeks
from api.features.lobby.answers import Seek, SeekList
from api.features.lobby.inputs import NewSeek, SeekFilters
from api.http import auth
from api.http.operation import Operations

blueprint = Operations("seeks", __name__, "Players who look for others: equal ones get a game.")


@blueprint.POST(
    "/v1/seeks",
    auth.PLAYERS,
    Seek,
    body=NewSeek,
    cost=2,
    problems=("invalid-options", "conflict", "limit-reached"),
    idempotent=True,
    creates="/v1/seeks",
)
def create_seek(context: Context, body: dict[str, Any]) -> Seek:
    """Look for players of the same app.

    As soon as there are open seeks of as many players with equal terms, their game is created, and each of
    the seeks names it. Seats are drawn. Each seek leads to one game at most.
    """
    return seeks.create(context, body)


@blueprint.GET("/v1/seeks", auth.READERS_OR_ANYBODY, SeekList, query=SeekFilters)
def list_seeks(context: Context, query: dict[str, Any]) -> SeekList:
    """List the open seeks of the app, newest first.

    Without a token, list those of guests and accounts of this server.
    """
    return seeks.page(context, query.pop("page"), query)


@blueprint.GET("/v1/seeks/<uuid:seek>", auth.READERS, Seek)
def get_seek(context: Context, seek: UUID) -> Seek:
    """Show a seek.

    A player can show only their own. It is kept for a day after it expires.
    """
    return seeks.get(context, seek)


@blueprint.DELETE("/v1/seeks/<uuid:seek>", auth.WRITERS, "The seek is gone.", problems=("conflict",))
def withdraw_seek(context: Context, seek: UUID) -> None:
    """Withdraw a seek that has not led to a game yet."""
    seeks.withdraw(context, seek)
