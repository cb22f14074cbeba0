"""Verify a record and its log, from docs/reference/log-format.md alone: `verify(record, referee)`."""

from __future__ import annotations

import re
from typing import Any

from tests.independent.clocks import MEMBERS, TIMED, Clocks
from tests.independent.game import Fault, Game, Referee
from tests.independent.numbers import FORMAT, canonical, game_key, hashed, mac, nanoseconds, u32
from tests.independent.table import Dealing, Table

TYPES: dict[str, Any] = FORMAT["types"]
Entry = dict[str, Any]


def is_typed(shape: Any, value: Any) -> bool:
    """Return whether a value has the JSON types of a shape of docs/reference/log-format.json."""
    if isinstance(shape, str):
        kinds = {"text": str, "integer": int, "boolean": bool}
        return shape == "entry" or type(value) is kinds[shape]
    ((name, inner),) = shape.items()
    if name == "maybe":
        return value is None or is_typed(inner, value)
    if name == "one":
        return value in inner
    if name == "list":
        return isinstance(value, list) and all(is_typed(inner, item) for item in value)
    if not isinstance(value, dict):
        return False
    if name == "map":
        return all(is_typed(inner, item) for item in value.values())
    if name == "fields":
        return all(key in inner and is_typed(inner[key], item) for key, item in value.items())
    known = all(is_typed(kind, value[key]) for key, kind in inner.items() if key in value)
    return known and is_whole(value)


def is_whole(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(is_whole, value.values()))
    return all(map(is_whole, value)) if isinstance(value, list) else type(value) is not float


