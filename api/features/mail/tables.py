"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    text,
)

from api.store.database import encryption
from api.store.tables.columns import (
    OF_APP,
    REFERENCE,
    TIME,
    Sealed,
    access,
    index_where,
    key,
    metadata,
    needed,
    of,
)

# What was used of limits on mails; `bucket` is a keyed hash of who or what is limited. Rows belong to no app,
# because some limits are for all of them together.
allowances = Table(
    "allowances",
    metadata,
    key("bucket", LargeBinary),
    needed("used_until", TIME),
    Index("allowances_by_age", "used_until"),
    info=access(service="SELECT, INSERT, DELETE, UPDATE (used_until)", worker="SELECT, DELETE"),
)

# How and how often a player is reached. `mailed_at`: when mail was sent that waits for a visit.
# `account`: a keyed hash of the address with which the player signs in.
# `mailbox`: how often everything that was mailed to the player has lost its effect.
# `set_by`: the app key that chose the address in the player's name.
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
    Column("visited_at", TIME),
    Column("mailed_at", TIME),
    Column("account", LargeBinary),
    Column("mailbox", Integer),
    Column("set_by", Uuid),
    Index("contacts_of_app", "app_id"),
    index_where("account IS NOT NULL", "contacts_account", "account", unique=True),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (key, email, confirmed_at, refused_at, preferences,"
        " mailed_at, account, mailbox, set_by)",
        worker="SELECT, UPDATE (refused_at, mailed_at)",
        own=OF_APP,
        sealed=(
            Sealed(("key",), lambda player: encryption.CONTACT_KEY),
            Sealed(("email",), lambda player: encryption.CONTACT_EMAIL),
        ),
        citus=REFERENCE,
    ),
)
