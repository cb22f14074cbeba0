"""Links in mails about games: each opens the player's own seat, on any device, until it ends or is ended."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from api.context import Context
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.mail_reading import Shown, part
from tests.support.mailing import PACE, SITE, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp


@pytest.fixture
def game(host: Caller, four: list[Caller], anna: Caller) -> Any:
    prefer(anna, frequency="each")
    return new_game(host, four[:2], pace=PACE, visibility="private")


@pytest.fixture
def mailed(game: Any, mailbox: Mailbox, context: Context) -> str:
    """Return the secret of the link in a mail about a game of a player of an app."""
    work(context)
    found = re.search(rf"{SITE}/table/{game['id']}#mail=([\w-]+)", mailbox.text())
    assert found, mailbox.text()
    return found[1]


def opened(anyone: Caller, game: Any, secret: str, **headers: str) -> Any:
    return anyone.post(f"/v1/games/{game['id']}/mail-tokens", {"link": secret}, headers=headers)


def test_a_link_in_a_mail_opens_the_players_own_seat(
    mailed: str, game: Any, anyone: Caller, anna: Caller, four: list[Caller], host: Caller, clock: Clock
) -> None:
    answer = opened(anyone, game, mailed)
    assert answer.status_code == 201, answer.text
    phone, path = Caller(anyone.app, answer.json["token"]), f"/v1/games/{game['id']}"
    shown = phone.get(path).json
    assert shown["viewer"]["seats"] == [0]
    assert isinstance(shown["view"]["zones"]["hand.0"], list)
    assert "count" in shown["view"]["zones"]["hand.1"]
    players = [phone, four[1]]
    for _ in range(2):
        mover = players[shown["to_act"][0]]
        move = {"move": first_move(mover, shown)}
        assert mover.post(f"{path}/moves", move).status_code == 201
        shown = phone.get(path).json
    assert phone.get("/v1/me/preferences").status_code == 403
    other = new_game(host, four[:2])
    assert phone.get(f"/v1/games/{other['id']}").status_code == 403
    clock.move(days=30)
    assert phone.get(path).status_code == 401
    assert opened(anyone, game, mailed).status_code == 404


def test_a_link_gives_no_more_tokens_than_a_player_may_have(
    mailed: str, game: Any, anyone: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = anyone.app.extensions["card_referee"]
    monkeypatch.setitem(
        anyone.app.extensions, "card_referee", replace(site, settings=replace(site.settings, max_tokens=2))
    )
    assert opened(anyone, game, mailed).status_code == 201
    refused = opened(anyone, game, mailed)
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/limit-reached")


def test_the_secret_stands_in_the_fragment(mailed: str, mailbox: Mailbox) -> None:
    assert mailed in part(mailbox.mails[-1])
    for mail in mailbox.mails:
        for address in Shown(part(mail, "html")).links:
            assert mailed not in address.partition("#")[0]
            assert "?" not in address


def test_a_link_is_for_its_game_and_its_player(
    mailed: str, game: Any, anyone: Caller, host: Caller, four: list[Caller]
) -> None:
    other = new_game(host, four[:2])
    assert opened(anyone, other, mailed).status_code == 404
    wrong = ("A" if mailed[-5] != "A" else "B").join((mailed[:-5], mailed[-4:]))
    for secret in (wrong, "x", "é", mailed[:-1], four[1].token):
        assert opened(anyone, game, str(secret)).status_code == 404


def test_an_answer_that_was_lost_is_given_again(mailed: str, game: Any, anyone: Caller) -> None:
    key = {"Idempotency-Key": "0123456789abcdef"}
    first, again = (opened(anyone, game, mailed, **key) for _ in range(2))
    assert (first.status_code, first.json) == (201, again.json)


@pytest.mark.parametrize("how", ["address", "deleted", "everywhere"])
def test_links_and_their_tokens_end_with_the_mailbox(
    how: str, mailed: str, game: Any, anyone: Caller, anna: Caller
) -> None:
    phone, path = Caller(anyone.app, opened(anyone, game, mailed).json["token"]), f"/v1/games/{game['id']}"
    assert phone.get(path).status_code == 200
    if how == "address":
        assert anna.put("/v1/me/email", {"address": "other@example.org"}).status_code == 200
    elif how == "deleted":
        assert anna.delete("/v1/me/email").status_code == 204
    else:
        assert anna.delete("/v1/me/tokens").status_code == 204
    assert phone.get(path).status_code == 401
    assert opened(anyone, game, mailed).status_code == 404


def test_a_token_of_a_link_is_listed_and_can_be_revoked(
    mailed: str, game: Any, anyone: Caller, anna: Caller, host: Caller
) -> None:
    phones = [Caller(anyone.app, opened(anyone, game, mailed).json["token"]) for _ in range(2)]
    listed = host.get(f"/v1/players/{anna.player}/tokens").json["items"]
    assert [each["game"] for each in listed[:2]] == [game["id"]] * 2
    mine = anna.get("/v1/me/tokens").json["items"]
    assert anna.delete(f"/v1/me/tokens/{mine[0]['id']}").status_code == 204
    assert [each.get(f"/v1/games/{game['id']}").status_code for each in phones] == [200, 401]