class Verifier:
    """A verification of one record; `check` raises Fault for the first thing that is wrong."""

    def __init__(self, record: Entry, referee: Referee) -> None:
        self.record, self.referee = record, referee
        self.skipped: set[str] = set()
        self.stage = "nothing"
        self.head, self.at = bytes(32), 0
        self.ends: list[Entry] = []
        self.decided = False
        self.finished: Entry | None = None
        self.listed: list[tuple[int, Entry]] = []
        self.clocks: Clocks | None = None

    def check(self) -> None:
        record = self.record
        if record["format"] != "card-referee/1":
            raise Fault("another format")
        for name, value in record.items():
            if name not in FORMAT["record"] or not is_typed(FORMAT["record"][name], value):
                raise Fault(f"the record has an unknown member, or one of another type: {name}")
        self.seed = bytes.fromhex(record["seed"])
        self.origin()
        self.key = game_key(self.seed, record["entropy"])
        self.game = Game(record, self.key, self.referee)
        if not record["entries"]:
            raise Fault("there is no log")
        for number, written in enumerate(record["entries"], 1):
            try:
                self.read(number, written)
            except Fault as fault:
                raise Fault(f"entry {number}: {fault}") from None
        self.end()

    def origin(self) -> None:
        record = self.record
        log = [entry for entry in record["entries"] if entry.get("origin") == "imported"]
        origin = record.get("origin") or "dealt"
        if origin not in ("dealt", "imported") or (log and origin != "imported"):
            raise Fault("where the game came from")
        if origin != "imported" and record.get("imported_by") is not None:
            raise Fault("who imported the game")

    def links(self, number: int, entry: Entry) -> None:
        if entry.get("seq") != number or type(entry["seq"]) is not int:
            raise Fault("another number")
        at = nanoseconds(entry["at"])
        if at < self.at:
            raise Fault("earlier than the entry before")
        public = {name: value for name, value in entry.items() if name not in ("hash", "private")}
        self.head = bytes.fromhex(hashed(self.head, canonical(public)))
        if entry["hash"] != self.head.hex():
            raise Fault("another hash")
        self.at = at

    def members(self, entry: Entry) -> None:
        known = {*FORMAT["every"], *TYPES[entry["type"]]["members"]}
        if not entry.keys() >= {*TYPES[entry["type"]]["needed"]}:
            raise Fault("a member is missing")
        for name, value in entry.items():
            if name not in known or not is_typed(FORMAT["members"][name], value):
                raise Fault(f"an unknown member, or one of another type: {name}")
            if name in FORMAT["marks"] and value is not True:
                raise Fault("a mark can only be true")

    def seals(self, number: int, entry: Entry) -> None:
        self.name(number, entry)
        private, seals = entry.get("private", {}), entry.get("seals", {})
        if not private and not seals and "sealed" not in entry:
            return
        if "all" in seals and not self.has_text(entry):
            raise Fault("the seal of a text where none is")
        erased = {"all"} if "all" in seals and "all" not in private else set()
        whole = hashed(mac(self.seed, b"salt", u32(number)), canonical(private))
        if "sealed" not in entry or (not erased and entry["sealed"] != whole):
            raise Fault("another private part was sealed")
        seals = {seat: seal for seat, seal in seals.items() if seat not in erased}
        if seals != {seat: hashed(canonical(share)) for seat, share in private.items()}:
            raise Fault("another share was sealed")
        for seat, share in private.items():
            if seat == "all":
                if "salt" not in share or ("text" if entry["type"] == "said" else "move") not in share:
                    raise Fault("a share of everybody without a text or without a salt")
                continue
            due = mac(self.seed, b"salt", u32(number), u32(int(seat)))[:16].hex()
            if share.get("salt") != due:
                raise Fault("another salt")

    def has_text(self, entry: Entry) -> bool:
        texts = FORMAT["rulesets"][self.record["ruleset"]]["texts"]
        return entry["type"] == "said" or (entry["type"] == "moved" and entry["move"]["type"] in texts)

    def name(self, number: int, entry: Entry) -> None:
        """Check the hash of a newcomer's name, and the name if it was not erased."""
        comes = entry["type"] in ("joined", "replacement_agreed")
        player = entry.get("replacement", entry)["player"] if comes else None
        named = (self.record.get("names") or {}).get(str(number))
        other = entry.get("player")
        if other is not None and other is not player and "commitment" in other:
            raise Fault("the hash of the name of somebody who does not come")
        if player is None:
            if named is not None:
                raise Fault("a name of nobody")
        elif "commitment" not in player or (
            named is not None and hashed(canonical(named)) != player["commitment"]
        ):
            raise Fault("another name of a newcomer")

    def read(self, number: int, entry: Entry) -> None:
        previous = self.head.hex()
        self.links(number, entry)
        if entry.get("type") not in TYPES:
            raise Fault("an unknown type")
        self.members(entry)
        kind, stage = entry["type"], self.stage
        if stage not in TYPES[kind]["stages"] or (self.decided and kind not in ("said", "finished")):
            raise Fault(f"{kind} in stage {stage}")
        if kind == "created":
            self.create(entry)
        self.seals(number, entry)
        running = stage == "running"
        self.table.agree(number, entry)
        self.table.act(entry, previous)
        self.table.sit(entry, running)
        if entry["type"] == "nudged" and entry["nudge"]["seat"] not in self.game.waiting:
            raise Fault("nudges somebody for whom the game does not wait")
        self.dealing.read(entry, running)
        resigns = self.clocks is None or self.clocks.pace["on_timeout"] == "resign"
        if TYPES[kind]["then"] and (resigns or "resigns" not in TYPES[kind]):
            self.stage = TYPES[kind]["then"]
        step = getattr(self, f"on_{kind}", None)
        if step is not None:
            step(number, entry, stage)
        self.clock(kind, entry)

    def clock(self, kind: str, entry: Entry) -> None:
        if kind == "time_returned" and self.game.position is None:  # the time to reveal
            if "deadlines" in entry:
                raise Fault("names deadlines before the deal")
            return
        if self.clocks is None:
            if (
                (kind in TIMED and not (self.table.is_copied and kind == "timed_out"))
                or "random" in entry
                or any(name in entry for name in MEMBERS)
            ):
                raise Fault("times in a game without a pace")
            return
        running = self.game.position is not None
        waiting = self.game.waiting if running else []
        self.clocks.read(entry, waiting, running)

    def create(self, entry: Entry) -> None:
        record = self.record
        due = {"ruleset": record["ruleset"], "ruleset_version": record["version"], "seats": record["seats"]}
        if {name: entry.get(name) for name in due} != due or entry.get("test_clock") != record.get(
            "test_clock"
        ):
            raise Fault("other terms")
        if entry.get("options") != record["options"]:
            raise Fault("other options")
        if "test_clock" in entry and not re.fullmatch(
            "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", entry["test_clock"]
        ):
            raise Fault("a test clock that is none")
        if ("imported_by" in entry) != (entry.get("origin") == "imported"):
            raise Fault("imported by nobody")
        if not entry["commitment"] == record.get("commitment", entry["commitment"]) == hashed(self.seed):
            raise Fault("another commitment")
        self.table, self.dealing = Table(entry), Dealing(entry)
        if entry.get("pace") is not None:
            self.clocks = Clocks(entry)

    def on_started(self, number: int, entry: Entry, stage: str) -> None:
        record = self.record
        if self.dealing.given() != record["entropy"]:
            raise Fault("other entropy")
        self.game.deal(entry)

    def on_moved(self, number: int, entry: Entry, stage: str) -> None:
        seat = entry["seat"]
        shares = entry.get("private", {})
        seen = [shares[name] for name in (str(seat), "all") if "move" in shares.get(name, {})]
        move = seen[0]["move"] if seen else entry["move"]
        if (
            "all" in entry.get("seals", {}) and "all" not in shares
        ):  # erased; only one type of move has a text
            move = {**move, "text": "…"}
        self.check_choice(number, entry, seat, move)
        self.game.move(number, seat, move, entry)
        self.decided = bool(self.game.position and self.game.position["result"])
        named = {"seat": seat, "move": move, **{name: entry[name] for name in ("seq", "at", "hash")}}
        self.listed.append((number, named))

    def check_choice(self, number: int, entry: Entry, seat: int, move: Any) -> None:
        position = self.game.position
        assert position is not None
        if entry.get("random"):
            passive = {"type": FORMAT["rulesets"][self.record["ruleset"]]["passive"].get(position["phase"])}
            is_passive = passive in self.game.legal(seat)
            if is_passive and move != passive:
                raise Fault("no passive move")
            if is_passive:
                return
            if self.clocks is not None and self.clocks.pace["on_timeout"] == "bot":
                self.skipped.add("moves of the bot cautious")
            elif not self.game.is_chosen(b"timeout", seat, move, number):
                raise Fault("another move for a late seat")
        elif entry.get("bot") is not None:
            if seat not in self.game.waiting:
                raise Fault("a bot moves out of turn")
            if entry["bot"] != "random":
                self.skipped.add(f"moves of the bot {entry['bot']}")
            elif not self.game.is_chosen(b"bot", seat, move, number, 0):
                raise Fault("a bot makes another move")

    def on_taken_back(self, number: int, entry: Entry, stage: str) -> None:
        self.game.go_back(entry["of"])
        self.listed = [each for each in self.listed if each[0] < entry["of"]]

    on_timeout_undone = on_taken_back

    def on_resigned(self, number: int, entry: Entry, stage: str) -> None:
        self.ends.append(entry)

    def on_timed_out(self, number: int, entry: Entry, stage: str) -> None:
        if self.clocks is not None and self.clocks.pace["on_timeout"] == "resign":
            if entry["seat"] in [end["seat"] for end in self.ends]:
                raise Fault("a seat is named twice")
            self.ends.append(entry)

    def on_dropped(self, number: int, entry: Entry, stage: str) -> None:
        self.ends.append(entry)

    def on_drawn(self, number: int, entry: Entry, stage: str) -> None:
        self.ends.append(entry)
        self._decide({"winners": [*range(self.record["seats"])], "losers": [], "reason": "drawn"})

    def on_adjudicated(self, number: int, entry: Entry, stage: str) -> None:
        self.ends.append(entry)
        named = [*entry["ruling"]["winners"], *entry["ruling"]["losers"]]
        if len({*named}) < len(named) or not {*named} <= {*range(self.record["seats"])}:
            raise Fault("no ruling about this table")
        self._decide({**entry["ruling"], "reason": "adjudicated"})

    def _decide(self, result: Entry) -> None:
        assert self.game.position is not None
        self.game.position |= {"phase": "over", "to_act": [], "result": result}

    def on_cancelled(self, number: int, entry: Entry, stage: str) -> None:
        self.ends.append(entry)
        self.dealing.cancel(nanoseconds(entry["at"]) // 1000, stage == "forfeited")

    def on_finished(self, number: int, entry: Entry, stage: str) -> None:
        if self.ends and self.ends[0]["type"] not in ("drawn", "adjudicated"):
            seats = [end["seat"] for end in self.ends]
            self.game.give_up(seats, self.ends[0]["type"])
        position = self.game.position
        if position is None or position["result"] is None or entry["result"] != position["result"]:
            raise Fault("another result")
        if entry["seed"] != self.record["seed"]:
            raise Fault("another seed")
        self.finished = entry

    def end(self) -> None:
        record = self.record
        if self.stage in ("given up", "timed out", "forfeited", "decided") or (
            self.decided and self.finished is None
        ):
            raise Fault("the log ends too early")
        if record.get("result") != (self.finished and self.finished["result"]):
            raise Fault("the record has another result")
        if self.game.position is None and self.dealing.given() != record["entropy"]:
            raise Fault("other entropy")
        if self.table.left is not None:
            raise Fault("a seat was left")
        if self.table.out:
            raise Fault("a seat is not out that should be")
        if len(record.get("chance") or []) != self.game.k:
            raise Fault("outcomes that were never drawn")
        self.end_of_moves()

    def end_of_moves(self) -> None:
        record = self.record
        if len(record["moves"]) != len(self.listed):
            raise Fault("other moves are listed")
        for listed, (_, made) in zip(record["moves"], self.listed, strict=True):
            if (
                any(made.get(name) != value for name, value in listed.items())
                or not {"seat", "move"} <= listed.keys()
            ):
                raise Fault("another move is listed")
        seats = [end.get("seat") for end in self.ends]
        due: Entry | None = {"type": self.ends[0]["type"], "seat": seats[0]} if self.ends else None
        if due and len(seats) > 1:
            due["seats"] = seats
        if due and "ruling" in self.ends[0]:
            due |= self.ends[0]["ruling"]
        ended = record.get("ended")
        if due is None or ended is None:
            if due != ended:
                raise Fault("the record ends in another way")
        elif {name: value for name, value in ended.items() if value is not None} != {
            name: value for name, value in due.items() if value is not None
        }:
            raise Fault("the record ends in another way")


def verify(record: Entry, referee: Referee) -> tuple[str | None, set[str]]:
    """Return what is wrong with a record (None: nothing), and what was not checked."""
    verifier = Verifier(record, referee)
    try:
        verifier.check()
    except Fault as fault:
        return str(fault), verifier.skipped
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        return f"it cannot be read: {error!r}", verifier.skipped
    return None, verifier.skipped
