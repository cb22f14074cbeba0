"""Accounts of the server: signing in by a link in a mail, devices, another address, deletion."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from typing import Any

import psycopg
import pytest

from api.app import create_app
from api.context import Context
from api.core.config import Settings
from api.features.accounts import mails as sign_in_mails
from tests.servers.mailbox import Mailbox
from tests.support.accounts import LINK, TYPED, Links
from tests.support.accounts import ask as ask
from tests.support.accounts import settings as settings
from tests.support.accounts import sign_in as sign_in
from tests.support.callers import Caller, Clock, first_move
from tests.support.mail_reading import part
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import smtp as smtp
from tests.support.mailing import work


def new_guest(anyone: Caller, name: str = "Ida") -> Caller:
    made = anyone.post("/v1/guests", {"name": name}).json
    return Caller(anyone.app, made["token"], made["player"]["id"])


def devices(caller: Caller) -> list[tuple[str | None, bool]]:
    return [(item["device"], item["current"]) for item in caller.get("/v1/me/tokens").json["items"]]


def test_one_account_on_two_devices(sign_in: Callable[..., Caller]) -> None:
    phone = sign_in(name="Anna", device="phone")
    laptop = sign_in("Anna@Example.org", device="laptop")
    assert phone.player == laptop.player
    assert laptop.get("/v1/me").json["player"]["name"] == "Anna"
    assert devices(laptop) == [("laptop", True), ("phone", False)]
    assert laptop.get("/v1/me/preferences").json["email"]["confirmed_at"]
    ids = [item["id"] for item in laptop.get("/v1/me/tokens").json["items"]]
    assert laptop.delete(f"/v1/me/tokens/{ids[1]}").status_code == 204
    assert phone.get("/v1/me").status_code == 401
    assert devices(laptop) == [("laptop", True)]
    third = sign_in()
    assert third.delete("/v1/me/tokens").status_code == 204
    assert [each.get("/v1/me").status_code for each in (third, laptop)] == [401, 401]


def test_a_guest_becomes_an_account_and_keeps_its_games(
    sign_in: Callable[..., Caller], anyone: Caller, mailbox: Mailbox, context: Context
) -> None:
    guest = new_guest(anyone)
    seats = [{"player": guest.player}, {"open": True}]
    game = guest.post("/v1/games", {"ruleset": "bisca", "seats": seats}).json
    account = sign_in("anna@example.org", guest, name="ignored")
    assert account.player == guest.player
    assert account.get("/v1/me").json["player"]["name"] == "Ida"
    assert guest.get("/v1/me").status_code == 401, "somebody else may have the guest's token"
    assert account.get(f"/v1/games/{game['id']}").json["viewer"]["seats"] == [0]
    assert [each["id"] for each in account.get("/v1/games").json["items"]] == [game["id"]]


def new_games(guest: Caller, count: int, **more: Any) -> list[str]:
    seats = [{"player": guest.player}, {"bot": "random"}]
    wanted = {"ruleset": "bisca", "seats": seats, **more}
    return [guest.post("/v1/games", wanted).json["id"] for _ in range(count)]


def own_games(caller: Caller, status: str = "open,running,finished") -> set[str]:
    return {game["id"] for game in caller.get(f"/v1/games?status={status}&limit=100").json["items"]}


def test_an_account_that_is_there_takes_over_the_seats_of_all_guests_of_a_device(
    sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    account, ida, joe = sign_in(name="Anna"), new_guest(anyone), new_guest(anyone, "Joe")
    running, (over,) = [*new_games(ida, 2), *new_games(joe, 1)], new_games(ida, 1)
    assert ida.post(f"/v1/games/{over}/resignation").status_code == 201
    seats = [{"player": ida.player}, {"open": True}, {"open": True}]
    started = ida.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    again = sign_in("anna@example.org", ida, joe)
    assert again.player == account.player
    assert own_games(again) == {*running, started["id"]}
    for game in (*running, started["id"]):
        shown = again.get(f"/v1/games/{game}").json
        assert (shown["viewer"]["seats"], shown["seats"][0]["player"]["name"]) == ([0], "Anna")
    told = again.get(f"/v1/games/{running[0]}/events").json["items"]
    assert [(each["type"], each["replaced"]) for each in told[-2:]] == [("left", True), ("joined", True)]
    moved = again.get(f"/v1/games/{running[0]}").json
    if 0 in moved["to_act"]:
        done = again.post(f"/v1/games/{running[0]}/moves", {"move": first_move(again, moved)})
        assert done.status_code == 201, done.text
    checks = again.get(f"/v1/games/{running[0]}/verification").json["checks"]
    assert [each for each in checks if not each["ok"]] == []
    # The guest is not the account: what is over stays its own.
    assert ida.get("/v1/me").json["player"]["id"] == ida.player
    assert own_games(ida, "finished") == {over}
    assert ida.post(f"/v1/games/{running[0]}/resignation").status_code in (403, 404)
    taken = again.post(f"/v1/games/{started['id']}/seats/1/invitation", {"invite": "x"})
    assert taken.status_code in (403, 404)


def test_an_account_does_not_take_a_second_seat_at_its_table(
    sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    account, guest = sign_in(), new_guest(anyone)
    seats = [{"player": account.player}, {"open": True}]
    game = account.post("/v1/games", {"ruleset": "bisca", "seats": seats}).json
    path = f"/v1/games/{game['id']}"
    assert guest.put(f"{path}/seats/1", {"invite": game["seats"][1]["invite"]}).status_code == 200
    assert sign_in("anna@example.org", guest).get(path).json["viewer"]["seats"] == [0]
    assert guest.get(path).json["viewer"]["seats"] == [1]


def test_a_link_carries_the_guest_who_asked_for_it_to_another_device(ask: Links, anyone: Caller) -> None:
    guest = new_guest(anyone)
    games = new_games(guest, 9)
    link = ask("anna@example.org", guest)
    path = f"/v1/sign-ins/{link['id']}"
    shown = anyone.post(f"{path}/preview", {"code": link["code"]}).json
    assert (shown["guest"]["player"]["name"], shown["guest"]["games"]) == ("Ida", 9)
    made = anyone.post(f"{path}/tokens", {"code": link["code"], "adopt": True}).json
    account = Caller(anyone.app, made["token"])
    assert made["player"]["id"] == guest.player
    assert own_games(account) == {*games}
    assert guest.get("/v1/me").status_code == 401, "somebody else may have the guest's token"


def test_a_guest_is_adopted_only_on_demand_and_once(
    ask: Links, sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    guest = new_guest(anyone)
    (game,) = new_games(guest, 1)
    first, second, third = (ask(f"{who}@example.org", guest) for who in ("anna", "eve", "ben"))
    made = anyone.post(f"/v1/sign-ins/{first['id']}/tokens", {"code": first["code"]}).json
    assert made["player"]["id"] != guest.player
    assert guest.get(f"/v1/games/{game}").status_code == 200
    body = {"code": second["code"], "adopt": True}
    eve = anyone.post(f"/v1/sign-ins/{second['id']}/tokens", body).json
    assert eve["player"]["id"] == guest.player
    path, body = f"/v1/sign-ins/{third['id']}", {"code": third["code"]}
    assert anyone.post(f"{path}/preview", body).json["guest"] is None
    ben = anyone.post(f"{path}/tokens", {**body, "adopt": True}).json
    assert ben["player"]["id"] not in (guest.player, made["player"]["id"])
    assert own_games(Caller(anyone.app, ben["token"])) == set()


def test_a_link_does_not_carry_a_guest_who_has_signed_out_since(ask: Links, anyone: Caller) -> None:
    """Somebody else may have asked for it, with a token that was stolen."""
    guest = new_guest(anyone)
    new_games(guest, 1)
    link = ask("eve@example.org", guest)
    path, body = f"/v1/sign-ins/{link['id']}", {"code": link["code"]}
    assert anyone.post(f"{path}/preview", body).json["guest"]["games"] == 1
    assert guest.delete("/v1/me/tokens").status_code == 204
    assert anyone.post(f"{path}/preview", body).json["guest"] is None
    made = anyone.post(f"{path}/tokens", {**body, "adopt": True}).json
    assert made["player"]["id"] != guest.player


def test_the_account_of_a_link_takes_over_the_games_of_the_guest_who_asked(
    ask: Links, sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    account, guest = sign_in(name="Anna"), new_guest(anyone)
    games = new_games(guest, 3)
    assert guest.post(f"/v1/games/{games[2]}/resignation").status_code == 201
    link = ask("anna@example.org", guest)
    path, body = f"/v1/sign-ins/{link['id']}", {"code": link["code"]}
    shown = anyone.post(f"{path}/preview", body).json
    assert (shown["player"]["name"], shown["guest"]["games"]) == ("Anna", 2)
    made = anyone.post(f"{path}/tokens", {**body, "adopt": True}).json
    assert made["player"]["id"] == account.player
    assert own_games(account) == {*games[:2]}


def test_a_code_of_six_digits_can_be_typed_for_ten_minutes(ask: Links, anyone: Caller, clock: Clock) -> None:
    link, other = ask("anna@example.org"), ask("ben@example.org")
    path, body = f"/v1/sign-ins/{link['id']}", {"code": link["typed"]}
    if other["typed"] != link["typed"]:
        assert anyone.post(f"/v1/sign-ins/{other['id']}/preview", body).status_code == 404
    clock.move(minutes=9)
    assert anyone.post(f"{path}/preview", body).json["address"] == "anna@example.org"
    clock.move(minutes=1)
    assert anyone.post(f"{path}/preview", body).status_code == 404
    assert anyone.post(f"{path}/tokens", body).status_code == 404
    assert anyone.post(f"{path}/tokens", {"code": link["code"]}).status_code == 201, (
        "the link is valid longer"
    )


@pytest.mark.parametrize("where", ["preview", "tokens", "address"])
def test_a_code_is_guessed_five_times_and_no_more(
    where: str, ask: Links, sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    link, account = ask("anna@example.org"), sign_in("ben@example.org")
    wrong = [f"{(int(link['typed']) + n) % 10**6:06}" for n in range(1, 6)]
    path = f"/v1/sign-ins/{link['id']}"
    for code in wrong[:4]:
        for _ in range(2):  # what is right costs no guess
            assert anyone.post(f"{path}/preview", {"code": link["typed"]}).status_code == 200
        assert account.post(f"{path}/{where}", {"code": code}).status_code == 404
    assert anyone.post(f"{path}/preview", {"code": link["typed"]}).status_code == 200
    assert account.post(f"{path}/{where}", {"code": wrong[4]}).status_code == 404
    for what in ("preview", "tokens"):
        assert anyone.post(f"{path}/{what}", {"code": link["typed"]}).status_code == 404
    assert anyone.post(f"{path}/tokens", {"code": link["code"]}).status_code == 201, "nobody can guess that"


def test_guesses_at_the_same_time_count_as_many(ask: Links, anyone: Caller, sql: psycopg.Connection) -> None:
    link = ask("anna@example.org")
    path = f"/v1/sign-ins/{link['id']}/preview"
    wrong = [{"code": f"{(int(link['typed']) + n) % 10**6:06}"} for n in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: anyone.post(path, body).status_code, wrong))
    assert answers == [404] * 8
    assert sql.execute("SELECT guesses FROM sign_ins").fetchone() == (8,)
    assert anyone.post(path, {"code": link["typed"]}).status_code == 404


def test_codes_that_can_be_typed_are_stored_as_keyed_hashes(ask: Links, sql: psycopg.Connection) -> None:
    link = ask("anna@example.org")
    row = sql.execute("SELECT typed FROM sign_ins").fetchone()
    assert row
    assert row[0] not in (sha256(link["typed"].encode()).digest(), link["typed"].encode())


def test_a_guest_of_a_seat_keeps_the_account_after_the_game(
    sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    host = new_guest(anyone)
    seats = [{"player": host.player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "bisca", "seats": seats}).json
    path = f"/v1/games/{game['id']}"
    taken = anyone.post(f"{path}/seats/1/guest", {"invite": game["seats"][1]["invite"], "name": "Ben"})
    friend = Caller(anyone.app, taken.json["token"])
    account = sign_in("anna@example.org", friend)
    assert account.player == taken.json["player"]["id"]
    assert account.post(f"{path}/resignation").status_code == 201
    assert account.get("/v1/me").status_code == 200
    assert account.get(path).json["status"] == "finished"


def test_a_link_is_used_once_and_only_by_post(ask: Links, anyone: Caller, clock: Clock) -> None:
    link = ask("anna@example.org")
    path = f"/v1/sign-ins/{link['id']}"
    for method in ("GET", "HEAD"):
        assert anyone.app.test_client().open(f"{path}/tokens", method=method).status_code == 405
    assert anyone.app.test_client().get("/sign-in").status_code == 200
    shown = anyone.post(f"{path}/preview", {"code": link["code"]})
    assert shown.json == {"address": "anna@example.org", "player": None, "restores": False, "guest": None}
    assert anyone.post(f"{path}/tokens", {"code": link["code"].swapcase()}).status_code == 404
    assert anyone.post(f"{path}/tokens", {"code": link["code"]}).status_code == 201
    for what in ("tokens", "preview"):
        assert anyone.post(f"{path}/{what}", {"code": link["code"]}).status_code == 404


def test_a_lost_answer_is_given_again(ask: Links, anyone: Caller, sql: psycopg.Connection) -> None:
    link = ask("anna@example.org")
    path, body = f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"], "name": "Anna"}
    first, again = (anyone.post(path, body, headers={"Idempotency-Key": "once"}) for _ in range(2))
    assert (first.status_code, first.json) == (201, again.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    stored = sql.execute("SELECT string_agg(t::text, ' ') FROM idempotency t").fetchone()
    assert stored
    assert link["code"] not in stored[0]


def test_a_guest_who_lost_the_answer_gets_it_again(ask: Links, anyone: Caller) -> None:
    link, guest = ask("anna@example.org"), new_guest(anyone)
    path, key = f"/v1/sign-ins/{link['id']}/tokens", {"Idempotency-Key": "once"}
    body = {"code": link["code"], "guests": [guest.token]}
    first = anyone.post(path, body, headers=key)
    assert (first.status_code, first.json["player"]["id"]) == (201, guest.player)
    again = anyone.post(path, body, headers=key)
    assert (again.status_code, again.json) == (201, first.json)
    assert anyone.post(path, {"code": link["code"].swapcase()}, headers=key).status_code == 404


def test_of_two_who_have_a_guests_token_one_gets_the_account(ask: Links, anyone: Caller) -> None:
    for number in range(5):
        guest = new_guest(anyone)
        links = [ask(f"{who}{number}@example.org") for who in ("anna", "eve")]

        def use(link: dict[str, str], guest: Caller = guest) -> Any:
            body = {"code": link["code"], "guests": [guest.token]}
            return anyone.post(f"/v1/sign-ins/{link['id']}/tokens", body)

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(use, links))
        players = [answer.json["player"]["id"] for answer in answers if answer.status_code == 201]
        assert players.count(guest.player) == 1, [answer.text for answer in answers]


def test_a_link_ends(ask: Links, anyone: Caller, clock: Clock) -> None:
    link = ask("anna@example.org")
    clock.move(minutes=29)
    assert anyone.post(f"/v1/sign-ins/{link['id']}/preview", {"code": link["code"]}).status_code == 200
    clock.move(minutes=1)
    assert anyone.post(f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]}).status_code == 404


def test_two_links_at_the_same_time_make_one_account(ask: Links, anyone: Caller) -> None:
    links = [ask("anna@example.org") for _ in range(4)]

    def use(link: dict[str, str]) -> Any:
        answer = anyone.post(f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]})
        if answer.status_code == 409:
            answer = anyone.post(f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]})
        return answer

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(use, links))
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json["player"]["id"] for answer in answers}) == 1


def test_nobody_learns_who_has_an_account(
    sign_in: Callable[..., Caller], anyone: Caller, mailbox: Mailbox, context: Context
) -> None:
    sign_in("anna@example.org", name="Anna")
    mailbox.mails.clear()
    known, unknown = (
        anyone.post("/v1/sign-ins", {"address": address})
        for address in ("anna@example.org", "ben@example.org")
    )
    for answer in (known, unknown):
        assert (answer.status_code, sorted(answer.json)) == (202, ["expires_at", "id"])
    sign_in_mails.send_due(context)
    texts = [TYPED.sub("", re.sub(LINK, "", str(mail.get_content()))) for mail in mailbox.mails]
    assert len(texts) == 2
    assert texts[0] == texts[1]
    assert [mail["Subject"] for mail in mailbox.mails] == ["Your link for Card Referee"] * 2


def test_an_address_is_replaced_when_the_new_one_is_confirmed(
    ask: Links, sign_in: Callable[..., Caller], anyone: Caller
) -> None:
    anna = sign_in(name="Anna")
    link = ask("new@example.org")
    assert sign_in().player == anna.player
    moved = anna.post(f"/v1/sign-ins/{link['id']}/address", {"code": link["code"]})
    shown = {
        "address": "new@example.org",
        "player": anna.get("/v1/me").json["player"],
        "restores": False,
        "guest": None,
    }
    assert moved.json == shown
    assert anna.get("/v1/me/preferences").json["email"]["address"] == "new@example.org"
    assert sign_in("new@example.org").player == anna.player
    assert sign_in("anna@example.org", name="Other").player != anna.player
    taken = ask("anna@example.org")
    assert anna.post(f"/v1/sign-ins/{taken['id']}/address", {"code": taken["code"]}).status_code == 409
    guest = new_guest(anyone)
    assert guest.post(f"/v1/sign-ins/{taken['id']}/address", {"code": taken["code"]}).status_code == 409


def test_an_account_cannot_lose_its_address(sign_in: Callable[..., Caller]) -> None:
    anna = sign_in()
    assert anna.delete("/v1/me/email").status_code == 409
    assert anna.put("/v1/me/email", {"address": "other@example.org"}).status_code == 403


def test_a_deleted_account_leaves_its_name_nowhere(
    sign_in: Callable[..., Caller], anyone: Caller, sql: psycopg.Connection
) -> None:
    anna, ben = sign_in(name="Anna"), new_guest(anyone, "Ben")
    seats = [{"player": anna.player}, {"open": True}]
    game = anna.post("/v1/games", {"ruleset": "bisca", "seats": seats}).json
    path = f"/v1/games/{game['id']}"
    taken = ben.put(f"{path}/seats/1", {"invite": game["seats"][1]["invite"]})
    assert taken.status_code == 200, taken.text
    assert anna("PATCH", "/v1/me", {"name": "Anna B"}).json["name"] == "Anna B"
    assert anna.delete("/v1/me").status_code == 204
    assert anna.get("/v1/me").status_code == 401
    assert ben.get(path).json["seats"][0]["player"]["name"] == "erased person"
    assert sql.execute("SELECT count(*) FROM contacts").fetchone() == (0,)
    assert sign_in().player != anna.player


def test_accounts_move_and_create_games(sign_in: Callable[..., Caller]) -> None:
    anna = sign_in()
    seats = [{"player": anna.player}, {"bot": "random"}]
    game = anna.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    moved = anna.post(f"/v1/games/{game['id']}/moves", {"move": first_move(anna, game)})
    assert moved.status_code == 201


def test_a_rematch_invites_the_other_players(sign_in: Callable[..., Caller], anyone: Caller) -> None:
    anna, ben = sign_in(name="Anna"), sign_in("ben@example.org", name="Ben")
    seats = [{"player": anna.player}, {"open": True}, {"bot": "random"}]
    game = anna.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "title": "Friday"}).json
    path = f"/v1/games/{game['id']}"
    assert ben.post(f"{path}/rematch").status_code == 404
    assert ben.put(f"{path}/seats/1", {"invite": game["seats"][1]["invite"]}).status_code == 200
    assert anna.post(f"{path}/rematch").status_code == 409, "it is not over"
    assert anna.post(f"{path}/resignation").status_code == 201
    again = anna.post(f"{path}/rematch", {"seats": "same"})
    assert again.status_code == 201, again.text
    assert [again.json[name] for name in ("status", "title", "rematch_of")] == ["open", "Friday", game["id"]]
    assert [seat["open"] for seat in again.json["seats"]] == [False, True, False]
    assert ben.post(f"{path}/rematch").status_code == 409
    (invitation,) = ben.get("/v1/me/invitations").json["items"]
    assert (invitation["seat"], invitation["game"]["id"]) == (1, again.json["id"])
    assert "invite" not in invitation["game"]["seats"][1]
    assert anna.get("/v1/me/invitations").json["items"] == []
    place = f"/v1/games/{again.json['id']}"
    stranger = new_guest(anyone)
    assert stranger.get(place).status_code == 404
    assert stranger.put(f"{place}/seats/1").status_code == 404
    assert ben.put(f"{place}/seats/0").status_code == 409
    assert ben.put(f"{place}/seats/1").json["status"] == "running"
    assert ben.get("/v1/me/invitations").json["items"] == []


@pytest.mark.parametrize("accepts", [True, False])
def test_an_invitation_is_mailed_and_answered_by_its_link(
    accepts: bool, sign_in: Callable[..., Caller], anyone: Caller, mailbox: Mailbox, context: Context
) -> None:
    anna, ben = sign_in(name="Anna"), sign_in("ben@example.org", name="Ben")
    seats = [{"player": anna.player}, {"open": True}]
    game = anna.post("/v1/games", {"ruleset": "bisca", "seats": seats}).json
    assert (
        ben.put(f"/v1/games/{game['id']}/seats/1", {"invite": game["seats"][1]["invite"]}).status_code == 200
    )
    anna.post(f"/v1/games/{game['id']}/resignation")
    again = anna.post(f"/v1/games/{game['id']}/rematch").json
    ben("PATCH", "/v1/me/preferences", {"frequency": "each", "mail": ["game.invited"]})
    mailbox.mails.clear()
    work(context)
    assert [mail["To"] for mail in mailbox.mails] == ["ben@example.org"]
    assert "Anna invites you to Bisca" in mailbox.text()
    assert again["id"] in mailbox.text()
    # The link opens the seat on a device that does not know the account, and answers about this game alone.
    (secret,) = re.findall(rf"/table/{again['id']}#mail=([\w-]+)", part(mailbox.mails[-1]))
    token = anyone.post(f"/v1/games/{again['id']}/mail-tokens", {"link": secret}).json["token"]
    phone = Caller(anyone.app, token)
    others = anna.post("/v1/games", {"ruleset": "bisca", "seats": seats}).json
    place = next(seat["invite"] for seat in others["seats"] if seat["open"])
    assert ben.put(f"/v1/games/{others['id']}/seats/1", {"invite": place}).status_code == 200
    anna.post(f"/v1/games/{others['id']}/resignation")
    anna.post(f"/v1/games/{others['id']}/rematch")
    assert len(ben.get("/v1/me/invitations").json["items"]) == 2
    (invitation,) = phone.get("/v1/me/invitations").json["items"]
    assert invitation["game"]["id"] == again["id"]
    if accepts:
        seated = phone.put(f"/v1/games/{again['id']}/seats/{invitation['seat']}")
        assert (seated.status_code, seated.json["viewer"]["seats"]) == (200, [invitation["seat"]])
        return
    assert phone.delete(f"/v1/me/invitations/{again['id']}").status_code == 204
    assert phone.get("/v1/me/invitations").json["items"] == []
    assert ben.get(f"/v1/games/{again['id']}").status_code == 404
    assert ben.delete(f"/v1/me/invitations/{again['id']}").status_code == 404
    code = next(seat["invite"] for seat in anna.get(f"/v1/games/{again['id']}").json["seats"] if seat["open"])
    number = next(seat["seat"] for seat in again["seats"] if seat["open"])
    assert ben.put(f"/v1/games/{again['id']}/seats/{number}", {"invite": code}).status_code == 200


@pytest.mark.parametrize(
    ("header", "words"),
    [("de-AT", "Ihr Link"), ("pt-BR", "O seu link"), ("fi", "Your link"), ("es", "Su enlace")],
)
def test_a_link_has_the_language_of_who_asks(
    anyone: Caller, mailbox: Mailbox, context: Context, header: str, words: str
) -> None:
    anyone.post("/v1/sign-ins", {"address": "anna@example.org"}, headers={"Accept-Language": header})
    sign_in_mails.send_due(context)
    assert str(mailbox.mails[-1]["Subject"]).startswith(words)
    assert LINK.search(mailbox.text())


def test_apps_and_their_players_have_no_accounts(
    host: Caller, four: list[Caller], ask: Links, anyone: Caller
) -> None:
    link = ask("anna@example.org")
    path, body = f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]}
    for caller in (host, four[0]):
        assert caller.post(path, body).status_code == 403
        assert caller("PATCH", "/v1/me", {"name": "x"}).status_code == 403
        assert caller.delete("/v1/me").status_code == 403
    assert len(four[0].get("/v1/me/tokens").json["items"]) == 1
    assert anyone.delete("/v1/me").status_code == 401


def test_a_server_without_mail_or_guests_has_no_accounts(settings: Settings) -> None:
    for without, status in ({"guests": False}, 403), ({"mail_from": "", "smtp_url": ""}, 409):
        app = create_app(replace(settings, **without))
        assert Caller(app).post("/v1/sign-ins", {"address": "anna@example.org"}).status_code == status
        app.extensions["card_referee"].database.close()


def test_the_page_of_a_server_without_mail_asks_for_no_address(settings: Settings) -> None:
    words = "This server sends no mail, so nobody can sign in here."
    for sends, more in (True, {}), (False, {"mail_from": "", "smtp_url": ""}):
        app = create_app(replace(settings, **more))
        shown = app.test_client().get("/sign-in").text
        assert ('type="email"' in shown, words in shown) == (sends, not sends)
        spoken = app.test_client().get("/sign-in", headers={"Accept-Language": "de"}).text
        assert (words in spoken, "verschickt keine E-Mails" in spoken) == (False, not sends)
        app.extensions["card_referee"].database.close()


def test_a_failed_mail_is_sent_again_and_both_links_work(
    anyone: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    asked = anyone.post("/v1/sign-ins", {"address": "anna@example.org"}).json["id"]
    mailbox.to_mail = "451 later"
    sign_in_mails.send_due(context)
    assert mailbox.mails == []
    mailbox.to_mail = "250 OK"
    clock.move(seconds=30)
    sign_in_mails.send_due(context)
    found = LINK.search(mailbox.text())
    assert found
    assert anyone.post(f"/v1/sign-ins/{asked}/tokens", {"code": found[2]}).status_code == 201
    clock.move(days=2)
    assert sign_in_mails.prune(context) == 1


def test_addresses_are_stored_sealed(ask: Links, sql: psycopg.Connection, settings: Settings) -> None:
    link = ask("anna@example.org")
    rows = sql.execute("SELECT codes FROM sign_ins").fetchone()
    assert rows
    assert link["code"].encode() not in rows[0]


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", ("Anna invites you to Bisca", "Each move has 2 days.", "accept or decline")),
        ("de", ("Anna lädt Sie zu Bisca ein", "2 Tage", "ablehnen")),
        ("es", ("Anna le invita a Bisca", "2 días", "rechazar")),
        ("pt", ("Anna", "2 dias", "recusar")),
    ],
)
def test_an_invitation_says_who_invites_the_pace_and_how_to_decline(
    sign_in: Callable[..., Caller],
    mailbox: Mailbox,
    context: Context,
    language: str,
    says: tuple[str, ...],
) -> None:
    anna, ben = sign_in(name="Anna"), sign_in("ben@example.org", name="Ben")
    seats = [{"player": anna.player}, {"open": True}]
    game = anna.post("/v1/games", {"ruleset": "bisca", "seats": seats, "pace": {"per_move": "P2D"}}).json
    ben.put(f"/v1/games/{game['id']}/seats/1", {"invite": game["seats"][1]["invite"]})
    anna.post(f"/v1/games/{game['id']}/resignation")
    wanted = {"frequency": "each", "mail": ["game.invited"], "language": language}
    assert ben("PATCH", "/v1/me/preferences", wanted).status_code == 200
    anna.post(f"/v1/games/{game['id']}/rematch")
    mailbox.mails.clear()
    work(context)
    text = " ".join(mailbox.text().split())
    assert [word for word in says if word not in text] == []
    assert ("Hello" in text) is (language == "en")
