"""The page that says whether a finished game was fair, and works its deal through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from referee.texts.fairness import UNKNOWABLE
from tests.browser.games import ask, sit_down
from tests.servers.receiver import eventually
from tests.servers.serving import Server
from tests.support.visitors import Visitor
from tests.support.witnesses import VKEYS

pytestmark = pytest.mark.browser
RECORDS = Path(__file__).parents[1] / "records"


def test_a_deal_is_recomputed_and_every_change_is_noticed(
    visit: Callable[..., Visitor], app: httpx.Client, server: Server, tmp_path: Path
) -> None:
    record = json.loads((RECORDS / "truco" / "target-show.json").read_text())
    answer = app.post("/v1/records?visibility=public", json=record)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    included = f"/v1/games/{made['id']}/record"
    assert eventually(
        lambda: len(app.get(included).json().get("inclusion", {}).get("leaves", ())) == 2, 60
    )  # or evidence is missing
    page = visit().go(f"/fairness/{made['id']}")
    expect(page.locator("#kinds")).to_contain_text("imported")
    expect(page.locator("#fair")).to_contain_text("This match is consistent; nobody vouches for it: ")
    expect(page.locator("#unknowable li")).to_have_count(len(UNKNOWABLE))
    expect(page.locator("#players tr", has_text="won")).to_have_count(len(record["result"]["winners"]))
    expect(page.locator("#players tr")).to_have_count(record["seats"])
    expect(page.locator("#chosen")).to_contain_text("The operator could have tried seeds")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#verdict")).to_have_text("Every step of the deal agrees with the record.")
    assert page.locator("#outcomes b[data-ok='false']").count() == 0
    seed = page.get_by_label("The server's seed")
    first = seed.input_value()
    seed.fill(("1" if first[0] == "0" else "0") + first[1:])
    expect(page.locator("#verdict")).to_contain_text("do not agree with the record")
    assert page.locator("#seed b[data-ok='false']").count() == 1
    seed.fill("no digits")
    expect(page.locator("#verdict")).to_contain_text("hexadecimal")
    assert page.locator("b[data-ok='true']").count() == 0
    page.get_by_role("button", name="Put back what was given").click()
    expect(page.locator("#verdict")).to_have_text("Every step of the deal agrees with the record.")
    page.get_by_label("Seat 1").fill("something else")
    expect(page.locator("#verdict")).to_contain_text("do not agree with the record")

    expect(page.locator("#counted")).to_contain_text("that fail: 0, ")
    assert page.locator("[data-promise='receipts'][data-ok='null']").count() == 1
    vkey = httpx.get(f"{server.url}/v1/log-keys", trust_env=False).json()["items"][0]["vkey"]
    page.locator("#policy").fill(f"log {vkey}\nquorum none")
    page.get_by_role("button", name="Verify the bundle here").click()
    expect(page.locator("[data-promise='receipts'][data-ok='true']")).to_have_count(1)
    proved = page.locator("#fair [data-verdict='proved']")
    expect(proved).to_have_text("This match is fair: proved by the server’s key.")
    page.locator("#policy").fill(f"log {vkey}\nwitness w {VKEYS[0]}\nquorum w")
    page.get_by_role("button", name="Verify the bundle here").click()
    expect(page.locator("[data-verdict='not enough evidence yet']")).to_contain_text(" fetch it again after ")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the bundle").click()
    file = tmp_path / "saved.bundle.json"
    saved.value.save_as(file)
    page = visit().go("/record")
    page.locator("#file").set_input_files(file)
    expect(page.locator("#shown")).to_have_count(1)
    expect(page.locator("#open")).to_be_hidden()
    expect(page.locator("#trouble")).to_have_text("")


@pytest.mark.parametrize("path", ["fairness", "dispute"])
def test_a_signed_in_player_opens_the_pages_of_a_private_game(
    visit: Callable[..., Visitor], app: httpx.Client, server: Server, path: str
) -> None:
    """The device has no token for the game, only the account's."""
    table = sit_down(app, "cats_and_dogs", 2, visibility="private")
    game = ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 1})["game"]
    page = visit().go("/record")
    account = json.dumps({"token": table.tokens[0], "player": game["seats"][0]["player"]})
    page.evaluate("account => localStorage.setItem('card-referee:account', account)", account)
    page.goto(f"{server.url}/{path}/{table.game}")
    expect(page.locator("#page:visible, #report:visible")).to_be_visible()
    expect(page.locator("#trouble")).to_be_empty()
