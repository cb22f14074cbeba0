"""Tables of kept responses, webhooks, contacts of players, and what waits to be sent."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, Table, Text, text

from api.store.database import encryption
from api.store.tables.access import OF_APP, OF_OWNER, REFERENCE, Sealed, access
from api.store.tables.columns import TIME, index_where, key, metadata, needed, of

# The first answer to a request with an Idempotency-Key, kept in the same transaction. `key` is the beginning
# of its SHA-256. The columns are in this order so that no space is lost between them.
idempotency = Table(
    "idempotency",
    metadata,
    key("owner"),
    key("key"),
    needed("created_at", TIME),
    needed("final", Boolean, server_default=text("true")),
    needed("fingerprint", LargeBinary),
    Column("headers", Text),
    Column("body", LargeBinary),
    needed("signature", LargeBinary, server_default=text("''")),
    # A worker without a role of its own uses the service's, which may therefore delete old rows as well.
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (fingerprint, final, headers, body, signature, created_at)",
        worker="SELECT, DELETE, UPDATE (final)",
        own=f"coalesce((SELECT true FROM credentials c WHERE c.id = owner), {OF_OWNER})",
        sealed=(Sealed(("body",), lambda owner, key: encryption.ANSWER, row=encryption.answer_row),),
        citus="owner",
        goes_with=dict.fromkeys(("apps", "credentials", "games"), "owner"),
    ),
)

# How and how often a player is reached. `awaited`: a mail is due, or was sent since the last visit.
# `bounces`: how many mails came back, the last one at `bounced_at`.
# `account`: a keyed hash of the address with which the player signs in.
# `mailbox`: how often everything that was mailed to the player has lost its effect.
contacts = Table(
    "contacts",
    metadata,
    of("player_id", "players", key=True),
    of("app_id", "apps"),
    needed("key", LargeBinary),
    Column("email", LargeBinary),
    Column("confirmed_at", TIME),
    Column("refused_at", TIME),
    needed("preferences", Text, server_default=text("'{}'")),
    needed("awaited", Boolean, server_default=text("false")),
    Column("mailed_at", TIME),
    Column("calendar", Integer),
    needed("bounces", Integer, server_default=text("0")),
    Column("bounced_at", TIME),
    Column("refused_because", Text),
    Column("account", LargeBinary),
    Column("mailbox", Integer),
    Index("contacts_of_app", "app_id"),
    index_where("account IS NOT NULL", "contacts_account", "account", unique=True),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (key, email, confirmed_at, refused_at, preferences,"
        " awaited, mailed_at, calendar, account, bounces, bounced_at, refused_because, mailbox)",
        worker="SELECT, UPDATE (refused_at, refused_because, awaited, mailed_at)",
        own=OF_APP,
        sealed=(
            Sealed(("key",), lambda player: encryption.CONTACT_KEY),
            Sealed(("email",), lambda player: encryption.CONTACT_EMAIL),
        ),
        citus=REFERENCE,
    ),
)
