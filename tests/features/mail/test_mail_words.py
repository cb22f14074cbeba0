"""What a mail says of a game, read back by a parser: moves, the table, and no hidden card."""

from __future__ import annotations

import html
import json
import random
import re
from typing import Any

import pytest

import referee
from api.context import Context
from api.features.mail import drawn as tables
from api.features.mail import recaps
from api.features.mail.phrases import speaking
from api.store.log import StoredEntry
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, Clock, new_game
from tests.support.mail_reading import cards_in, part, rows, shown_cards
from tests.support.mailing import PACE, SITE, play, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp

GAMES = {
    **{"cats_and_dogs": 2, "truco": 4, "landlord": 4, "pies": 4, "bisca": 2, "dog_cards": 2},
    **{"mau_mau": 2, "pedro": 4, "palace": 2},
}
CHAT = "meet me at the harbour"


def play_until_annas_turn(four: list[Caller], game: dict[str, Any], moves: int) -> None:
    """Play legal moves at random, until it is seat 0's turn and there were so many."""
    chance, path = random.Random(moves), f"/v1/games/{game['id']}"
    for n in range(400):
        assert game["status"] == "running"
        if n >= moves and game["to_act"] == [0]:
            return
        seat = chance.choice(game["to_act"])
        legal = four[seat].get(f"{path}/legal-moves").json["moves"]
        move = chance.choice([each for each in legal if "text" not in each] or legal)
        done = four[seat].post(f"{path}/moves", {"move": move})
        assert done.status_code == 201
        game = done.json["game"]
        if n == moves // 2:
            four[1].post(f"{path}/messages", {"text": CHAT})
    raise AssertionError("it is never seat 0's turn")


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_mail_shows_the_own_cards_and_no_hidden_one(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    ruleset: str,
) -> None:
    prefer(anna, frequency="each", mail=["turn.began"])
    game = new_game(host, four[: GAMES[ruleset]], ruleset, pace=PACE)
    play_until_annas_turn(four, game, 9)
    clock.move(minutes=1)
    mailbox.mails.clear()
    work(context)
    mail = mailbox.mails[-1]
    seen = anna.get(f"/v1/games/{game['id']}").json
    log = anna.get(f"/v1/games/{game['id']}/events").json["items"]
    rules = tables.rules_of(ruleset, seen["ruleset_version"])
    allowed = {rules.cards[text] for text in shown_cards([seen["view"], log]) if text in rules.cards}
    hand = seen["view"]["zones"]["hand.0"]
    own = next(row for row in rows(part(mail, "plain")) if row.startswith("Your hand: "))
    assert own.removeprefix("Your hand: ") == (", ".join(rules.cards[card] for card in hand) or "empty")
    others = [held for name, held in seen["view"]["zones"].items() if name.startswith("hand.")][1:]
    for kind in ("plain", "html"):
        text = html.unescape(re.sub("<[^>]+>", "\n", part(mail, kind)))
        if ruleset != "dog_cards":  # whose cards are called as numbers are; see the test with other deals
            assert set(cards_in(text, rules)) <= allowed
        for other in others:
            assert not other["count"] or re.search(rf"hand: {other['count']} cards?\b", text)
        assert CHAT not in text
        assert "Since your last move:" in text
        assert f"/table/{game['id']}" in part(mail, kind)
    assert str(mail["Subject"]).startswith("It is your turn in ")
    assert re.search(r", until \w{3} \d+ \w{3}, \d\d:\d\d$", str(mail["Subject"]))


