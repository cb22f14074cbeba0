"""What somebody with a stolen token of an account can do to its owner, and how the owner ends it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from werkzeug.test import TestResponse

from api.context import Context
from api.core.config import Settings, libpq
from api.features.accounts import mails as sign_in_mails
from api.features.accounts import sign_ins
from tests.servers.mailbox import Mailbox
from tests.servers.receiver import eventually
from tests.support.accounts import LINK, Links
from tests.support.accounts import ask as ask
from tests.support.accounts import settings as settings
from tests.support.accounts import sign_in as sign_in
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import PACE, SITE, link, work
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import smtp as smtp
from tests.support.push import Browser

ANNA, EVE = "anna@example.org", "eve@example.org"
SignIn = Callable[..., Caller]


@pytest.fixture
def host(new_key: Callable[..., Caller]) -> Caller:
    return new_key("club", "read", "write", "keys")


def change(thief: Caller, to: dict[str, str]) -> TestResponse:
    return thief.post(f"/v1/sign-ins/{to['id']}/address", {"code": to["code"]})


def undoing(mailbox: Mailbox, context: Context, to: str) -> dict[str, str]:
    """Return the link that undoes a change, from the only mail to an address."""
    mailbox.mails.clear()
    sign_in_mails.send_due(context)
    (mail,) = [mail for mail in mailbox.mails if mail["To"] == to]
    found = LINK.search(str(mail.get_content()))
    assert found
    return {"id": found[1], "code": found[2]}


def use(anyone: Caller, link: dict[str, str]) -> TestResponse:
    return anyone.post(f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]})


def works(anyone: Caller, path: str) -> bool:
    return anyone.app.test_client().get(path.removeprefix(SITE)).status_code == 200


def subscribe(player: Caller) -> TestResponse:
    made = player.post("/v1/me/push-subscriptions", Browser("https://push.example.org/x").subscription())
    assert made.status_code == 201, made.text
    return made


def browsers(player: Caller) -> int:
    return len(player.get("/v1/me/push-subscriptions").json["items"])


@pytest.fixture(autouse=True)
def _addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.features.notices.outbound.check", lambda *_: None)


def test_a_token_that_is_not_new_neither_moves_nor_deletes_an_account(
    sign_in: SignIn, ask: Links, clock: Clock
) -> None:
    anna = sign_in(ANNA)
    clock.move(hours=2)
    to = ask(EVE)
    for refused in (change(anna, to), anna.delete("/v1/me")):
        assert refused.status_code == 403
        assert refused.json["type"] == "/problems/sign-in-again"
    assert sign_in(ANNA).player == anna.player
    same = ask(ANNA)
    assert change(anna, same).status_code == 200, "whoever confirms the present address has just shown it"
    assert change(sign_in(ANNA), to).status_code == 200


def test_the_previous_address_is_told_and_gets_the_account_back(
    sign_in: SignIn, ask: Links, anyone: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    anna = sign_in(ANNA)
    assert change(anna, ask(EVE)).json["restores"] is False
    undo = undoing(mailbox, context, ANNA)
    thief = sign_in(EVE)
    assert thief.player == anna.player
    assert thief.delete("/v1/me/tokens").status_code == 204
    thief = sign_in(EVE)
    subscribe(thief)
    assert thief.delete("/v1/me").status_code == 409, "or nothing would be left to undo"
    clock.move(days=6)
    shown: Any = anyone.post(f"/v1/sign-ins/{undo['id']}/preview", {"code": undo["code"]}).json
    assert (shown["address"], shown["restores"], shown["player"]["id"]) == (ANNA, True, anna.player)
    back = use(anyone, undo)
    assert back.status_code == 201, back.text
    owner = Caller(anyone.app, back.json["token"], back.json["player"]["id"])
    assert owner.get("/v1/me/preferences").json["email"]["address"] == ANNA
    assert [item["current"] for item in owner.get("/v1/me/tokens").json["items"]] == [True]
    assert thief.get("/v1/me").status_code == 401
    assert browsers(owner) == 0
    assert sign_in(EVE).player != anna.player
    assert sign_in(ANNA).player == anna.player
    assert use(anyone, undo).status_code == 404
    clock.move(days=2)
    assert sign_in(ANNA).delete("/v1/me").status_code == 204


def test_only_the_owner_has_a_link_that_undoes(
    sign_in: SignIn, ask: Links, anyone: Caller, mailbox: Mailbox, context: Context
) -> None:
    """Attacked by changing the address again, by which the thief's own mailbox would get one."""
    anna = sign_in(ANNA)
    assert change(anna, ask(EVE)).status_code == 200
    undo = undoing(mailbox, context, ANNA)
    assert change(anna, ask("eve2@example.org")).status_code == 409
    assert change(anna, ask(EVE)).status_code == 200, "the one that it has"
    assert change(anna, undo).status_code == 404, "a thief who has seen it cannot use it up"
    assert use(anyone, undo).status_code == 201
    assert change(sign_in(ANNA), ask("anna2@example.org")).status_code == 200, "at once"


