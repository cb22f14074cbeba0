"""What a forger makes consistent after a lie: seals, hashes, signatures, and the record around the log."""

from __future__ import annotations

from typing import Any

import referee.proofs
import referee.records
import referee.table
from referee.log.entries import ENDINGS, GOING_BACK
from referee.log.words import NEWCOMING, newcomer_of
from referee.proofs.signing import CHOSEN, action_of

Record = dict[str, Any]


def rebuild(record: Record, keys: dict[str, Any]) -> Record:
    """Number, seal, sign and chain all entries again; `keys` are the private keys that the forger has."""
    seed, head, seated = bytes.fromhex(record["seed"]), bytes(32), {}
    log, names = record["entries"], record.get("names", {})
    kept = {}
    for seq, entry in enumerate(log, 1):
        if str(entry.get("seq")) in names and entry.get("type") in NEWCOMING:
            kept[str(seq)] = names[str(entry["seq"])]
        entry["seq"] = seq
        newcomer = newcomer_of(entry) if entry.get("type") in NEWCOMING else None
        if isinstance(newcomer, dict) and "commitment" not in newcomer:
            newcomer["commitment"] = "ab" * 32  # as if the name had been erased
        private = entry.get("private")
        shares: Record = private if isinstance(private, dict) else {}
        kind, seat = entry.get("type"), entry.get("seat")
        if kind in CHOSEN and keys and entry.get("by") == "player" and seated.get(seat) in keys:
            own = next((share for s in (str(seat), "all") if "move" in (share := shares.get(s, {}))), {})
            place = own if "move" in own else entry
            action = action_of(entry, own.get("move", entry.get("move")))
            message = referee.proofs.bytes_to_sign(log[0]["commitment"], head.hex(), action)
            place["signature"] = keys[seated[seat]].sign(message).hex()
        if kind in ("joined", "left"):
            seated[seat] = entry.get("public_key") if kind == "joined" else None
        elif kind == "key_retired":
            seated[seat] = None
        public = {
            name: value for name, value in entry.items() if name not in ("hash", "private", "sealed", "seals")
        }
        if shares and all(isinstance(share, dict) for share in shares.values()):
            shares = referee.records.with_salts(seed, seq, shares)
        made = referee.records.seal_entry(head, seed, public, shares)
        head = made.hash
        entry.update(made.public, hash=head.hex(), **({"private": shares} if shares else {}))
    if "names" in record:
        record["names"] = kept
    return repaired(record)


def repaired(record: Record) -> Record:
    """Let the record say what its log says."""
    moves: list[Record] = []
    ends: list[Record] = []
    first = record["entries"][0]
    resigns = (first.get("pace") or {}).get("on_timeout", "resign") == "resign"
    for entry in record["entries"]:
        kind = entry.get("type")
        if kind == "moved":
            beside = {name: entry[name] for name in ("seq", "at", "hash")}
            move = referee.table.full_move(entry, entry.get("private", {}))
            moves.append({"seat": entry["seat"], "move": move, **beside})
        elif kind in GOING_BACK:
            moves = [each for each in moves if each["seq"] < entry["of"]]
        elif kind in ENDINGS and (kind != "timed_out" or resigns):
            ends.append(entry)
        elif kind == "finished":
            record["result"] = entry["result"]
        elif kind in ("joined", "revealed") and entry["entropy"] and entry["seat"] < len(record["entropy"]):
            record["entropy"][entry["seat"]] = entry["entropy"]
    record["moves"] = moves
    record["ended"] = None
    if record["entries"][-1].get("type") == "cancelled":
        record["result"] = None
    if ends:
        seats = [each.get("seat") for each in ends]
        also = {"seats": seats} if len(seats) > 1 else {}
        who = {"seat": seats[0], **also} if "seat" in ends[0] else ends[0].get("ruling", {})
        record["ended"] = {"type": ends[0]["type"], **who}
    for name in ("options", "commitment"):
        record[name] = first.get(name, record[name])
    if record.pop("test_clock", None) or "test_clock" in first:
        record |= {"test_clock": first["test_clock"]} if "test_clock" in first else {}
    return record
