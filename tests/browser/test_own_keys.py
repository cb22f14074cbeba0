"""Guests with their own keys: the browser creates keys, signs, keeps receipts, and checks both."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

import referee
from referee.proofs.receipts import read_receipts
from tests.browser.player import Player
from tests.support.visitors import Visitor, menu, saved, start, verify

pytestmark = pytest.mark.browser
KEYS = """() => new Promise(done => {
    const opening = indexedDB.open("card-referee", 1);
    opening.onsuccess = () => {
        const all = opening.result.transaction("keys").objectStore("keys");
        all.getAllKeys().onsuccess = ({target: {result: names}}) => {
            all.getAll().onsuccess = ({target: {result: keys}}) => done(
                names.map((name, i) => [name, keys[i].extractable]),
            );
        };
    };
})"""


def begin(page: Page, ruleset: str, others: str) -> str:
    """Start a game from the start page; return its id."""
    start(page, ruleset, against=others)
    page.wait_for_url("**/table/**")
    return page.url.rpartition("/")[2]


def test_a_guest_signs_and_everybody_verifies_it(visit: Callable[..., Visitor], tmp_path: Path) -> None:
    visitor = visit(reduced_motion="reduce")
    page = visitor.go("/")
    game = begin(page, "bisca", "random")
    assert page.evaluate(KEYS) == [[f"{game}/0", False]]
    player = Player(page, random.Random(3))
    for _ in range(3):
        assert player.wait_for_turn()
        player.move()
    verify(page)
    expect(page.locator("[data-check=signatures]")).to_have_class("holds")
    page.reload()  # the key is still there
    assert player.wait_for_turn()
    player.move()
    assert player.wait_for_turn()  # a resignation signed while a bot moves would have to be signed again
    menu(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".title")).to_contain_text("win")
    verify(page)
    for check in ("signatures", "receipts"):
        expect(page.locator(f"[data-check={check}]")).to_have_class("holds")
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    record = json.loads(saved(page, "Save the record", tmp_path))
    report = referee.verify(record)
    assert report.ok
    signed = next(check.detail for check in report.checks if check.name == "signatures")
    assert signed.startswith("5 acts")
    receipts = read_receipts(saved(page, "Save the receipts", tmp_path))
    assert len(receipts) > 5
    assert all(one.root.hex() == record["entries"][one.size - 1]["hash"] for one in receipts)
    page.wait_for_function(f"({KEYS})().then(keys => keys.length === 0)")  # the key was only for this game


def test_a_friend_signs_too_and_forgets_the_key(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    host = visit(reduced_motion="reduce").go("/")
    start(host, "cats_and_dogs", 2, "open")
    link = host.get_by_role("textbox", name="Link").input_value()
    visitor = visit(reduced_motion="reduce")
    friend = visitor.page
    friend.goto(link)
    friend.get_by_label("Your name").fill("Zoë")
    friend.get_by_role("button", name="Join").click()
    friend.wait_for_url("**/table/**")
    players = [Player(page, random.Random(2)) for page in (host, friend)]
    turn = "document.querySelector('.title.yours') !== null"
    for _ in range(4):
        while not any(page.evaluate(turn) for page in (host, friend)):
            host.wait_for_timeout(50)
        mover = players[0] if host.evaluate(turn) else players[1]
        mover.wait_for_turn()
        mover.move()
        for page in (host, friend):
            expect(page.locator(".where")).to_have_text(re.compile(rf"/{mover.version()}$"))
    verify(friend)
    expect(friend.locator("[data-check=signatures]")).to_contain_text("4 acts are signed")
    assert len(friend.evaluate(KEYS)) == 1
    menu(friend, "Forget my seat on this device")
    friend.get_by_role("button", name="Forget", exact=True).click()
    expect(friend.locator("#why")).to_be_visible()
    friend.wait_for_function(f"({KEYS})().then(keys => keys.length === 0)")
    visitor.complaints.clear()  # Chromium's own message about the refusal


def test_without_ed25519_a_guest_plays_without_a_key(visit: Callable[..., Visitor]) -> None:
    """The page says that the signatures of others are unchecked."""
    visitor = visit(reduced_motion="reduce")
    visitor.page.add_init_script("delete Crypto.prototype.subtle")
    page = visitor.go("/")
    game = begin(page, "mau_mau", "random")
    player = Player(page, random.Random(1))
    assert player.wait_for_turn()
    player.move()
    ask = """game => fetch(`/v1/games/${game}`, {headers: {
        Authorization: `Bearer ${sessionStorage[`card-referee:token:${game}`]}`}}).then(one => one.json())"""
    shown = page.evaluate(ask, game)
    assert "public_key" not in shown["seats"][0]


def test_a_log_that_contradicts_a_receipt_causes_a_warning(visit: Callable[..., Visitor]) -> None:
    """Cases are a record of another log than the signed one, and a second receipt for the same entry."""
    visitor = visit(reduced_motion="reduce")
    page = visitor.go("/")
    game = begin(page, "mau_mau", "random")
    player = Player(page, random.Random(5))
    assert player.wait_for_turn()
    verify(page)
    expect(page.locator("[data-check=receipts]")).to_have_class("holds")
    other = "A" * 43 + "="

    def forked(route: Route) -> None:
        answer = route.fetch()
        data: dict[str, Any] = answer.json()
        lines = data["receipt"].split("\n")
        data["receipt"] = "\n".join([*lines[:2], other, *lines[3:]])
        route.fulfill(response=answer, json=data)

    page.route(re.compile(rf"/v1/games/{game}$"), forked)
    page.reload()
    expect(page.locator(".trouble")).to_contain_text("two different logs")
    verify(page)
    expect(page.locator("[data-check=receipts]")).to_have_class("fails")
    expect(page.locator(".verdict")).to_contain_text("fail")
