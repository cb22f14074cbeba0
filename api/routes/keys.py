"""An app's keys: a new one made and the old one revoked is how keys are rotated."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api import auth
from api.routes.operation import operation
from api.schemas import requests
from api.services import keys
from api.services.context import Context

blueprint = Blueprint("keys", __name__)


@operation(
    blueprint,
    "POST",
    "/v1/keys",
    audience=auth.APP_WRITERS,
    body=requests.NewKey,
    answers={201: "NewKeyShown"},
)
def create_key(context: Context, body: dict[str, Any]) -> Any:
    """Make another key of this app, shown this once.

    It may have the scopes of the key that asks, or fewer.
    """
    return keys.create(context, body["scopes"], body["expires_in"]), 201, {"Cache-Control": "no-store"}


@operation(
    blueprint,
    "GET",
    "/v1/keys",
    audience=auth.APP_READERS,
    query=requests.Pages,
    answers={200: "KeyList"},
)
def list_keys(context: Context, query: dict[str, Any]) -> Any:
    """List the app's keys, newest first; never the keys themselves."""
    return keys.page(context, query["page"])


@operation(
    blueprint,
    "DELETE",
    "/v1/keys/<uuid:key>",
    audience=auth.APP_WRITERS,
    answers={204: None},
    problems=("not-found",),
)
def revoke_key(context: Context, key: UUID) -> Any:
    """Revoke a key for good."""
    keys.revoke(context, key)
    return None, 204
