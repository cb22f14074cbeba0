"""What the page says about a game, in Node: every entry, title and chip of every ruleset has a text."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.texts
from api.rulesets import rulesets as rules
from tests.referee.logged import logged
from tests.support.node import NODE

RUNNER = Path(__file__).with_name("model.mjs")
ODD = re.compile(r"undefined|NaN|\[object|\bnull\b|_")


# What no person says of a move: names of fields, and what has no value.
MACHINE = re.compile(
    r"[{}()]|undefined|null|NaN|\b(position|place|owner|Stelle|Platz|posición|posição|lugar) \d|  "
)


def ask(ruleset: str, seats: int, language: str = "en") -> tuple[dict[str, Any], dict[str, Any]]:
    record = logged(ruleset, seats, number=2, most=120)
    people = [
        {"seat": seat, "player": {"id": str(seat), "name": f"Anna {seat}"}, "bot": None, "open": False}
        for seat in range(seats)
    ]
    games = [
        {
            "ruleset": ruleset,
            "seats": people,
            "options": record["options"],
            "status": "running",
            "to_act": step.state.to_act[:],
            "result": step.state.result,
            "viewer": {"seats": [0]},
            "view": referee.view(step.state, 0),
        }
        for step in referee.steps(referee.read_record(record))
    ]
    question = {"games": games, "entries": record["entries"], "ruleset": rules.ruleset(ruleset, language)}
    done = subprocess.run(
        [NODE, RUNNER], input=json.dumps(question) + "\n", capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return record, json.loads(done.stdout)


GAMES = {game.ID: game for game in referee.newest()}


@pytest.mark.parametrize("ruleset", GAMES)
def test_everything_has_a_text(ruleset: str) -> None:
    for seats in {GAMES[ruleset].SEATS[0], GAMES[ruleset].SEATS[-1]}:
        _, answer = ask(ruleset, seats)
        assert len(answer["told"]) > 100
        assert [text for text in answer["told"] if ODD.search(text)] == []


@pytest.mark.parametrize(
    ("ruleset", "seats"), [("truco", 4), ("bisca", 3), ("pedro", 4), ("cats_and_dogs", 3)]
)
def test_a_full_trick_is_known_from_the_entry_that_ends_it(ruleset: str, seats: int) -> None:
    _, answer = ask(ruleset, seats)
    assert answer["tricks"]
    for trick in answer["tricks"]:
        assert len(trick["cards"]) == len(trick["by"]) == (4 if ruleset == "truco" else seats)
        assert None not in trick["by"]
        assert len(set(trick["by"])) == len(trick["by"])
        if trick["won_by"] is not None:
            assert trick["won_by"] in trick["by"]


def in_node(script: str) -> Any:
    command = [NODE, "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=RUNNER.parents[2])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_many_kinds_of_moves_are_all_named_in_the_title() -> None:
    kinds = ("lay", "buy", "search", "discard")
    game = {"to_act": [0], "viewer": {"seats": [0]}, "status": "running", "seats": []}
    script = f"""import {{title}} from "./api/web/model/model.js";
        const moves = {json.dumps(kinds)}.map(type => ({{type}}));
        const ruleset = {json.dumps(rules.ruleset("dog_cards"), default=list)};
        console.log(JSON.stringify(title({json.dumps(game)}, {{moves}}, ruleset)));"""
    assert in_node(script) == ["Your turn: lay, buy, search or discard"]


@pytest.mark.parametrize(
    ("ruleset", "kinds", "said"),
    [
        ("palace", ["swap", "ready"], "Your turn: swap a card or be ready"),
        ("palace", ["flip"], "Your turn: turn over a card"),
        ("bisca", ["cut", "tap"], "Your turn: cut or tap instead of cutting"),
        ("mau_mau", ["play", "draw"], "Your turn: play cards or draw a card"),
    ],
)
def test_the_title_says_what_is_possible_as_people_say_it(ruleset: str, kinds: list[str], said: str) -> None:
    game = {"to_act": [0], "viewer": {"seats": [0]}, "status": "running", "seats": []}
    script = f"""import {{learn}} from "./api/web/texts.js";
        import {{title}} from "./api/web/model/model.js";
        const moves = {json.dumps(kinds)}.map(type => ({{type}}));
        const ruleset = {json.dumps(rules.ruleset(ruleset), default=list)};
        learn(ruleset.words);
        console.log(JSON.stringify(title({json.dumps(game)}, {{moves}}, ruleset)));"""
    assert in_node(script) == [said]


@pytest.mark.parametrize("language", ["en", "de", "es", "pt"])
@pytest.mark.parametrize("ruleset", GAMES)
def test_the_log_is_told_as_people_tell_it(ruleset: str, language: str) -> None:
    _, answer = ask(ruleset, GAMES[ruleset].SEATS[-1], language)
    assert len(answer["log"]) > 50
    assert [line for line in answer["log"] if MACHINE.search(line)] == []


@pytest.mark.parametrize(
    ("ruleset", "language", "move", "moved", "told"),
    [
        ("palace", "en", {"type": "flip", "position": 2}, ("down.0", "7C"), "Anna turns over 7C."),
        ("palace", "de", {"type": "pick_up"}, ("pile", "7C"), "Anna nimmt den Stapel auf."),
        (
            "dog_cards",
            "en",
            {"type": "buy", "card": "3", "position": 4},
            ("open", "9"),
            "Anna buys 9 with 3.",
        ),
        (
            "dog_cards",
            "en",
            {"type": "search", "take": "5"},
            ("discard", "5"),
            "Anna takes 5 from the discard pile.",
        ),
        (
            "dog_cards",
            "en",
            {"type": "lay", "card": "3", "row": 1, "owner": 0},
            ("hand.0", "3"),
            "Anna lays 3 in Anna’s row 1.",
        ),
        ("mau_mau", "en", {"type": "thumb"}, ("", ""), "Anna puts a thumb on the table."),
        (
            "mau_mau",
            "en",
            {"type": "play", "cards": ["AH"], "suit": "C", "announce": True},
            ("hand.0", "AH"),
            "Anna plays AH, calls C and announces the last card.",
        ),
        ("pies", "en", {"type": "beat", "card": "KD"}, ("hand.0", "KD"), "Anna beats it with KD."),
        ("pedro", "de", {"type": "discard", "cards": ["3C"]}, ("hand.0", "3C"), "Anna legt 3C ab."),
        ("pedro", "de", {"type": "pass"}, ("", ""), "Anna passt."),
        ("pedro", "en", {"type": "bid", "points": 8}, ("", ""), "Anna bids 8."),
    ],
)
def test_some_moves_in_full(
    ruleset: str, language: str, move: dict[str, Any], moved: tuple[str, str], told: str
) -> None:
    zone, card = moved
    transfers = [{"from": zone, "to": "pile", "cards": [card]}] if zone else []
    entry = {"type": "moved", "seat": 0, "move": move, "transfers": transfers}
    script = f"""import {{learn}} from "./api/web/texts.js";
        import {{sentences}} from "./api/web/model/sentences.js";
        const ruleset = {json.dumps(rules.ruleset(ruleset, language), default=list)};
        learn(ruleset.words);
        const game = {{seats: [{{player: {{name: "Anna"}}}}]}};
        const plain = part => part.name ?? part.suit ?? part.cards?.join(" ") ?? part;
        const [told] = sentences({json.dumps(entry)}, game, null, ruleset);
        console.log(JSON.stringify(told.map(plain).join("")));"""
    assert in_node(script) == told


def choices(ruleset: str, moves: list[Any]) -> Any:
    """Return what the page offers for these moves before anything is chosen."""
    table = {"moves": moves, "complete": True, "seat": 0, "zones": {}}
    script = f"""import {{NOTHING, options}} from "./api/web/model/compose.js";
        const specs = {json.dumps(rules.ruleset(ruleset), default=list)}.moves;
        console.log(JSON.stringify(options(NOTHING, {{...{json.dumps(table)}, specs}})));"""
    return in_node(script)


def test_the_cut_in_the_middle_is_proposed_beside_the_tap() -> None:
    offered = choices("bisca", [{"type": "tap"}, *({"type": "cut", "at": n} for n in range(1, 40))])
    assert offered["confirm"] == [{"type": "cut", "at": 20}]


def test_seats_are_not_offered_before_it_is_said_what_for() -> None:
    robbing = [{"type": "rob", "seat": seat} for seat in (1, 2)]
    offered = choices("dog_cards", [*robbing, {"type": "discard", "card": "3"}])
    assert (offered["fields"], offered["confirm"]) == ([], [])


def test_a_bot_is_named_with_the_player_whose_seat_it_took() -> None:
    seats = [{"player": None, "bot": "cautious", "previous": {"id": "1", "name": "Cili"}}]
    shown = {"seats": [*seats, {"player": None, "bot": "cautious"}]}
    script = f"""import {{result}} from "./api/web/model/model.js";
        const parts = result({{winners: [0], losers: [1], reason: "timed_out"}}, {json.dumps(shown)});
        console.log(JSON.stringify(parts.map(part => part.name ?? part).join("")));"""
    assert in_node(script) == "Bot 0 for Cili wins; Bot 1 loses: out of time."


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"type": "timed_out", "player": {"id": "1"}}, "Bob runs out of time."),
        ({"type": "left", "player": {"id": "1"}, "replaced": True}, "The seat of Bob changes hands."),
        ({"type": "left", "player": {"id": "2"}, "replaced": True}, "The seat of Somebody changes hands."),
        ({"type": "joined", "player": None, "bot": "random", "replaced": True}, "Bot 1 takes this seat."),
        (
            {"type": "nudged", "seat": 0, "player": {"id": "0"}, "nudge": {"seat": 1}},
            "Anna nudges Bot 1",
        ),
    ],
)
def test_the_log_keeps_the_names_of_the_past(entry: dict[str, Any], said: str) -> None:
    bob, anna = {"id": "1", "name": "Bob"}, {"id": "0", "name": "Anna"}
    game = {"seats": [{"player": anna}, {"player": None, "bot": "random", "previous": bob}]}
    script = f"""import {{sentences}} from "./api/web/model/sentences.js";
        console.log(JSON.stringify(sentences({json.dumps({"seat": 1, **entry})}, {json.dumps(game)})[0]));"""
    parts = in_node(script)
    assert said in "".join(part if isinstance(part, str) else part["name"] for part in parts)


def test_tricks_points_and_cards_are_told_of_who_had_the_seat() -> None:
    """Bob won the trick before a bot took his seat, and the bot before Cili took it."""
    bob, bot, anna = (
        {"id": "1", "name": "Bob"},
        {"player": None, "bot": "random"},
        {"id": "0", "name": "Anna"},
    )
    scored = {
        "move": {"type": "pass"},
        "type": "moved",
        "seat": 0,
        "player": anna,
        "won_by": 1,
        "scores": [0, 2],
    }
    handed = [{"type": "joined", "seat": 1, "replaced": True, **bot}, scored]
    log = [
        {"type": "moved", "seat": 1, "player": bob},
        scored,
        {"type": "left", "seat": 1, "player": bob},
        *handed,
    ]
    entries = [[seq, {**entry, "seq": seq}] for seq, entry in enumerate(log, 1)]
    cili = {"player": {"id": "2", "name": "Cili"}, "previous": bob}
    game = {"seats": [{"player": anna}, cili]}
    script = f"""import {{asThen, sentences, zoneWords}} from "./api/web/model/sentences.js";
        const entries = new Map({json.dumps(entries)}), game = {json.dumps(game)};
        const plain = parts => parts.map(part => part.name ?? part).join("");
        const told = map => sentences(map.get(2), game, null, {{}}, map).slice(1).map(plain);
        const later = new Map([...entries].slice(1));
        const hand = zoneWords("hand.1", asThen(entries.get(2), game, entries));
        console.log(JSON.stringify([told(entries), told(later), plain(hand),
            sentences(entries.get(5), game, null, {{}}, entries).slice(1).map(plain)]));"""
    bobs = ["Trick to Bob.", "Scores: Anna 0, Bob 2."]
    whole, later, hand, of_bot = in_node(script)
    assert whole == later == bobs
    assert hand.startswith("Bob’s ")
    assert of_bot == ["Trick to Bot 1 for Bob.", "Scores: Anna 0, Bot 1 for Bob 2."]


def test_hands_are_counted_by_what_seats_give_back_and_are_dealt() -> None:
    """A stock that is shuffled again begins none; a hand of which nobody has anything counts."""
    none: str | None = None
    moves = [
        [("hand.0", "trick"), ("trick", "won.1")],
        [("won.0", none), ("won.1", none), (none, "stock")],
        [("discard", none), (none, "draw"), ("draw", "hand.0")],
        [("hand.0", none), (none, "hand.0"), (none, "hand.1")],
        [("hand.1", "trick")],
    ]
    log = [
        {"seq": seq, "type": "moved", "transfers": [{"from": come, "to": gone} for come, gone in transfers]}
        for seq, transfers in enumerate(moves, 1)
    ]
    script = f"""import {{handAt}} from "./api/web/model/results.js";
        console.log(JSON.stringify({json.dumps(log)}.map(({{seq}}, _, log) => handAt(log, seq))));"""
    assert in_node(script) == [1, 1, 2, 2, 3]
