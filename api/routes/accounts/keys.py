"""An app's keys: none has more scopes or a longer life than the key that created it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.accounts import keys
from api.context import Context
from api.http import auth
from api.http.operation import Operations
from api.schemas.people import KeyList, NewKeyShown
from api.schemas.requests.people import NewKey, Revocation
from api.schemas.requests.queries import Pages

blueprint = Operations("keys", __name__)


@blueprint.POST(
    "/v1/keys", auth.KEY_MANAGERS, NewKeyShown, body=NewKey, problems=("limit-reached",), idempotent=True
)
def create_key(context: Context, body: dict[str, Any]) -> Any:
    """Create another key of this app, shown only once.

    It can have the scopes of the calling key, or fewer, and expires no later than that key; without
    `expires_in`, at the same time.
    """
    return keys.create(context, body["scopes"], body["expires_in"], body["name"])


@blueprint.GET("/v1/keys", auth.APP_READERS, KeyList, query=Pages)
def list_keys(context: Context, query: dict[str, Any]) -> Any:
    """List the app's keys, newest first, without the keys themselves."""
    return keys.page(context, query["page"])


@blueprint.DELETE("/v1/keys/<uuid:key>", auth.KEY_MANAGERS, query=Revocation)
def revoke_key(context: Context, key: UUID, query: dict[str, Any]) -> None:
    """Revoke a key permanently, with every key that was created with it.

    Player tokens belong to the app and stay, unless `keep_tokens` is false. The key's scopes must be among
    those of the calling key, it must not expire later than that key, and the calling key must not have been
    created with it.
    """
    keys.revoke(context, key, query["keep_tokens"])
