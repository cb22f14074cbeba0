"""A game as it was: its log read again up to a version."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import referee
from api.services.context import Context
from api.services.errors import NotFound
from api.services.table import CANCELLED, FINISHED, OPEN, Table
from api.services.texts import loads
from api.store import log
from api.store.log import StoredEntry

EMPTY = {"player": None, "bot": None, "entropy": "", "since": None, "deadline": None}


def full_move(public: dict[str, Any], private: dict[str, Any]) -> dict[str, Any]:
    """Give the move of an entry with the parts that only its mover may see."""
    share = private.get(str(public["seat"]), {})
    move: dict[str, Any] = share.get("move", public["move"])
    return move


def shares(entry: StoredEntry) -> dict[str, Any]:
    """Give the private part of an entry, seat → its share."""
    return loads(entry.private) if entry.private else {}


def at_version(context: Context, table: Table, version: int) -> Table:
    """Give the table as it was at an older version. Raises NotFound for one that it never had."""
    if not 1 <= version <= table.version:
        raise NotFound(f"The game has versions 1 to {table.version}.")
    past = replace(
        table,
        status=OPEN,
        version=version,
        seats=[dict(EMPTY) for _ in table.seats],
        state=None,
        result=None,
        drawn=0,
    )
    for entry in log.all_entries(context.session, table.id, version):
        public = loads(entry.public)
        past.updated_at = datetime.fromisoformat(public["at"])
        _replay(past, public, shares(entry))
    return past


def _replay(past: Table, public: dict[str, Any], private: dict[str, Any]) -> None:
    kind = public["type"]
    if kind == "joined":
        past.seats[public["seat"]].update({name: public[name] for name in ("player", "bot", "entropy")})
    elif kind == "left":
        past.seats[public["seat"]].update(EMPTY)
    elif kind == "started":
        past.deal()
    elif kind == "moved":
        past.advance(public["seat"], full_move(public, private))
    elif kind in ("resigned", "timed_out"):
        referee.conclude(past.state, referee.resign(past.state, public["seat"]))
    elif kind == "finished":
        past.status, past.result = FINISHED, public["result"]
    elif kind == "cancelled":
        past.status = CANCELLED
    past.turn_over(public["seat"] if kind == "moved" else None)