@pytest.mark.parametrize("ruleset", GAMES)
def test_other_hidden_cards_give_the_same_words(ruleset: str) -> None:
    """Positions that look alike to a seat are told to it in the same words."""
    seats, chance = GAMES[ruleset], random.Random(ruleset)
    rules = referee.find(ruleset)
    state, _ = referee.deal(ruleset, seats, {}, referee.Seeded(b"mail"))
    differed = False
    for n in range(40):
        if state.result is not None:
            break
        movers = [seat for seat in range(seats) if referee.legal_moves(state, seat)]
        if n % 8 == 7:
            seat = chance.randrange(seats)
            other = referee.sample(referee.view(state, seat), chance.randrange)
            differed = differed or referee.dump(other) != referee.dump(state)
            about = tables.SeatNames([f"P{number}" for number in range(seats)], [seat])
            told = [
                tables.table(referee.view(each, seat), tables.rules_of(ruleset, rules.VERSION), about)
                for each in (state, other)
            ]
            assert told[0] == told[1]
            assert told[0]
        seat = chance.choice(movers)
        referee.advance(state, seat, chance.choice(referee.legal_moves(state, seat)), referee.Seeded(b"x"))
    assert differed


def test_a_secret_move_is_told_only_to_those_who_know_it() -> None:
    secret = {"type": "give", "card": "7"}
    public = {"seq": 9, "type": "moved", "seat": 1, "move": {"type": "give", "card": None}}
    entry = StoredEntry(
        9, json.dumps(public), json.dumps({"1": {"move": secret}, "2": {"move": secret}}), b""
    )
    rules, seats = tables.rules_of("dog_cards", 1), tables.SeatNames(["Anna", "Ben", "Cleo"], [0])
    told = [tables.happened([recaps._shown(entry, [seat], {})], rules, seats) for seat in range(3)]
    assert told == [["Ben gives."], ["Ben gives 7 to the partner."], ["Ben gives 7 to the partner."]]


def test_what_is_said_in_a_move_is_not_mailed() -> None:
    rules, seats = tables.rules_of("mau_mau", 1), tables.SeatNames(["Anna", "Ben"], [0])
    said = {"type": "moved", "seat": 1, "move": {"type": "say", "text": "call 0900 1234"}}
    played = {"type": "moved", "seat": 1, "move": {"type": "play", "cards": ["5H"], "text": "call"}}
    hidden = {"type": "moved", "seat": 1, "move": {"type": "draw", "card": None}}
    assert tables.happened([said, played, hidden], rules, seats) == ["Ben plays 5♥.", "Ben draws a card."]


