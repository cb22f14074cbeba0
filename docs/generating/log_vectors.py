"""Test vectors: the steps of docs/reference/log-format.md with numbers, as log_format.py writes them."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.bots
import referee.clocks
import referee.positions
import referee.proofs
import referee.records
from docs.generating import log_records
from docs.generating.log_records import ENTROPY, OPTIONS, SEED
from referee.log.chain import seat_salt, share_seal
from referee.log.times import duration, later, offset, read_time, timestamp
from referee.proofs import merkle
from referee.proofs.cosigning import cosignature
from referee.proofs.receipts import COSIGNING, Key, checkpoint, signed_note

GAME = "0195f000-0000-7000-8000-000000000000"
OLD_SIGNING = Ed25519PrivateKey.from_private_bytes(sha256(b"a server's older test key").digest())
SIGNING = Ed25519PrivateKey.from_private_bytes(sha256(b"a server's test key").digest())
WITNESSING = Ed25519PrivateKey.from_private_bytes(sha256(b"a witness's test key").digest())
PLAYING = Ed25519PrivateKey.from_private_bytes(sha256(b"a player's test key").digest())


def vectors() -> dict[str, Any]:
    """Return the steps of docs/reference/log-format.md with numbers."""
    key = referee.game_key(SEED, ENTROPY)
    record = log_records.example()
    started = record["entries"][4]
    return {
        "canonical": [
            {"value": value, "text": referee.records.canonical(value).decode()}
            for value in (
                {"b": [1, None, True], "a": "Zoë"},
                {"\ue000": 1, "\U0001f600": 2},
                {"x": '"\\/\n\u0001'},
            )
        ],
        "commitment": {"seed": SEED.hex(), "commitment": referee.commitment(SEED)},
        "key": {
            "seed": SEED.hex(),
            "entropy": ENTROPY,
            "message": (
                b"card-referee/1" + b"".join(bytes([len(e.encode())]) + e.encode() for e in ENTROPY)
            ).hex(),
            "key": key.hex(),
        },
        "outcomes": _outcomes(key),
        "places": _places(key),
        "salts": {
            "seq": 5,
            "salt": hmac.digest(SEED, b"salt" + (5).to_bytes(4, "big"), "sha256").hex(),
            "shares": {str(seat): seat_salt(SEED, 5, seat) for seat in range(3)},
        },
        "seals": {
            "private": started["private"],
            "canonical": referee.records.canonical(started["private"]).decode(),
            "sealed": referee.records.seal(SEED, 5, started["private"]),
            "seals": {seat: share_seal(share) for seat, share in started["private"].items()},
        },
        "hashes": [
            {
                "previous": before,
                "public": referee.records.canonical(_public(entry)).decode(),
                "hash": entry["hash"],
            }
            for before, entry in zip(
                ["00" * 32, *(entry["hash"] for entry in record["entries"])],
                record["entries"][:2],
                strict=False,
            )
        ],
        "bots": [_choice(key, name) for name in ("cautious", "skilled-1")],
        "signature": _signature(record),
        "receipt": _receipt(record),
        "leaves": _leaves(record),
        "proofs": _proofs(),
        "cosignature": _cosignature(),
        "times": _times(),
        "record": record,
        "clocks": log_records.clocks(),
        "hand_overs": log_records.handed_over(),
        "bundle": _bundle(record),
    }


def _public(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in ("hash", "private")}


def _outcomes(key: bytes) -> dict[str, Any]:
    chance = referee.Seeded(key)
    deck = [f"{face}{strength}" for face in "CD" for strength in range(1, 10)]
    block = hmac.digest(key, (0).to_bytes(4, "big") + (0).to_bytes(4, "big"), "sha256")
    found: list[dict[str, Any]] = [{"of": 3, "pick": chance.pick(3)}]
    found += [{"cards": deck, "shuffle": chance.shuffle(deck)}, {"of": 52, "pick": chance.pick(52)}]
    words = [int.from_bytes(block[n : n + 4], "big") for n in range(0, 32, 4)]
    return {"key": key.hex(), "words_of_outcome_0": words, "outcomes": found}


def _places(key: bytes) -> dict[str, Any]:
    """Return moves that nobody has chosen: their places in a list of 7, for entry 12."""
    below = referee.bots.bot_numbers(key, 12)
    late = hmac.digest(key, b"timeout" + (12).to_bytes(4, "big"), "sha256")
    return {
        "key": key.hex(),
        "seq": 12,
        "moves": 7,
        "late": int.from_bytes(late, "big") % 7,
        "bot": [below(7), below(7), below(2**32)],
    }


def _choice(key: bytes, name: str) -> dict[str, Any]:
    """Return the choice of a bot at its first turn, with the first numbers that it takes for entry 12."""
    state, _ = referee.deal("cats_and_dogs", 2, {}, referee.Seeded(key))
    (seat,) = state.to_act
    below = referee.bots.bot_numbers(key, 12)
    numbers: list[dict[str, int]] = []

    def noted(limit: int) -> int:
        numbers.append({"below": limit, "number": below(limit)})
        return numbers[-1]["number"]

    shown = {**referee.view(state, seat), "options": OPTIONS["cats_and_dogs"]}
    moves = referee.legal_moves(state, seat)
    move = referee.bot_move(name, state, seat, noted)
    return {
        "bot": name,
        "key": key.hex(),
        "seq": 12,
        "seat": seat,
        "view": shown,
        "moves": moves,
        "numbers": numbers[:30],
        "count_of_numbers": len(numbers),
        "move": move,
    }


def _signature(record: dict[str, Any]) -> dict[str, Any]:
    action = {"type": "moved", "seat": 0, "move": {"type": "play", "card": "C1"}}
    message = referee.proofs.bytes_to_sign(record["commitment"], record["entries"][4]["hash"], action)
    return {
        "public_key": PLAYING.public_key().public_bytes_raw().hex(),
        "message": message.decode(),
        "signature": PLAYING.sign(message).hex(),
    }


def _receipt(record: dict[str, Any]) -> dict[str, Any]:
    key = Key("referee.example", SIGNING.public_key().public_bytes_raw())
    last = record["entries"][-1]
    text = checkpoint(f"referee.example/{GAME}", last["seq"], bytes.fromhex(last["hash"]))
    return {"vkey": key.vkey, "note": signed_note(text, key, SIGNING.sign(text.encode()))}


def _leaves(record: dict[str, Any]) -> dict[str, Any]:
    ends = [record["entries"][0], record["entries"][-1]]
    leaves = [referee.proofs.leaf(entry, record["commitment"], entry["hash"]) for entry in ends]
    hashes = [referee.proofs.leaf_hash(leaf) for leaf in leaves]
    return {
        "data": [leaf.decode() for leaf in leaves],
        "hashes": [hash_.hex() for hash_ in hashes],
        "root": referee.proofs.node_hash(*hashes).hex(),
    }


def _tree() -> list[bytes]:
    return [sha256(b"\0" + str(number).encode()).digest() for number in range(7)]


def _node(level: int, index: int, leaves: Sequence[bytes] | None = None) -> bytes:
    """Return the root of the leaves from index · 2^level on, 2^level of them."""
    if level == 0:
        return (leaves or _tree())[index]
    return referee.proofs.node_hash(*(_node(level - 1, 2 * index + side, leaves) for side in (0, 1)))


def _proofs() -> dict[str, Any]:
    """Prove that some leaves are in a tree of seven, and that smaller trees are its beginning."""
    sizes = range(1, 8)
    return {
        "leaves": [hash_.hex() for hash_ in _tree()],
        "roots": {str(size): merkle.tree_root(size, _node).hex() for size in sizes},
        "inclusion": [
            {
                "index": index,
                "size": size,
                "proof": [hash_.hex() for hash_ in merkle.prove_inclusion(index, size, _node)],
            }
            for index, size in ((0, 1), (0, 7), (3, 7), (6, 7), (4, 6))
        ],
        "consistency": [
            {
                "first": first,
                "second": 7,
                "proof": [hash_.hex() for hash_ in merkle.prove_consistency(first, 7, _node)],
            }
            for first in (1, 3, 4, 6)
        ],
    }


def _cosignature() -> dict[str, Any]:
    """Cosign a checkpoint, and give a policy that wants this witness."""
    server = Key("referee.example", SIGNING.public_key().public_bytes_raw())
    text = checkpoint("referee.example/games", 7, merkle.tree_root(7, _node))
    note = signed_note(text, server, SIGNING.sign(text.encode()))
    witness = Key("witness.example", WITNESSING.public_key().public_bytes_raw(), kind=COSIGNING)
    line = cosignature(note, witness, WITNESSING.sign, 1_772_366_400)
    names = f"log {server.vkey}\nwitness first {witness.vkey}\n"
    return {
        "vkey": witness.vkey,
        "time": 1_772_366_400,
        "note": note + line,
        "policy": f"{names}quorum first\n",
    }


def _bundle(record: dict[str, Any]) -> dict[str, Any]:
    """Return a bundle with all evidence, a policy, and the verdict on it and on what is left without some.

    The policy pins the key before the one that signed the receipt and the checkpoint.
    """
    key, old = (
        Key("referee.example", private.public_key().public_bytes_raw()) for private in (SIGNING, OLD_SIGNING)
    )
    ends = [record["entries"][0], record["entries"][-1]]
    data = [referee.proofs.leaf(entry, record["commitment"], entry["hash"]) for entry in ends]
    hashes = [*_tree()[:5], referee.proofs.leaf_hash(data[0]), referee.proofs.leaf_hash(data[1])]
    root = merkle.tree_root(7, lambda level, index: _node(level, index, hashes))
    text = checkpoint("referee.example/games", 7, root)
    note = signed_note(text, key, SIGNING.sign(text.encode()))
    witness = Key("witness.example", WITNESSING.public_key().public_bytes_raw(), kind=COSIGNING)
    leaves = [
        {
            "index": index,
            "data": leaf.decode(),
            "proof": [
                hash_.hex()
                for hash_ in merkle.prove_inclusion(index, 7, lambda level, at: _node(level, at, hashes))
            ],
        }
        for index, leaf in enumerate(data, 5)
    ]
    endorsement = f"referee.example/keys\n{key.vkey}\n"
    times = {"valid_from": "2026-02-01T00:00:00.000000Z", "valid_until": None, "restored": False}
    signed = note + cosignature(note, witness, WITNESSING.sign, 1_772_366_700)
    inclusion = {"checkpoint": signed, "size": 7, "root": root.hex(), "leaves": leaves}
    endorsed = signed_note(endorsement, old, OLD_SIGNING.sign(endorsement.encode()))
    keys = [
        {"vkey": key.vkey, **times, "endorsement": endorsed},
        {"vkey": old.vkey, **times, "valid_until": times["valid_from"], "endorsement": None},
    ]
    short, wrong = "not enough evidence yet", "contradicted"
    return {
        "bundle": {
            "format": "card-referee-bundle/1",
            "record": {**record, "game": GAME, "inclusion": inclusion},
            "receipts": [_receipt(record)["note"]],
            "keys": keys,
        },
        "policy": f"log {old.vkey}\nwitness first {witness.vkey}\nquorum first\n",
        "verdict": "proved",
        "changes": [
            {"path": path, "value": value, "verdict": verdict}
            for path, value, verdict in (
                (["receipts"], [], short),
                (["record", "inclusion"], None, short),
                (["record", "inclusion", "leaves"], leaves[:1], short),
                (["record", "inclusion", "checkpoint"], None, short),
                (["record", "inclusion", "checkpoint"], note, short),
                (["record", "inclusion", "root"], "00" * 32, wrong),
                (["record", "inclusion", "leaves", 0, "index"], 4, wrong),
                (["record", "game"], "0195f000-0000-7000-8000-000000000001", wrong),
                (["record", "entries", 1, "player", "name"], "Eve", wrong),
                (["record", "seed"], None, wrong),
                (["record", "inclusion", "leaves"], leaves[1:], short),
                (["keys", 0, "endorsement"], None, short),
                (["keys"], [], short),
            )
        ],
    }


def _times() -> list[dict[str, Any]]:
    """Return deadlines: `length` counted from `start`."""
    cases = (
        ("2026-03-06T20:00:00.000000Z", "PT4H", True, "+00:00"),  # to the end of Friday
        ("2026-03-06T20:00:00.000000Z", "PT4H0.000001S", True, "+00:00"),
        ("2026-03-07T05:00:00.000000Z", "PT120H", True, "+00:00"),  # from Saturday: a week of five days
        ("2026-03-07T05:00:00.000000Z", "PT120H", True, "-05:30"),  # there, it is still Friday
        ("2026-03-06T20:00:00.000000Z", "PT4H", True, "+01:00"),
        ("2026-03-07T05:00:00.000000Z", "PT120H", False, "+00:00"),
        ("9999-12-29T00:00:00.000000Z", "P2D", False, "+00:00"),
    )
    return [
        {
            "start": start,
            "length": length,
            "quiet_weekends": quiet,
            "weekends": weekends,
            "deadline": timestamp(later(read_time(start), duration(length), quiet, offset(weekends))),  # type: ignore[arg-type]
        }
        for start, length, quiet, weekends in cases
    ]
