"""A person is erased under an unbroken chain: nobody knows the name or the words any more, all is proved."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from threading import Thread
from typing import Any
from uuid import UUID

import psycopg
import pytest

import referee
from api.context import Context
from api.features.webhooks import posting
from api.games import words
from api.store import games
from tests.independent.game import Referee
from tests.independent.verify import verify as verified
from tests.support.callers import Caller, new_game, play_on
from tests.support.due_jobs import keep_time
from tests.support.forging import failed
from tests.support.node import ask, failures
from tests.support.signers import Signer, keyed, play
from tests.support.signers import signers as signers

NAME, TEXT, WORDS, LATER = (
    "Zerlinda Quux",
    "My mother is called Ottilie",
    "It rains in Uelzen",
    "Bye from Xanten",
)
PACE = {"per_move": "P1D", "on_timeout": "resign"}
SECRETS = (NAME, TEXT, WORDS, LATER)


@pytest.fixture
def zerlinda(host: Caller) -> Caller:
    """Return a player with a name that nothing else has."""
    once = {"Idempotency-Key": "zerlinda"}
    player = host.post("/v1/players", {"name": NAME}, headers=once).json["id"]
    return Caller(host.app, host.post(f"/v1/players/{player}/tokens").json["token"], player)


def told(host: Caller, game: str) -> Any:
    return host.get(f"/v1/games/{game}/record").json


@pytest.fixture
def played(host: Caller, four: list[Caller], zerlinda: Caller, context: Context) -> str:
    """Return a game of mau_mau that is over, in which she has said something in three ways."""
    once = {"Idempotency-Key": "said"}
    hook = {"url": "https://example.org/", "include": ["entry"], "events": ["game.moved", "game.said"]}
    host.post("/v1/webhooks", hook)
    zerlinda.post("/v1/seeks", {"ruleset": "pies", "seats": 4})
    game = new_game(host, [zerlinda, *four[:2]], "mau_mau", pace=PACE)
    path = f"/v1/games/{game['id']}"
    said = zerlinda.post(f"{path}/moves", {"move": {"type": "say", "text": TEXT}})
    assert said.status_code == 201, said.text
    zerlinda.post(f"{path}/messages", {"text": WORDS}, headers=once)
    four[0].post(f"{path}/messages", {"text": "I stay."})
    play_on([zerlinda, *four[:2]], zerlinda.get(path).json, 5)
    four[0].post(f"{path}/resignation")
    zerlinda.post(f"{path}/messages", {"text": LATER})
    other = new_game(host, [zerlinda, *four[:2]], pace=PACE)
    newcomer = {"player": four[2].player}
    assert host.put(f"/v1/games/{other['id']}/seats/0/player", newcomer).status_code == 200
    keep_time(context)
    return game["id"]


@pytest.fixture
def independent() -> Iterator[Referee]:
    running = Referee()
    yield running
    running.close()


def found(sql: psycopg.Connection) -> list[tuple[str, str]]:
    """Return where in the database something of hers is: each table, and what."""
    tables = [
        row[0]
        for row in sql.execute(
            "SELECT relname FROM pg_class"
            " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        )
    ]
    places = []
    for table in tables:
        for secret in SECRETS:
            for form in (secret, secret.encode().hex()):
                where = f"strpos(t::text, '{form}') > 0"
                if sql.execute(f"SELECT 1 FROM {table} t WHERE {where} LIMIT 1").fetchone():
                    places.append((table, secret))
    return places


def test_a_deleted_player_is_nowhere_in_the_database(
    host: Caller, zerlinda: Caller, played: str, sql: psycopg.Connection
) -> None:
    zerlinda.get(f"/v1/games/{played}?version=5")  # which stores a snapshot
    before = found(sql)
    assert {place for place, _ in before} >= {"players", "words", "games", "outbox"}
    assert {secret for _, secret in before} == {*SECRETS}
    assert host("DELETE", f"/v1/players/{zerlinda.player}").status_code == 204
    assert found(sql) == []


@pytest.mark.parametrize(
    "damage",
    ["sitting = left(sitting, -2)", "sitting = 'null'", """chat = '[{"text": "Bye from Xanten"}]'"""],
)
def test_a_deleted_player_is_nowhere_in_a_game_that_cannot_be_read(
    host: Caller, zerlinda: Caller, played: str, sql: psycopg.Connection, damage: str
) -> None:
    sql.execute(f"UPDATE games SET {damage} WHERE id = %s", (played,))  # type: ignore[call-overload]
    assert host.delete(f"/v1/players/{zerlinda.player}").status_code == 204
    assert found(sql) == []


@pytest.mark.parametrize("erasures", [1, 2])
def test_a_deletion_that_was_interrupted_is_called_again(
    host: Caller, zerlinda: Caller, played: str, sql: psycopg.Connection, erasures: int, monkeypatch: Any
) -> None:
    """Before her tokens end, or when only what she has said meanwhile is left."""
    erase, path = words.erase, f"/v1/players/{zerlinda.player}"
    done = []

    def interrupted(context: Context, player: UUID) -> bool:
        if done:
            raise RuntimeError("interrupted")
        done.append(erase(context, player))
        zerlinda.post(f"/v1/games/{played}/messages", {"text": LATER})
        if erasures == 1:
            raise RuntimeError("interrupted")
        return done[0]

    with monkeypatch.context() as patched:
        patched.setattr(words, "erase", interrupted)
        authorised = {"Authorization": f"Bearer {host.token}"}
        assert host.app.test_client().delete(path, headers=authorised).status_code == 500
    assert {secret for _, secret in found(sql)} >= {LATER}
    assert host.delete(path).status_code == 204
    assert found(sql) == []
    assert host.delete(path).status_code == 404


@pytest.mark.parametrize("over", [False, True])
def test_nothing_but_a_text_can_be_erased(
    host: Caller, signers: list[Signer], independent: Referee, over: bool
) -> None:
    """Otherwise a server could make any move for a player, and say that the signature was erased."""
    game = play(signers, keyed(host, signers, "mau_mau"), 6)
    if over:
        host.post(f"/v1/games/{game['id']}/cancellation")
    record = told(host, game["id"])
    made = [entry for entry in record["entries"] if entry["type"] == "moved"]
    for entry in made[0], made[-1]:
        lie = copy.deepcopy(record)
        forged = lie["entries"][entry["seq"] - 1]
        forged.pop("signature", None)
        forged |= {"sealed": "ab" * 32, **forged, "seals": {**forged.get("seals", {}), "all": "cd" * 32}}
        head = bytes(32)
        for each in lie["entries"]:
            public = {name: each[name] for name in each.keys() - {"hash", "private"}}
            head = referee.records.chain(head, public)
            each["hash"] = head.hex()
        for listed in lie["moves"]:
            listed["hash"] = lie["entries"][listed["seq"] - 1]["hash"]
        assert failed(lie).get("sealed") == entry["seq"]
        assert failures(*ask([lie])).get("sealed") == entry["seq"]
        assert (
            not over
            or verified(lie, independent)[0] == f"entry {entry['seq']}: the seal of a text where none is"
        )


def test_nobody_can_replace_what_was_erased(
    host: Caller, zerlinda: Caller, played: str, independent: Referee
) -> None:
    host("DELETE", f"/v1/players/{zerlinda.player}")
    record = told(host, played)
    lies = []
    for entry in record["entries"]:
        number, lie = str(entry["seq"]), copy.deepcopy(record)
        if entry["type"] == "joined" and number not in record["names"]:
            lie["names"][number] = {"name": "Somebody else", "salt": "00" * 16}
            lies.append(lie)
        elif "all" in entry.get("seals", {}) and "all" not in entry.get("private", {}):
            words = {"move": {"type": "say", "text": "I cheat."}, "salt": "00" * 16}
            told_anew = lie["entries"][entry["seq"] - 1]
            told_anew["private"] = {**told_anew.get("private", {}), "all": words}
            lies.append(lie)
    assert len(lies) == 3
    for lie, page in zip(lies, ask(lies), strict=True):
        assert "sealed" in {check.name for check in referee.verify(lie).checks if not check.ok}
        assert "sealed" in failures(page)
        assert verified(lie, independent)[0] is not None


def test_a_game_goes_on_when_a_person_is_erased(
    host: Caller, four: list[Caller], zerlinda: Caller, independent: Referee
) -> None:
    game = new_game(host, [*four[:2], zerlinda])
    assert zerlinda.post(f"/v1/games/{game['id']}/messages", {"text": TEXT}).status_code == 201
    host("DELETE", f"/v1/players/{zerlinda.player}")
    shown = four[0].get(f"/v1/games/{game['id']}").json
    assert [seat["player"]["name"] for seat in shown["seats"]][2] == "erased person"
    assert shown["to_act"] == game["to_act"]
    while shown["status"] == "running":
        seat = shown["to_act"][0]
        caller = four[seat] if seat < 2 else host
        move = caller.get(f"/v1/games/{game['id']}/legal-moves?seat={seat}").json["moves"][0]
        done = caller.post(f"/v1/games/{game['id']}/moves", {"move": move, "seat": seat})
        assert done.status_code == 201, done.text
        shown = done.json["game"]
    record = told(host, game["id"])
    report = referee.verify(record)
    assert (report.ok, report.erased) == (True, "names of one person and one text erased"), report
    assert failures(*ask([record])) == {}
    assert verified(record, independent)[0] is None


def test_an_app_can_show_all_that_is_stored_of_a_player(
    host: Caller, four: list[Caller], zerlinda: Caller, played: str
) -> None:
    shown = host.get(f"/v1/players/{zerlinda.player}/data")
    assert shown.status_code == 200, shown.text
    assert all(secret in shown.text for secret in SECRETS)
    assert shown.json["rows"].keys() >= {"game_seats", "player_games", "credentials", "words", "seeks"}
    assert zerlinda.token not in shown.text
    assert four[0].get(f"/v1/players/{zerlinda.player}/data").status_code == 403
    host("DELETE", f"/v1/players/{zerlinda.player}")
    assert host.get(f"/v1/players/{zerlinda.player}/data").status_code == 404


def test_a_game_is_proved_after_a_person_was_erased(
    host: Caller, zerlinda: Caller, played: str, independent: Referee
) -> None:
    before = told(host, played)
    assert referee.verify(before).ok
    assert NAME in json.dumps(before["names"])
    host("DELETE", f"/v1/players/{zerlinda.player}")
    now = told(host, played)
    assert [entry["hash"] for entry in now["entries"]] == [entry["hash"] for entry in before["entries"]]
    assert not any(secret in json.dumps(now) for secret in SECRETS)
    for record, erased in ((before, ""), (now, "names of one person and 2 texts erased")):
        report = referee.verify(record)
        assert report.ok, report
        assert report.unchecked.keys() <= {"inclusion"}
        assert report.erased == erased
        assert failures(*ask([record])) == {}
        assert verified(record, independent)[0] is None
    assert host.get(f"/v1/games/{played}/verification").json["ok"]
    assert "I stay." in json.dumps(now)


def test_what_was_read_before_a_deletion_is_not_kept_after_it(
    host: Caller,
    four: list[Caller],
    zerlinda: Caller,
    sql: psycopg.Connection,
    context: Context,
    monkeypatch: Any,
) -> None:
    """A snapshot of an old version has names, and may be written when they are erased."""
    game = new_game(host, [zerlinda, *four[:2]], pace=PACE)
    path = f"/v1/games/{game['id']}"
    for _ in range(70):
        assert four[0].post(f"{path}/messages", {"text": "I stay."}).status_code == 201
    keep = games.keep_snapshot

    def late(*given: Any) -> None:
        assert host.delete(f"/v1/players/{zerlinda.player}").status_code == 204
        keep(*given)

    with monkeypatch.context() as patched:
        patched.setattr(games, "keep_snapshot", late)
        assert four[0].get(f"{path}?version=69").status_code == 200
    assert NAME not in four[0].get(f"{path}?version=69").text
    assert found(sql) == []


def test_what_is_announced_during_a_deletion_is_not_kept_after_it(
    host: Caller,
    four: list[Caller],
    zerlinda: Caller,
    sql: psycopg.Connection,
    context: Context,
    monkeypatch: Any,
) -> None:
    host.post("/v1/webhooks", {"url": "https://example.org/", "include": ["entry"], "events": ["game.said"]})
    game = new_game(host, [zerlinda, *four[:2]], pace=PACE)
    assert zerlinda.post(f"/v1/games/{game['id']}/messages", {"text": WORDS}).status_code == 201
    enqueue, statuses = posting.enqueue, []
    deletion = Thread(
        target=lambda: statuses.append(host.delete(f"/v1/players/{zerlinda.player}").status_code)
    )

    def late(*given: Any) -> None:
        deletion.start()
        deletion.join(0.5)
        enqueue(*given)

    with monkeypatch.context() as patched:
        patched.setattr(posting, "enqueue", late)
        keep_time(context)
    deletion.join()
    assert statuses == [204]
    assert found(sql) == []
