"""Tables of the whole installation: detached months, encryption, outages, processes, backups."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    LargeBinary,
    Table,
    Text,
    text,
)

from api.store.database.encryption import INSTALLATION
from api.store.tables.columns import OF_APP, TIME, Sealed, access, key, metadata, needed, of

# What was taken out of the database: of each month and app the tick up to which its feed lacks entries.
detached = Table(
    "detached",
    metadata,
    of("app_id", "apps", key=True),
    key("month", Text),
    needed("tick", BigInteger),
    # The owner writes it.
    info=access(service="SELECT", worker="SELECT", own=OF_APP),
)

# A secret of this installation, and the database that `migrate` saw last.
installation = Table(
    "installation",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("secret", LargeBinary),
    needed("database", Text),
    CheckConstraint("single", name="single"),
    info=access(
        service="SELECT",
        worker="SELECT",
        sealed=(Sealed(("secret",), lambda single: INSTALLATION, row=lambda single: INSTALLATION),),
    ),
)

# Each time at which the database was restored, and the tick of the last entry that was restored.
restorations = Table(
    "restorations",
    metadata,
    Column("epoch", BigInteger, primary_key=True, autoincrement=False),
    needed("tick", BigInteger),
    needed("at", TIME),
    info=access(service="SELECT", worker="SELECT"),
)

# The first bytes of the key that seals everything, not the key itself. No row: nothing is sealed. Until it is
# `complete`, some rows are sealed with an older key, or with none.
encryption = Table(
    "encryption",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("prefix", LargeBinary),
    Column("complete", Boolean, nullable=False, server_default=text("true")),
    CheckConstraint("single", name="single"),
    # Every process checks that it has the key, and that it is still the same database.
    info=access(service="SELECT", worker="SELECT"),
)

# When a web process was last up, by its own clock; no row before the first one has started.
heartbeat = Table(
    "heartbeat",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("at", TIME),
    CheckConstraint("single", name="single"),
    # Web processes say that they are up.
    info=access(service="SELECT, INSERT, UPDATE (at)", worker="SELECT"),
)

# When no web process was up. One is settled when all games have their time back.
outages = Table(
    "outages",
    metadata,
    key("ended_at", TIME),
    needed("began_at", TIME),
    Column("settled", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("ended_at > began_at", name="ended_at"),
    # Web processes say that they are up.
    # Workers give games the time of outages back.
    info=access(service="SELECT, INSERT", worker="SELECT, UPDATE (settled)"),
)

# The web processes and job workers, each as long as it is up: those that were killed are seen no more. `keys`
# are the names of the encryption keys that they have.
processes = Table(
    "processes",
    metadata,
    key("id"),
    needed("kind", Text),
    needed("release", Text),
    needed("keys", ARRAY(Text)),
    needed("started_at", TIME),
    needed("seen_at", TIME),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (seen_at)", worker="SELECT, INSERT, DELETE, UPDATE (seen_at)"
    ),
)

# When `backup` wrote a whole file, and when restoring one was tried and worked: `backup`, `restore`.
backups = Table(
    "backups",
    metadata,
    key("written_at", TIME),
    needed("bytes", BigInteger),
    needed("kind", Text, server_default=text("'backup'")),
    info=access(service="SELECT", worker="SELECT"),
)
