"""Records of deals, honest or not, made by somebody who owns the database and the seed."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import referee
import referee.clocks
import referee.proofs
import referee.records
import referee.table
from tests.referee.logged import game_seed

WORDS = ["ocean, 17 herons", "a broken kettle", ""]
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEED = game_seed(5)
Entries = list[dict[str, Any]]


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def at(seconds: float) -> str:
    return referee.clocks.timestamp(BEGIN + timedelta(seconds=seconds))


def beginning(commits: bool = True) -> Entries:
    """Return the log of a game of two players and a bot until the deal: joins at 0 s, reveals at 60, 70."""
    terms = {
        "ruleset": "cats_and_dogs",
        "ruleset_version": 1,
        "options": {"first": None},
        "seats": 3,
        "visibility": "private",
        "pace": None,
        "commitment": referee.commitment(SEED),
    }
    if commits:
        terms |= {"entropy": "commit", "reveal_within": "PT90S"}
    log: Entries = [{"type": "created", "at": at(0), **terms}]
    for seat in range(3):
        player = {"id": f"p{seat}", "name": f"P {seat}"} if seat < 2 else None
        who = {"seat": seat, "player": player, "bot": None if player else "random"}
        given = {"commitment": hashed(WORDS[seat])} if commits and player else {}
        entropy = "" if commits else WORDS[seat]
        log.append({"type": "joined", "at": at(0), **who, "entropy": entropy, **given})
    for seat in (0, 1) if commits else ():
        who = {"seat": seat, "player": log[1 + seat]["player"]}
        log.append({"type": "revealed", "at": at(60 + 10 * seat), **who, "entropy": WORDS[seat]})
    return log


def record(log: Entries, *, entropy: list[str] | None = None, end: float = 200) -> Any:
    """Return the record of a game with this beginning, dealt from the seed and `entropy`.

    Everything is chained as somebody would do it who owns the database.
    """
    entropy = entropy or WORDS
    chance = referee.Noted(referee.game_key(SEED, entropy))
    state, transfers = referee.deal("cats_and_dogs", 3, {}, chance)
    public, private = referee.records.account(state, None, transfers)
    log = [*copy.deepcopy(log), {"type": "started", "at": at(end), **public}]
    log.append({"type": "resigned", "at": at(end), "seat": 0, "player": log[1]["player"]})
    referee.table.conclude(state, referee.resign(state, 0, reason="resigned"))
    log.append({"type": "finished", "at": at(end), "result": state.result, "seed": SEED.hex()})
    head, entries, names = bytes(32), [], {}
    for seq, entry in enumerate(log, 1):
        kind = entry["type"]
        shares = private if kind == "started" else {}
        by = {"by": referee.proofs.by_itself(kind, entry) or "player"} if "seat" in entry else {}
        said: Any = {"seq": seq, **entry, **by}
        made = referee.records.make_entry(head, SEED, said, shares, salt="00" * referee.records.SALT_BYTES)
        head = made.hash
        names |= {str(seq): made.name} if made.name else {}
        shown = {"private": made.private} if made.private else {}
        entries.append({**made.public, **shown, "hash": head.hex()})
    found = {
        **referee.write_record(state, SEED, entropy, []),
        "commitment": referee.commitment(SEED),
        "chance": chance.outcomes,
        "ended": {"type": "resigned", "seat": 0},
        "names": names,
        "entries": entries,
    }
    return json.loads(json.dumps(found))
