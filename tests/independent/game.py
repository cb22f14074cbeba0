"""The game behind a log: chance, cards and results. The `referee` command judges the moves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.independent.deals import DEALS, first_seat, teams
from tests.independent.numbers import FORMAT, chosen, outcome

COMMAND = Path(sys.executable).with_name("referee")
SECRET = {"give": "card", "take": "place"}  # of dog_cards
Entry = dict[str, Any]


class Fault(Exception):
    """What is wrong with a record."""


class Referee:
    """The commands `referee judge`, `referee legal` and `referee deal`, which answer lines of JSON."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[str]] = {}

    def ask(self, command: str, **question: Any) -> dict[str, Any]:
        if command not in self._running:
            pipe = subprocess.PIPE
            self._running[command] = subprocess.Popen([COMMAND, command], stdin=pipe, stdout=pipe, text=True)
        process = self._running[command]
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    def close(self) -> None:
        for process in self._running.values():
            process.communicate()


class Game:
    """A game that is played again; `position` is None before the deal."""

    def __init__(self, record: dict[str, Any], key: bytes, referee: Referee) -> None:
        self.record, self.key, self.referee = record, key, referee
        self.ruleset, self.seats = record["ruleset"], record["seats"]
        self.zones_seen: dict[str, str] = FORMAT["rulesets"][self.ruleset]["zones"]
        self.position: dict[str, Any] | None = None
        self.k = 0
        self.trick: list[tuple[int, str]] = []
        self.last_play = -1
        # Moves that count, each with its entry, what was before it, and whether it showed something.
        self.made: list[tuple[int, Any, bool]] = []

    @property
    def waiting(self) -> list[int]:
        assert self.position is not None
        found: list[int] = [] if self.position["result"] else self.position["to_act"]
        return found

    def _asked(self, command: str, **question: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Ask with as much chance as is necessary; return the answer and the outcomes that were drawn."""
        named = self.record["chance"]
        drawn: list[dict[str, Any]] = []
        while True:
            plain = [{name: value for name, value in each.items() if name != "of"} for each in drawn]
            answer = self.referee.ask(command, **question, chance=plain)
            if "error" not in answer:
                return answer, drawn
            at = self.k + len(drawn)
            if "no outcome is left" not in answer["error"]["detail"]:
                raise Fault(answer["error"]["detail"])
            if at >= len(named):
                raise Fault(f"the record does not name outcome {at}")
            drawn.append(outcome(self.key, at, named[at]))
            if drawn[-1] != named[at]:
                raise Fault(f"outcome {at} does not follow from the seed")

    def deal(self, entry: Entry) -> None:
        record = self.record
        options, version = record["options"], record["version"]
        answer, drawn = self._asked(
            "deal", ruleset=self.ruleset, seats=self.seats, options=options, version=version
        )
        self.position = answer["position"]
        picks = [each["pick"] for each in drawn if "pick" in each]
        facts = answer["position"]["facts"]
        if not first_seat(self.ruleset, self.seats, answer["position"]["options"], facts, picks):
            raise Fault("another seat was picked")
        self._compare_deal(drawn, answer["transfers"])
        self.k = len(drawn)
        self._compare(entry, None, None, answer["transfers"], {"zones": {}, "facts": facts, "scores": None})

    def _compare_deal(self, drawn: list[dict[str, Any]], transfers: list[Any]) -> None:
        """Compare a deal with the one that follows from a shuffle."""
        assert self.position is not None
        cards = next(list(each["shuffle"]) for each in drawn if "shuffle" in each)
        picks = [each["pick"] for each in drawn if "pick" in each]
        due = DEALS[self.ruleset](self.seats, cards, self.position["facts"], picks)
        if due != transfers:
            raise Fault("the deal is another one")

    def move(self, seq: int, seat: int, move: Any, entry: Entry) -> None:
        before = self.position
        state = (before, self.k, [*self.trick], self.last_play)
        if before is None:
            raise Fault("there was no deal")
        answer, drawn = self._asked("judge", position=before, seat=seat, move=move)
        if not answer["verdict"]["legal"]:
            raise Fault(f"an illegal move: {answer['verdict']['rule']}")
        self.position = answer["position"]
        transfers = answer["transfers"]
        dealt = [each for each in transfers if each["from"] is None]
        gathered = [each["from"] for each in transfers if each["to"] is None]
        if dealt and self.ruleset not in ("dog_cards", "mau_mau"):  # these only shuffle a new stock
            self._compare_deal(drawn, dealt)
            order = [zone for zone in before["zones"] if zone in gathered]
            if gathered != order:
                raise Fault("zones are gathered in another order")
        self.k += len(drawn)
        self._compare(entry, seat, move, transfers, before)
        if drawn:
            self.made.clear()
        else:
            self.made.append((seq, state, self._reveals(before, transfers)))

    # --- what an entry says of it ---

    def _seen(self, zone: str | None, facts: dict[str, Any]) -> object:
        """Return who sees a zone: everyone, nobody, or a seat."""
        if zone is None:
            return "nobody"
        name, _, seat = zone.partition(".")
        who = self.zones_seen[f"{name}.*" if seat else name]
        if who == "owner":
            return int(seat)
        if who.startswith("fact "):
            viewer = facts[who.removeprefix("fact ")]
            return "nobody" if viewer is None else viewer
        return who

    def _shown(self, transfers: list[Any], seat: int | None, before: Any, after: Any) -> list[Any]:
        found = []
        for each in transfers:
            seen = {self._seen(each["from"], before["facts"]), self._seen(each["to"], after["facts"])}
            is_open = "everyone" in seen or (seat is not None and seat in seen)
            found.append({**each, "cards": each["cards"] if is_open else [None] * len(each["cards"])})
        return found

    def _reveals(self, before: Any, transfers: list[Any]) -> bool:
        """Return whether a move can never be taken back."""
        after = self.position
        assert after is not None
        if after["result"]:
            return True
        for each in transfers:
            left, came = self._seen(each["from"], before["facts"]), self._seen(each["to"], after["facts"])
            if came not in (left, "nobody") and left != "everyone":
                return True
        for zone in before["zones"]:
            left, came = self._seen(zone, before["facts"]), self._seen(zone, after["facts"])
            if after["zones"][zone] and left not in ("everyone", came) and came != "nobody":
                return True
        return False

    def _compare(
        self, entry: Entry, seat: int | None, move: Any, transfers: list[Any], before: dict[str, Any]
    ) -> None:
        after = self.position
        assert after is not None
        self._conserve(before["zones"], transfers, after["zones"])
        public = self._shown(transfers, None, before, after)
        if entry.get("transfers") != public:
            raise Fault("the transfers are other ones")
        shares: dict[str, Any] = {}
        for each in range(self.seats):
            own = self._shown(transfers, each, before, after)
            if own != public:
                shares[str(each)] = {"transfers": own}
        if move is not None:
            hidden = SECRET.get(move["type"]) if self.ruleset == "dog_cards" else None
            said = "text" if "text" in move else None
            hidden = said or hidden
            if entry.get("move") != {name: value for name, value in move.items() if name != hidden}:
                raise Fault("the public move is another one")
            if hidden and not (said and "all" in entry["seals"] and "all" not in entry.get("private", {})):
                shares.setdefault("all" if said else str(seat), {})["move"] = move
        shown = {
            name: {key: value for key, value in share.items() if key not in ("salt", "signature")}
            for name, share in entry.get("private", {}).items()
        }
        if shown != shares:
            raise Fault("a share is not what the seat saw")
        if move is not None:
            self._compare_scores(entry, seat, move, transfers, before)

    def _conserve(self, before: dict[str, list[str]], transfers: list[Any], after: dict[str, Any]) -> None:
        """Move the cards, each from where it is, and compare where they end."""
        zones = {name: Counter(cards) for name, cards in before.items()}
        for each in transfers:
            cards = Counter(each["cards"])
            if each["from"] is not None:
                if cards - zones.get(each["from"], Counter()):
                    raise Fault("a card was not there")
                zones[each["from"]] -= cards
            if each["to"] is not None:
                zones[each["to"]] = zones.get(each["to"], Counter()) + cards
        if {n: c for n, c in zones.items() if c} != {n: Counter(c) for n, c in after.items() if c}:
            raise Fault("the cards are elsewhere after the move")

    def _compare_scores(
        self, entry: Entry, seat: int | None, move: Any, transfers: list[Any], before: Any
    ) -> None:
        after = self.position
        assert after is not None
        assert seat is not None
        winner = self._won_by(seat, move, transfers, before)
        scores = None if after["scores"] == before["scores"] else after["scores"]
        if entry.get("scores") != scores or entry.get("won_by") != winner:
            raise Fault("the scores or the winner of the trick are other ones")

    def _won_by(self, seat: int, move: dict[str, Any], transfers: list[Any], before: Any) -> int | None:
        moved = [(each["from"], each["to"]) for each in transfers]
        if self.ruleset == "landlord":
            if move["type"] == "play":
                self.last_play = seat
            return self.last_play if move["type"] == "pass" and ("table", "discard") in moved else None
        if self.ruleset in ("bisca", "pedro"):
            won = [to for source, to in moved if source == "trick" and to is not None]
            return int(won[0].partition(".")[2]) if won else None
        if move["type"] == "play" and self.ruleset in ("truco", "cats_and_dogs"):
            self.trick.append((seat, move["card"]))
        if not self.trick or not any(source == "trick" for source, _ in moved):
            return None
        cards, self.trick = self.trick, []
        if move["type"] != "play":
            return None  # a hand that ended by folding
        return _truco(self.seats, cards) if self.ruleset == "truco" else _cats(cards, before["zones"])

    # --- other moves ---

    def legal(self, seat: int) -> list[Any]:
        found: list[Any] = self.referee.ask("legal", position=self.position, seat=seat)["legal"]
        return found

    def is_chosen(self, word: bytes, seat: int, move: Any, *numbers: int) -> bool:
        moves = self.legal(seat)
        return bool(moves) and moves[chosen(self.key, word, len(moves), *numbers)] == move

    def go_back(self, of: int) -> None:
        """Return to the position before a move; only moves that showed nothing can be taken back."""
        taken = [made for made in self.made if made[0] >= of]
        if not taken or taken[0][0] != of or any(made[2] for made in taken):
            raise Fault("takes back what cannot be taken back")
        self.made = [made for made in self.made if made[0] < of]
        self.position, self.k, self.trick, self.last_play = taken[0][1]

    def give_up(self, seats: list[int], reason: str) -> None:
        assert self.position is not None
        if self.position["result"]:
            raise Fault("the game was over")
        lost = sorted(
            {
                mate
                for seat in seats
                for mate in teams(
                    self.ruleset, self.seats, self.position["options"], self.position["facts"], seat
                )
            }
        )
        winners = [seat for seat in range(self.seats) if seat not in lost]
        self.position = {**self.position, "result": {"winners": winners, "losers": lost, "reason": reason}}


def _truco(seats: int, cards: list[tuple[int, str]]) -> int | None:
    order = {"4C": 99, "7D": 98, "AS": 97, "7H": 96}
    strength = [order.get(card, "4567QJKA23".index(card[0])) for _, card in cards]
    best = [seat for (seat, _), each in zip(cards, strength, strict=True) if each == max(strength)]
    return best[0] if len({seat % (seats // 2) for seat in best}) == 1 else None


def _cats(cards: list[tuple[int, str]], before: dict[str, list[str]]) -> int | None:
    table = [(-1, zone[0]) for zone in (before.get("open"), before.get("hidden")) if zone]
    played = cards + table
    sums = {face: sum(int(card[1]) for _, card in played if card[0] == face) for face in "CD"}
    if sums["C"] == sums["D"]:
        return None
    face = max(sums, key=lambda each: sums[each])
    seat = max((card[1], seat) for seat, card in played if card[0] == face)[1]
    return None if seat < 0 else seat
