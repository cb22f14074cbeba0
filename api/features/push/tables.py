"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table, Uuid

from api.store.tables.columns import OF_APP, REFERENCE, TIME, Sealed, access, key, metadata, needed, of

SUBSCRIPTION = b"push_subscriptions.subscription"  # the place of a sealed subscription

# A browser gets messages as long as the token that subscribed it (`credential_id`) is not revoked.
push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players"),
    needed("subscription", LargeBinary),
    needed("created_at", TIME),
    Column("credential_id", Uuid),
    Index("push_subscriptions_of_player", "player_id", "id"),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (credential_id)",
        worker="SELECT, DELETE",
        own=OF_APP,
        sealed=(Sealed(("subscription",), lambda made: SUBSCRIPTION),),
        citus=REFERENCE,
    ),
)
