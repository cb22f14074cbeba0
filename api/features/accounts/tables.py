"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import ARRAY, Column, Index, Integer, LargeBinary, Table, Text, Uuid, text

from api.store.tables.columns import TIME, Sealed, access, index_where, key, metadata, needed

ADDRESS = b"sign_ins.address"  # the place of a sealed address

# Requests to sign in with an address, sealed; `codes` are the hashes of what was mailed. `next_at` is null
# when no attempt to mail is planned. `restores`: the player whose account gets this address back.
sign_ins = Table(
    "sign_ins",
    metadata,
    key("id"),
    needed("address", LargeBinary),
    needed("codes", ARRAY(LargeBinary), server_default=text("'{}'")),
    needed("created_at", TIME),
    needed("expires_at", TIME),
    Column("used_at", TIME),
    needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    needed("language", Text, server_default=text("'en'")),
    Column("restores", Uuid),
    index_where("next_at IS NOT NULL", "sign_ins_due", "next_at"),
    Index("sign_ins_by_age", "expires_at"),
    # The worker deletes old rows; this locks them, and a lock needs a column that may be updated.
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (codes, used_at, tries, next_at)",
        worker="SELECT, DELETE, UPDATE (codes, tries, next_at)",
        sealed=(Sealed(("address",), lambda asked: ADDRESS),),
    ),
)