def test_an_address_that_has_another_account_by_now_says_what_to_do(
    sign_in: SignIn, ask: Links, anyone: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    anna = sign_in(ANNA)
    assert change(anna, ask(EVE)).status_code == 200
    undo = undoing(mailbox, context, ANNA)
    other = sign_in(ANNA, name="Again")
    assert other.player != anna.player
    refused = use(anyone, undo)
    assert (refused.status_code, "Another account" in refused.json["detail"]) == (409, True)
    assert other.delete("/v1/me").status_code == 204
    assert use(anyone, undo).json["player"]["id"] == anna.player


def test_undoing_ends_after_a_week(
    sign_in: SignIn, ask: Links, anyone: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    anna = sign_in(ANNA)
    assert change(anna, ask(EVE)).status_code == 200
    undo = undoing(mailbox, context, ANNA)
    assert "7 days" in mailbox.text()
    clock.move(days=7)
    assert use(anyone, undo).status_code == 404


def test_signing_out_everywhere_ends_what_works_without_a_token(
    sign_in: SignIn, anyone: Caller, mailbox: Mailbox, context: Context, sql: psycopg.Connection
) -> None:
    anna = sign_in(ANNA)
    subscribe(anna)
    sql.execute("UPDATE push_subscriptions SET credential_id = NULL")  # as of an earlier release
    anna("PATCH", "/v1/me/preferences", {"frequency": "each"})
    seats = [{"player": anna.player}, {"bot": "random"}]
    anna.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": PACE})
    mailbox.mails.clear()
    work(context)
    mailed = [link(mailbox, purpose) for purpose in ("manage", "unsubscribe")]
    assert all(works(anyone, path) for path in mailed)
    assert anna.delete("/v1/me/tokens").status_code == 204
    assert not any(works(anyone, path) for path in mailed)
    again = sign_in(ANNA)
    assert browsers(again) == 0


def test_signing_out_on_a_device_ends_its_push_messages(
    sign_in: SignIn, context: Context, sql: psycopg.Connection
) -> None:
    phone, laptop = sign_in(ANNA), sign_in(ANNA)
    subscribe(phone)
    subscribe(laptop)
    (here,) = [item["id"] for item in phone.get("/v1/me/tokens").json["items"] if item["current"]]
    assert browsers(laptop) == 2
    assert laptop.delete(f"/v1/me/tokens/{here}").status_code == 204
    assert browsers(laptop) == 1
    subscribe(laptop)
    assert sql.execute("SELECT count(*) FROM push_subscriptions").fetchone() == (2,), "dead ones are deleted"


def test_a_browser_that_is_subscribed_again_keeps_its_messages(sign_in: SignIn) -> None:
    """As after signing in again there, with another token."""
    before, after = sign_in(ANNA), sign_in(ANNA)
    body = Browser("https://push.example.org/x").subscription()
    first, again = (each.post("/v1/me/push-subscriptions", body) for each in (before, after))
    assert first.json == again.json
    (old,) = [item["id"] for item in before.get("/v1/me/tokens").json["items"] if item["current"]]
    assert after.delete(f"/v1/me/tokens/{old}").status_code == 204
    assert browsers(after) == 1


def test_a_key_that_is_revoked_ends_the_push_messages_that_its_tokens_subscribed(
    host: Caller, anyone: Caller
) -> None:
    key: Any = host.post("/v1/keys", {"scopes": ["read", "write"]}).json
    player: Any = host.post("/v1/players", {"name": "Anna"}).json
    path = f"/v1/players/{player['id']}/tokens"
    stolen, own = (
        Caller(anyone.app, caller.post(path).json["token"])
        for caller in (Caller(anyone.app, key["key"]), host)
    )
    subscribe(stolen)
    subscribe(own)
    assert host.delete(f"/v1/keys/{key['id']}?keep_tokens=false").status_code == 204
    assert browsers(own) == 1


def test_of_a_guest_who_becomes_an_account_nothing_is_left_to_others(sign_in: SignIn, anyone: Caller) -> None:
    made = anyone.post("/v1/guests", {"name": "Ida"}).json
    guest = Caller(anyone.app, made["token"], made["player"]["id"])
    subscribe(guest)
    account = sign_in(ANNA, guest)
    assert account.player == guest.player
    assert browsers(account) == 0


def test_another_address_ends_what_the_old_mailbox_can_do(
    sign_in: SignIn, ask: Links, anyone: Caller, mailbox: Mailbox, context: Context
) -> None:
    anna = sign_in(ANNA)
    subscribe(anna)
    anna("PATCH", "/v1/me/preferences", {"frequency": "each"})
    seats = [{"player": anna.player}, {"bot": "random"}]
    anna.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": PACE})
    mailbox.mails.clear()
    work(context)
    mailed = [link(mailbox, purpose) for purpose in ("manage", "unsubscribe")]
    assert change(anna, ask(ANNA)).status_code == 200
    assert all(works(anyone, path) for path in mailed), "it is the same mailbox"
    assert change(anna, ask("anna2@example.org")).status_code == 200
    assert not any(works(anyone, path) for path in mailed)
    assert browsers(anna) == 1


def test_another_address_of_an_apps_player_ends_what_the_old_mailbox_can_do(
    host: Caller, new_player: Callable[[str], Caller], anyone: Caller, mailbox: Mailbox, context: Context
) -> None:
    anna, ben = new_player("Anna"), new_player("Ben")
    anna.put("/v1/me/email", {"address": ANNA})
    work(context)
    confirm = link(mailbox, "confirm")
    assert anyone.app.test_client().post(confirm).status_code == 200
    anna("PATCH", "/v1/me/preferences", {"frequency": "each"})
    mailbox.mails.clear()
    new_game(host, [anna, ben], pace=PACE)
    work(context)
    stop = link(mailbox, "unsubscribe")
    assert works(anyone, stop)
    assert anna.put("/v1/me/email", {"address": "anna2@example.org"}).status_code == 200
    assert not works(anyone, stop)
    anna.put("/v1/me/email", {"address": ANNA})
    assert not works(anyone, confirm), "it was for the address as it was then"


def test_a_request_of_a_thief_that_waits_for_the_undoing_is_too_late(
    sign_in: SignIn,
    ask: Links,
    anyone: Caller,
    mailbox: Mailbox,
    context: Context,
    sql: psycopg.Connection,
    settings: Settings,
) -> None:
    """Attacked with requests that were let in before the token was revoked, and then waited for a lock."""
    anna = sign_in(ANNA)
    assert change(anna, ask(EVE)).status_code == 200
    undo, again = undoing(mailbox, context, ANNA), ask(EVE)

    def waiting() -> int:
        row = sql.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").fetchone()
        return row[0] if row else 0

    with ThreadPoolExecutor(2) as pool, psycopg.connect(libpq(settings.owner_database_url)) as held:
        held.execute("SELECT 1 FROM contacts WHERE player_id = %s FOR UPDATE", [anna.player])
        undone = pool.submit(use, anyone, undo)
        assert eventually(lambda: waiting() == 1)
        late = pool.submit(change, anna, again)
        assert eventually(lambda: waiting() == 2)
        held.rollback()
        assert (undone.result().status_code, late.result().status_code) == (201, 401)
    assert sign_in(ANNA).player == anna.player


def test_a_deletion_by_a_thief_that_waits_for_the_undoing_is_too_late(
    sign_in: SignIn,
    ask: Links,
    anyone: Caller,
    mailbox: Mailbox,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The token is revoked after it was looked up, and nothing is left to undo."""
    anna = sign_in(ANNA)
    assert change(anna, ask(EVE)).status_code == 200
    undo = undoing(mailbox, context, ANNA)
    delete = sign_ins.delete

    def undone_before(context: Context) -> None:
        assert use(anyone, undo).status_code == 201
        delete(context)

    monkeypatch.setattr(sign_ins, "delete", undone_before)
    assert anna.delete("/v1/me").status_code == 401
    assert sign_in(ANNA).player == anna.player


def test_of_deletions_at_the_same_moment_one_succeeds(sign_in: SignIn) -> None:
    devices = [sign_in(ANNA), sign_in(ANNA)] * 2
    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(each.status_code for each in pool.map(lambda one: one.delete("/v1/me"), devices))
    assert statuses == [204, 401, 401, 401]
