"""Forks as a stranger tries them: records with forged names, and what apps are told of a fork."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from api.context import Context
from api.features.imports import imports
from referee.cli import main
from tests.receiver import Receiver
from tests.support.callers import Caller
from tests.support.forks import bots, fork, over, record_of, verified
from tests.support.page_verifier import ask
from tests.support.webhooks import hook, receiver, settings, work

__all__ = ["over", "receiver", "settings"]  # fixtures


@pytest.mark.parametrize("name", ["", "x" * 1000, "../games", "01234567-89AB-7DEF-8123-456789ABCDEF"])
def test_a_fork_names_no_game_that_cannot_be_one(host: Caller, over: dict[str, Any], name: str) -> None:
    record, version = record_of(host, over), over["version"] - 6
    made = fork(host, {"record": {**record, "game": name}}, version, bots(over))
    assert (made.status_code, made.json["forked_from"]["game"]) == (201, None), made.text


def test_every_notice_of_a_fork_says_what_it_is(
    host: Caller, four: list[Caller], over: dict[str, Any], receiver: Receiver, context: Context
) -> None:
    hook(host, receiver)
    seats: list[dict[str, Any]] = [{"player": four[3].player}, {"open": True}, {"bot": "random"}]
    game = fork(host, {"game": over["id"]}, over["version"] - 6, seats).json
    assert four[3].post(f"/v1/games/{game['id']}/resignation", {}).status_code == 201
    work(context)
    events = receiver.events(once=False)
    kinds = [event["type"] for event in events]
    assert {"game.imported", "game.replaced", "turn.began", "game.finished"} <= {*kinds}
    assert "game.started" not in kinds
    for event in events:
        assert event["data"]["game"] == game["id"], "the source is not spoken of"
        assert event["data"]["forked_from"] == game["forked_from"], event["type"]
    verified(host, game)


def test_no_transaction_waits_for_the_verification_of_a_record(
    host: Caller, over: dict[str, Any], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify, waiting = imports.verified, []

    def watched(data: dict[str, Any]) -> Any:
        open_ones = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start"
        row = sql.execute(f"{open_ones} IS NOT NULL AND pid <> pg_backend_pid()").fetchone()
        waiting.append(row and row[0])
        return verify(data)

    monkeypatch.setattr(imports, "verified", watched)
    body = {"from": {"record": record_of(host, over), "version": over["version"] - 6}, "seats": bots(over)}
    first, again = (host.post("/v1/games", body, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert (first.status_code, first.json["id"]) == (201, again.json["id"])
    assert waiting == [0, 0]


def test_a_bundle_of_a_fork_says_that_its_deal_was_known(
    host: Caller, over: dict[str, Any], tmp_path: Path
) -> None:
    game = fork(host, {"game": over["id"]}, over["version"] - 6, bots(over)).json
    file = tmp_path / "bundle.json"
    bundle = host.get(f"/v1/games/{game['id']}/bundle")
    file.write_text(bundle.text)
    done = CliRunner().invoke(main, ["verify", str(file)])
    assert done.exit_code == 0, done.output
    (unchosen,) = [line for line in done.output.splitlines() if " unchosen " in line]
    assert unchosen.startswith("-")
    assert "the game is a fork" in unchosen
    (page,) = ask([{"bundle": bundle.json}])
    (shown,) = [promise for promise in page if promise["name"] == "unchosen"]
    assert shown["ok"] is None
    assert "the game is a fork" in shown["detail"]
