"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import ARRAY, Column, Index, Integer, LargeBinary, Table, Text, Uuid, text

from api.store.tables.columns import TIME, Sealed, access, index_where, key, metadata, needed

ADDRESS = b"sign_ins.address"  # the place of a sealed address
MAILED = "codes, tries, next_at, typed, typed_until"  # what a mail changes

# Requests to sign in with an address, sealed; `codes` are the hashes of what was mailed in links, `typed` is
# a keyed hash of the code that can be typed until `typed_until`, and `guesses` how often one was. `next_at`
# is null when no attempt to mail is planned. `restores`: the player whose account gets this address back.
# `guest`: the guest who asked.
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
    Column("guest", Uuid),
    Column("typed", LargeBinary),
    Column("typed_until", TIME),
    needed("guesses", Integer, server_default=text("0")),
    index_where("next_at IS NOT NULL", "sign_ins_due", "next_at"),
    Index("sign_ins_by_age", "expires_at"),
    # The worker deletes old rows; this locks them, and a lock needs a column that may be updated.
    info=access(
        service=f"SELECT, INSERT, DELETE, UPDATE ({MAILED}, used_at, guesses, guest)",
        worker=f"SELECT, DELETE, UPDATE ({MAILED})",
        sealed=(Sealed(("address",), lambda asked: ADDRESS),),
    ),
)