def test_who_played_what_since_the_own_last_move(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.began"])
    game = new_game(host, four[:3], pace=PACE)
    while game["to_act"] != [0] or game["version"] < 9:
        game = play(four, game)
    work(context)
    log = anna.get(f"/v1/games/{game['id']}/events").json["items"]
    last = max(entry["seq"] for entry in log if entry["type"] == "moved" and entry["seat"] == 0)
    rules = tables.rules_of("cats_and_dogs", 1)
    called = {seat["player"]["id"]: seat["player"]["name"] for seat in game["seats"]}
    expected = [
        f"{called[entry['player']['id']]} plays {rules.cards[entry['move']['card']]}."
        for entry in log
        if entry["seq"] > last and entry["type"] == "moved" and "card" in entry["move"]
    ]
    told = [row for row in rows(mailbox.text()) if " plays " in row]
    assert expected
    assert [row.split(".")[0] + "." for row in told] == expected


def test_the_result_and_the_last_move_are_told(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["game.finished"])
    game = new_game(host, four[:2], pace=PACE)
    while game["status"] == "running":
        game = play(four, game)
    work(context)
    (mail,) = mailbox.mails
    assert "is over: " in str(mail["Subject"])
    log = anna.get(f"/v1/games/{game['id']}/events").json["items"]
    last = [entry for entry in log if entry["type"] == "moved"][-1]
    called = {seat["player"]["id"]: seat["player"]["name"] for seat in game["seats"]}
    assert any(row.startswith(f"{called[last['player']['id']]} plays ") for row in rows(mailbox.text()))
    assert "Scores: " in mailbox.text()


def test_mails_of_a_game_are_a_thread_and_say_one_thing_once(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    while game["to_act"] != [0]:
        game = play(four, game)
    clock.move(minutes=11)
    work(context)
    (mail,) = mailbox.mails
    assert str(mail["Subject"]).startswith("It is your turn in Cats and Dogs, until ")
    assert mailbox.text().count(f"{SITE}/table/") == 1
    assert "has begun" not in mailbox.text()
    root = mail["References"]
    assert game["id"] in root
    clock.move(hours=60)
    work(context)
    assert [each["References"] for each in mailbox.mails] == [root, root]
    assert len({each["Message-ID"] for each in mailbox.mails}) == 2
    other = new_game(host, four[:2], pace=PACE)
    while other["to_act"] != [0]:
        other = play(four, other)
    anna.get("/v1/me")
    clock.move(minutes=11)
    work(context)
    assert mailbox.mails[-1]["References"] not in (None, root)


def test_a_mail_about_others_says_whose_turn_it_is(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["game.resigned", "game.started"])
    game = new_game(host, four[:3], pace=PACE)
    while game["to_act"] == [0]:
        game = play(four, game)
    work(context)
    waiting = game["seats"][game["to_act"][0]]["player"]["name"]
    assert f"It is the turn of {waiting}, until " in mailbox.text()


def test_hostile_names_stay_text(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.began"])
    name = "<b>Bob</b> https://evil.example"
    host("PATCH", f"/v1/players/{four[1].player}", {"name": name})
    game = new_game(host, four[:2], pace=PACE, title="<script>alert(1)</script>")
    while game["to_act"] != [0] or game["version"] < 6:
        game = play(four, game)
    work(context)
    page = mailbox.texts("html")[-1]
    assert "evil" not in page + mailbox.text()
    assert "<script" not in page
    assert "<b>Bob" not in page
    assert "&lt;b&gt;Bob" in page
    assert set(re.findall(r'href="(https?://[^/"]+)', page)) == {SITE}
    assert not re.search(r"<(img|link|iframe|form|style)|src=|url\(", page), "nothing is loaded"


@pytest.mark.parametrize("language", ["de", "es", "pt"])
@pytest.mark.parametrize("ruleset", sorted(GAMES))
def test_every_move_is_a_verb_in_every_language(ruleset: str, language: str) -> None:
    rules, seats = tables.rules_of(ruleset, 1, language), tables.SeatNames(["Anna", "Ben"], [0])
    for kind in referee.find(ruleset, 1).MOVES:
        verb = tables._third_person(tables.words(kind))
        assert verb in rules.translated, "the words of the ruleset lack it"
        with speaking(language):
            (said,) = tables.happened([{"type": "moved", "seat": 1, "move": {"type": kind}}], rules, seats)
        assert re.fullmatch(r"Ben [^:{}]+\.", said)


@pytest.mark.parametrize(
    ("ruleset", "move", "told"),
    [
        (
            "mau_mau",
            {"type": "play", "cards": ["9D", "9C"]},
            ("Ben plays 9♦ and 9♣.", "Ben spielt 9♦ und 9♣.", "Ben juega 9♦ y 9♣."),
        ),
        (
            "mau_mau",
            {"type": "play", "cards": ["8S"], "suit": "H"},
            ("Ben plays 8♠ and calls ♥.", "Ben spielt 8♠ und wünscht ♥.", "Ben juega 8♠ y pide ♥."),
        ),
        ("mau_mau", {"type": "pass"}, ("Ben passes.", "Ben passt.", "Ben pasa.")),
        (
            "pedro",
            {"type": "bid", "points": 9},
            ("Ben bids 9 points.", "Ben bietet 9 Punkte.", "Ben puja 9 puntos."),
        ),
        (
            "pedro",
            {"type": "discard", "cards": ["3C"]},
            ("Ben discards 3♣.", "Ben legt 3♣ ab.", "Ben descarta 3♣."),
        ),
        ("palace", {"type": "ready"}, ("Ben is ready.", "Ben ist bereit.", "Ben está a punto.")),
        (
            "palace",
            {"type": "swap", "hand": "5H", "up": "6C"},
            ("Ben swaps 5♥ for 6♣.", "Ben tauscht 5♥ gegen 6♣.", "Ben cambia 5♥ por 6♣."),
        ),
        ("truco", {"type": "truco"}, ("Ben calls truco.", "Ben sagt Truco.", "Ben canta truco.")),
        (
            "bisca",
            {"type": "cut", "at": 5},
            ("Ben cuts at card 5.", "Ben hebt bei Karte 5 ab.", "Ben corta en la carta 5."),
        ),
        (
            "mau_mau",
            {"type": "play", "cards": ["9D"], "announce": True},
            (
                "Ben plays 9♦ and announces the last card.",
                "Ben spielt 9♦ und sagt die letzte Karte an.",
                "Ben juega 9♦ y anuncia la última carta.",
            ),
        ),
        (
            "mau_mau",
            {"type": "catch", "seat": 0},
            (
                "Ben catches Anna, who forgot to announce.",
                "Ben erwischt Anna ohne Ansage.",
                "Ben pilla a Anna, que olvidó anunciar.",
            ),
        ),
        (
            "dog_cards",
            {"type": "rob", "owner": 0, "row": 2},
            ("Ben robs the last card of Anna’s second row.",),
        ),
    ],
)
def test_moves_are_sentences(ruleset: str, move: dict[str, Any], told: tuple[str, ...]) -> None:
    seats = tables.SeatNames(["Anna", "Ben"], [0])
    for language, expected in zip(("en", "de", "es"), told, strict=False):
        rules = tables.rules_of(ruleset, 1, language)
        with speaking(language):
            (said,) = tables.happened([{"type": "moved", "seat": 1, "move": move}], rules, seats)
        assert said == expected


def test_a_place_is_told_by_the_card_that_lay_there() -> None:
    rules, seats = tables.rules_of("palace", 1), tables.SeatNames(["Anna", "Ben"], [0])
    entry = {
        "type": "moved",
        "seat": 1,
        "move": {"type": "flip", "position": 2},
        "transfers": [{"from": "down.1", "to": "pile", "cards": ["5H"]}],
    }
    assert tables.happened([entry], rules, seats) == ["Ben turns over 5♥."]


LATE = {"per_move": "PT72H", "on_timeout": "random_move", "warn_before": "PT12H", "out_after": 2}


def test_a_warning_says_what_the_next_time_out_does(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.warning"])
    game = new_game(host, four[:2], pace={**LATE, "stand_in": "cautious", "reserve": "P2D"})
    while game["to_act"] != [0]:
        game = play(four, game)
    path = f"/v1/games/{game['id']}"
    clock.move(hours=120 - 11)
    work(context)
    assert "a move is made for you by chance" in mailbox.text()
    assert "This includes your reserve: 2 days." in mailbox.text()
    clock.move(hours=12)
    work(context)
    while (game := anna.get(path).json)["to_act"] != [0]:
        game = play(four, game)
    mailbox.mails.clear()
    clock.move(hours=72 - 11)
    work(context)
    assert "If you are late again, you are out: a bot takes your seat." in mailbox.text()
    assert "reserve" not in mailbox.text(), "it is used up"


def test_a_mail_says_why_a_deadline_has_moved(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    prefer(anna, frequency="each", mail=["deadline.moved"])
    game = new_game(host, four[:2], pace=PACE)
    while game["to_act"] != [0]:
        game = play(four, game)
    added = host.post(f"/v1/games/{game['id']}/clocks/time", {"seat": 0, "length": "P1D"})
    assert added.status_code == 201, added.text
    work(context)
    assert "You now have more time in Cats and Dogs, until " in mailbox.text()
    assert "The director has given this time." in " ".join(mailbox.text().split())


@pytest.mark.parametrize(
    ("language", "ends"),
    [
        ("en", "Cats and Dogs is over: you have won by resignation. At the table you can play again"),
        ("de", "Cats and Dogs ist zu Ende: Sie haben gewonnen, und zwar durch Aufgabe. Am Tisch können Sie"),
        ("es", "Cats and Dogs ha terminado: ha ganado, por abandono. En la mesa puede volver a jugar"),
    ],
)
def test_a_result_says_why_and_what_to_do_next(
    language: str,
    ends: str,
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
) -> None:
    prefer(anna, frequency="each", mail=["game.finished"], language=language)
    game = new_game(host, four[:2], pace=PACE)
    assert four[1].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    work(context)
    assert ends in " ".join(mailbox.text().split())
