"""Mail that a player can rely on: no turn and no result is kept back, and nothing stale is sent."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

import referee.clocks
from api.context import Context
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import PACE, log, play, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp


def until_anna_waits(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    while game["to_act"] != [1]:
        game = play(players, game)
    return game


def until_anna_acts(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    """Let the other player, and never Anna, move until it is her turn."""
    while game["to_act"] != [0]:
        game = play(players, game)
    return game


def play_by(players: list[Caller], game: dict[str, Any]) -> int:
    """Make a move, and return whose it was."""
    seat: int = game["to_act"][0]
    play(players, game)
    return seat


def subjects(mailbox: Mailbox) -> list[str]:
    return [str(mail["Subject"]) for mail in mailbox.mails]


def test_a_turn_after_a_mail_about_something_else_is_mailed(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, mail=["game.said", "turn.began", "game.finished"])
    players = [anna, four[1]]
    game = until_anna_waits(players, new_game(host, players, pace=PACE))
    four[1].post(f"/v1/games/{game['id']}/messages", {"text": "Hello"})
    clock.move(minutes=11)
    work(context)
    assert len(mailbox.mails) == 1, "the message"
    game = until_anna_acts(players, game)
    clock.move(minutes=11)
    work(context)
    assert "It is your turn" in mailbox.text(), "it began after the last mail"
    four[1].post(f"/v1/games/{game['id']}/messages", {"text": "Hello?"})
    clock.move(minutes=11)
    work(context)
    assert len(mailbox.mails) == 2, "a message waits for her visit"
    assert four[1].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    clock.move(minutes=11)
    work(context)
    assert len(mailbox.mails) == 3, "a result is always mailed"
    assert "Cats and Dogs is over: you have won by resignation." in mailbox.text()


def test_a_game_is_never_lost_without_a_mail_in_between(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    """Nothing but defaults: the start of one game, then a turn in another, its warning and its end."""
    players = [anna, four[1]]
    until_anna_waits(players, new_game(host, players))
    clock.move(minutes=11)
    work(context)
    mailbox.mails.clear()
    pace = {"per_move": "PT72H", "on_timeout": "resign"}
    game = new_game(host, [four[1], anna], pace=pace)
    while game["to_act"] != [1]:
        game = play([four[1], anna], game)
    assert game["pace"]["warn_before"] == "PT64800S", "a quarter of the time"
    clock.move(minutes=11)
    work(context)
    assert "It is your turn" in subjects(mailbox)[-1]
    clock.move(hours=54)
    work(context)
    assert "nearly over" in subjects(mailbox)[-1]
    count = len(mailbox.mails)
    clock.move(hours=18)
    work(context)
    clock.move(minutes=11)
    work(context)
    assert len(mailbox.mails) > count
    assert "you have lost" in mailbox.text()
    assert "Ben has won" in mailbox.text()


@pytest.mark.parametrize(
    ("pace", "warn_before"),
    [
        ({"per_move": "P3D"}, "PT64800S"),
        ({"per_move": "PT1H"}, "PT900S"),
        ({"per_move": "PT1H", "warn_before": None}, None),
        ({"per_move": "PT1H", "warn_before": "PT5M"}, "PT300S"),
        ({"per_move": "PT3S"}, None),
    ],
)
def test_a_warning_is_on_by_default(
    host: Caller, four: list[Caller], pace: dict[str, Any], warn_before: str | None
) -> None:
    shown = new_game(host, four[:2], pace=pace)["pace"]["warn_before"]
    assert (shown and referee.clocks.duration(shown)) == (
        warn_before and referee.clocks.duration(warn_before)
    )


def test_no_warning_is_mailed_when_hardly_any_time_is_left(
    host: Caller, anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    """In a game that is played at one sitting, a mail would come too late in every turn."""
    new_game(host, [anna, anna], pace={"per_move": "PT2M"})
    clock.move(seconds=95)
    work(context)
    assert mailbox.mails == []
    assert ("turn.warning", "held") in log(anna)


def test_a_moved_deadline_is_reported_only_while_it_is_true(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["deadline.moved", "game.vacation_taken"])
    players = [anna, four[1]]
    games = [new_game(host, players, pace={**PACE, "vacation_days": 5}, title=str(n)) for n in range(2)]
    games = [until_anna_waits(players, game) for game in games]
    assert four[1].post("/v1/me/vacation", {"days": 2}).status_code == 201
    until_anna_acts(players, games[0])
    clock.move(hours=24)
    work(context)
    text = mailbox.text()
    assert "Ben now has more time in Cats and Dogs “1”, until" in text, "whose time it is"
    assert "more time in Cats and Dogs “0”" not in text, "his turn there is over"
    assert text.count("Ben has gone on vacation") == 2


def test_a_warning_that_is_no_longer_true_is_not_sent(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.warning"])
    players = [anna, four[1]]
    until_anna_acts(players, new_game(host, players, pace={**PACE, "vacation_days": 5}))
    mailbox.to_mail = "451 not now"
    clock.move(hours=61)
    work(context)
    assert anna.post("/v1/me/vacation", {"days": 5}).status_code == 201
    mailbox.to_mail = "250 OK"
    clock.move(minutes=1)
    work(context)
    assert mailbox.mails == []


def test_a_digest_is_made_from_the_state_at_sending(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each")
    ben, players = four[1], [anna, four[1]]
    pace = {**PACE, "vacation_days": 5}

    def game(title: str) -> dict[str, Any]:
        return until_anna_waits(players, new_game(host, players, pace=pace, title=title))

    over, paused, resumed, asked, answered, hurried = map(game, "abcdef")
    assert ben.post(f"/v1/games/{over['id']}/resignation").status_code == 201
    for each in (paused, resumed):
        for player in (ben, anna):
            assert player.post(f"/v1/games/{each['id']}/pause").status_code in (200, 201)
    assert anna.post(f"/v1/games/{resumed['id']}/resumption").status_code in (200, 201)
    assert ben.post(f"/v1/games/{asked['id']}/pause").status_code in (200, 201)
    assert ben.post(f"/v1/games/{hurried['id']}/pause").status_code in (200, 201)
    play(players, hurried)
    assert host("PATCH", f"/v1/games/{asked['id']}", {"title": "new name"}).status_code == 200
    clock.move(hours=24)
    work(context)
    text = mailbox.text()
    assert "“a” has begun" not in text, "it is over"
    assert "“a” is over: you have won" in text
    assert "“b” is paused" in text
    assert "“c” is paused" not in text
    assert "Ben would like a pause in Cats and Dogs “new name”" in text
    assert "pause in Cats and Dogs “f”" not in text, "a move was made since"
    assert answered["id"] in text


def test_a_request_to_take_back_is_mailed_only_while_it_is_open(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["game.take_back_requested"])
    found, table = [], [anna, *four[1:]]
    for title in ("open", "refused"):
        game = new_game(host, table, ruleset="pedro", title=title)
        ask = f"/v1/games/{game['id']}/take-back"
        while play_by(table, game) != 1 or four[1].post(ask).status_code != 201:
            game = host.get(f"/v1/games/{game['id']}").json
        found.append(game)
    refused = anna.post(f"/v1/games/{found[1]['id']}/take-back/answer", {"agree": False})
    assert refused.status_code == 201
    clock.move(hours=24)
    work(context)
    assert "Ben asks to take a move back in Pedro “open”" in mailbox.text()
    assert "“refused”" not in mailbox.text()


def test_a_subject_says_that_it_is_your_turn(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    players = [anna, four[1]]
    game = new_game(host, players, pace=PACE)
    until_anna_acts(players, game)
    clock.move(minutes=11)
    work(context)
    assert subjects(mailbox)[-1] == "It is your turn in Cats and Dogs, until Wed 4 Mar, 12:00"
    anna.get("/v1/me")
    for _ in range(2):
        until_anna_acts(players, new_game(host, players, pace=PACE))
    work(context)
    prefer(anna, frequency="each", mail=["turn.began"])
    for _ in range(2):
        until_anna_acts(players, new_game(host, players, pace=PACE))
    clock.move(hours=24)
    work(context)
    assert subjects(mailbox)[-1] == "It is your turn in 2 games"


HOSTILE = "Pay‮ at https://evil.example/x or mail me@evil.example\nwww.evil.example evil。example \x07now"


def test_no_link_and_no_hidden_character_of_a_title_or_name_is_mailed(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
) -> None:
    prefer(anna, frequency="each")
    assert host("PATCH", f"/v1/players/{four[1].player}", {"name": "Go to evil.example"}).status_code == 200
    game = new_game(host, [anna, four[1]], pace=PACE)
    sql.execute("UPDATE games SET title = %s WHERE id = %s", [HOSTILE, game["id"]])
    game = until_anna_waits([anna, four[1]], game)
    assert four[1].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    work(context)
    text = "\n".join(mailbox.texts())
    for written in (*subjects(mailbox), text):
        assert "evil" not in written
        assert "‮" not in written
        assert "\x07" not in written
    assert "Cats and Dogs “Pay at … or mail … now”" in text
    assert "Go to …" in text


def test_everybody_gets_a_word_when_a_player_is_replaced(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE, title="Friday")
    clock.move(minutes=11)
    work(context)
    taken = host.put(f"/v1/games/{game['id']}/seats/0/player", {"player": four[2].player})
    assert taken.status_code == 200
    mailbox.mails.clear()
    clock.move(minutes=11)
    work(context)
    assert "Cleo has taken over your seat in Cats and Dogs “Friday”" in mailbox.text()
    mailbox.mails.clear()
    other = new_game(host, [four[1], four[2]], pace=PACE)
    anna.get("/v1/me")
    assert host.put(f"/v1/games/{other['id']}/seats/0/player", {"player": anna.player}).status_code == 200
    clock.move(minutes=11)
    work(context)
    assert "You have taken over the seat of Ben in Cats and Dogs" in mailbox.text()
    mailbox.mails.clear()
    assert host.put(f"/v1/games/{other['id']}/seats/1/player", {"bot": "random"}).status_code == 200
    clock.move(minutes=11)
    work(context)
    assert "A bot has taken over the seat of Cleo in Cats and Dogs" in mailbox.text()


def test_a_replaced_player_gets_nothing_more_of_the_game(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each")
    game = new_game(host, four[:2], pace=PACE, title="Friday")
    assert host.put(f"/v1/games/{game['id']}/seats/0/player", {"player": four[2].player}).status_code == 200
    work(context)
    assert host("PATCH", f"/v1/games/{game['id']}", {"title": "Secret"}).status_code == 200
    assert four[1].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    clock.move(hours=24)
    work(context)
    assert "/table/" not in mailbox.text()  # the private table is not there for this player any more
    assert "Cleo has taken over your seat" in mailbox.text()
    assert "Secret" not in mailbox.text()


def test_a_missing_player_is_told_that_the_others_want_a_replacement(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    game = until_anna_acts(four, new_game(host, four, ruleset="pies", pace={"per_move": "P30D"}))
    clock.move(days=8)
    work(context)
    mailbox.mails.clear()
    agreed = four[1].put(f"/v1/games/{game['id']}/seats/0/player", {"bot": "random"})
    assert agreed.status_code == 200
    clock.move(minutes=11)
    work(context)
    assert "Ben has agreed that somebody else take over your seat in Pies." in mailbox.text()


def test_the_past_keeps_its_names(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    """What Ben did before a bot took his seat is told of Ben."""
    pace = {"per_move": "PT1H", "on_timeout": "random_move"}
    game = new_game(host, [four[1], anna], "bisca", options={"target": 1}, pace=pace)
    path = f"/v1/games/{game['id']}"
    if game["to_act"] == [1]:
        move = anna.get(f"{path}/legal-moves").json["moves"][0]
        game = anna.post(f"{path}/moves", {"move": move}).json["game"]
    clock.move(minutes=61)
    mailbox.mails.clear()
    context.session.close()
    work(context)
    assert host.put(f"{path}/seats/0/player", {"bot": "random"}).status_code == 200
    clock.move(minutes=11)
    work(context)
    assert "Ben runs out of time." in mailbox.text()
    assert "Bot 0 runs out of time" not in mailbox.text()


def test_a_notice_names_who_it_was(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    """Cleo took over Ben's seat, and it is told of Cleo although a bot has it now."""
    game = new_game(host, [anna, four[1]], pace=PACE)
    path = f"/v1/games/{game['id']}/seats/1/player"
    mailbox.mails.clear()
    assert host.put(path, {"player": four[2].player}).status_code == 200
    context.session.close()
    work(context)
    assert host.put(path, {"bot": "random"}).status_code == 200
    clock.move(minutes=11)
    work(context)
    assert "Cleo has taken over a seat in Cats and Dogs." in mailbox.text()
    assert mailbox.text().count("A bot has taken over the seat of Cleo") == 1
