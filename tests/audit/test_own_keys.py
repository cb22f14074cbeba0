"""Players with their own keys: nobody else can act in their name, and every verifier detects attempts."""

from __future__ import annotations

import json
import runpy
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.records
from tests.independent.game import Referee
from tests.independent.verify import verify as independent
from tests.support.callers import Caller, Clock, first_move, play_on
from tests.support.forging import chained_anew, failed
from tests.support.node import NODE, ask, failures
from tests.support.signers import Signer, holds, keyed, play, record_of, refused, without
from tests.support.signers import signers as signers

CLIENTS = Path(__file__).parents[2] / "clients"

# Public keys that are points of small order: one signature of such a key is valid for many messages.
WEAK = [
    "00" * 32,
    "01" + "00" * 31,
    "00" * 31 + "80",
    "01" + "00" * 30 + "80",
    "ec" + "ff" * 30 + "7f",
    "ec" + "ff" * 31,
    "ed" + "ff" * 30 + "7f",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
]


def test_a_game_whose_players_sign_is_verified_by_all(host: Caller, signers: list[Signer]) -> None:
    game = play(signers, keyed(host, signers, "dog_cards"), 14)
    assert [seat["public_key"] for seat in game["seats"]] == [one.public for one in signers]
    running = record_of(signers[1].caller, game)
    assert referee.verify(running).ok
    assert failures(*ask([running])) == {}
    signed = signers[2].sign(game, "resigned", 2)
    done = signers[2].caller.post(f"/v1/games/{game['id']}/resignation", {"signed": signed})
    assert done.status_code == 201, done.text
    assert (done.json["entry"]["by"], done.json["entry"]["signature"]) == ("player", signed["signature"])
    record = record_of(host, game)
    holds(record, 15)
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    made = [entry for entry in record["entries"] if entry["type"] == "moved"]
    assert {entry["by"] for entry in made} == {"player"}


def test_the_signature_of_a_secret_move_is_secret(host: Caller, signers: list[Signer]) -> None:
    """Somebody who saw it could try every card."""
    game = play(signers, keyed(host, signers, "dog_cards"), 8)
    record = record_of(host, game)
    assert failed(record) == {}
    given = [entry for entry in record["entries"] if (entry.get("move") or {}).get("type") == "give"]
    assert given
    assert all("signature" not in entry for entry in given)
    other = next(seat for seat in range(4) if seat != given[0]["seat"])
    shown = record_of(signers[other].caller, game)["entries"][given[0]["seq"] - 1]
    assert "signature" not in json.dumps(shown)
    own = record_of(signers[given[0]["seat"]].caller, game)
    share = own["entries"][given[0]["seq"] - 1]["private"][str(given[0]["seat"])]
    assert share.keys() >= {"move", "signature", "salt"}
    for seen in (record, own, record_of(signers[other].caller, game)):
        assert referee.verify(seen).ok
        assert failures(*ask([seen])) == {}


def test_nobody_else_moves_for_a_player_with_a_key(host: Caller, signers: list[Signer]) -> None:
    game = keyed(host, signers, "pies")
    seat = game["to_act"][0]
    signer, path = signers[seat], f"/v1/games/{game['id']}/moves"
    move, *_ = signer.caller.get(f"/v1/games/{game['id']}/legal-moves").json["moves"]
    acting = {"Card-Referee-Player": str(signer.caller.player)}
    for caller, headers in ((host, {}), (host, acting), (signer.caller, {})):
        done = caller.post(path, {"seat": seat, "move": move}, headers=headers)
        assert refused(done, 422, "signature-needed")
    good = signer.sign(game, "moved", seat, move=move)
    other = signers[(seat + 1) % 4]
    elsewhere = keyed(host, signers, "pies")
    for signed in (
        signer.sign(game, "moved", seat, move={**move, "card": "X"}),
        signer.sign(game, "moved", seat + 1, move=move),
        signer.sign(game, "resigned", seat),
        other.sign(game, "moved", seat, move=move),
        {**signer.sign({**elsewhere, "head": game["head"]}, "moved", seat, move=move)},
        {**good, "signature": "00" * 64},
    ):
        done = host.post(path, {"seat": seat, "move": move, "signed": signed})
        assert refused(done, 422, "signature-needed"), done.text
    assert signer.caller.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    for odd in ({**good, "signature": "zz"}, {"signature": good["signature"]}, "x"):
        done = host.post(path, {"seat": seat, "move": move, "signed": odd})
        assert refused(done, 400, "malformed-request")
    sent = host.post(path, {"seat": seat, "move": move, "signed": good})  # an app may forward it
    assert sent.json["entry"]["by"] == "player"


def test_a_signature_is_valid_for_the_log_that_its_signer_saw(host: Caller, signers: list[Signer]) -> None:
    game = keyed(host, signers, "pies")
    seat = game["to_act"][0]
    host.post(f"/v1/games/{game['id']}/messages", {"text": "Hello"})
    stale = signers[seat].move(game, seat)
    assert refused(stale, 412, "stale-version")
    assert stale.json["version"] == game["version"] + 1
    assert (
        signers[seat].move(signers[seat].caller.get(f"/v1/games/{game['id']}").json, seat).status_code == 201
    )


def test_a_move_is_judged_for_nobody_but_who_has_the_key(host: Caller, signers: list[Signer]) -> None:
    """The verdict on an illegal move may depend on the hand; and who signs too late learns just that."""
    game = play(signers, keyed(host, signers, "dog_cards"), 8)
    seat = next(number for number in range(4) if number not in game["to_act"])
    mover, path = signers[seat], f"/v1/games/{game['id']}/moves"
    move = {"type": "discard", "card": "3"}
    for caller in (host, mover.caller):
        assert refused(caller.post(path, {"seat": seat, "move": move}), 422, "signature-needed")
        other = mover.sign(game, "resigned", seat)
        assert refused(
            caller.post(path, {"seat": seat, "move": move, "signed": other}), 422, "signature-needed"
        )
    old = mover.sign({**game, "head": "0" * 64}, "moved", seat, move=move)
    assert refused(mover.caller.post(path, {"seat": seat, "move": move, "signed": old}), 412, "stale-version")
    assert refused(mover.move(game, seat, move), 422, "illegal-move")


def test_without_keys_entries_name_the_caller(host: Caller, four: list[Caller], clock: Clock) -> None:
    pace = {"per_move": "PT1H", "on_timeout": "random_move"}
    seats = [{"player": four[0].player}, {"player": four[1].player}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": pace}).json
    path = f"/v1/games/{game['id']}"
    seen: set[str] = set()
    turn = 0
    while game["status"] == "running" and seen != {"player", "app", "order", "clock", "bot"}:
        seat, turn = game["to_act"][0], turn + 1
        move = first_move(four[seat], game)
        if turn % 4 == 0:
            clock.move(hours=2)
        elif turn % 4 == 1:
            host.post(f"{path}/moves", {"seat": seat, "move": move})
        elif turn % 4 == 2:
            assert four[seat].put(f"{path}/orders", {"orders": [{"move": move}]}).status_code == 200
        else:
            four[seat].post(f"{path}/moves", {"move": move})
        if turn % 4 == 0:
            four[seat].post(f"{path}/moves", {"move": move})  # clocks are settled first
        game = four[seat].get(path).json
        seen |= {
            e["by"] for e in four[0].get(f"{path}/events?limit=200").json["items"] if e["type"] == "moved"
        }
    assert seen == {"player", "app", "order", "clock", "bot"}
    host.post(f"{path}/messages", {"text": "Thank you."})
    four[0].post(f"{path}/messages", {"text": "Welcome."})
    host.post(f"{path}/cancellation")
    record = record_of(host, game)
    assert failed(record) == {}
    assert failures(*ask([record])) == {}
    for mark, by in (("random", "player"), ("bot", "app"), ("order", "player"), ("said", "bot")):
        seq = next(
            entry["seq"]
            for entry in record["entries"]
            if mark in (*entry, entry["type"]) and entry["type"] != "joined"
        )
        forged = json.loads(json.dumps(record))
        forged["entries"][seq - 1]["by"] = by
        for bad in (chained_anew(forged), without(record, seq, "by")):
            assert failed(bad)["seats"] == seq
            assert failures(*ask([bad]))["seats"] == seq


def forge(record: dict[str, Any], change: Callable[[list[dict[str, Any]]], None]) -> dict[str, Any]:
    """Change a record as somebody who owns the seed and the database, rebuilding every hash."""
    other = json.loads(json.dumps(record))
    change(other["entries"])
    return chained_anew(other)


def test_every_forged_move_of_a_player_with_a_key_is_found(host: Caller, signers: list[Signer]) -> None:
    """Forged moves are unsigned, signed by another key, or signed elsewhere."""
    game = play(signers, keyed(host, signers, "pies"), 6)
    host.post(f"/v1/games/{game['id']}/cancellation")
    record = record_of(host, game)
    holds(record, 6)
    at = [n for n, entry in enumerate(record["entries"]) if entry["type"] == "moved"]
    n, last = at[2], record["entries"][at[2]]["seq"]
    seat = record["entries"][n]["seat"]
    thief = Ed25519PrivateKey.from_private_bytes(b"\7" * 32)

    def unsigned(entries: list[dict[str, Any]]) -> None:
        del entries[n]["signature"]

    def by_app(entries: list[dict[str, Any]]) -> None:
        entries[n]["by"] = "app"

    def openly_by_app(entries: list[dict[str, Any]]) -> None:
        unsigned(entries)
        by_app(entries)

    def swapped(entries: list[dict[str, Any]]) -> None:
        one, other = entries[n], entries[at[5]]
        one["signature"], other["signature"] = other["signature"], one["signature"]

    def by_thief(entries: list[dict[str, Any]]) -> None:
        action = {"type": "moved", "seat": seat, "move": entries[n]["move"]}
        message = {"action": action, "game": game["commitment"], "previous": entries[n - 1]["hash"]}
        entries[n]["signature"] = thief.sign(rfc8785.dumps(message)).hex()

    def nonsense(entries: list[dict[str, Any]]) -> None:
        entries[n]["signature"] = 7

    def given_up(entries: list[dict[str, Any]]) -> None:
        gone = {name: entries[n][name] for name in ("seq", "at", "seat", "player", "by")}
        entries[n] = {"type": "resigned", **gone}

    for change in (unsigned, by_app, openly_by_app, swapped, by_thief, nonsense, given_up):
        bad = forge(record, change)
        assert failed(bad)["signatures"] == last, change.__name__
        assert failures(*ask([bad]))["signatures"] == last, change.__name__

    def another_key(entries: list[dict[str, Any]]) -> None:
        joined = next(e for e in entries if e["type"] == "joined" and e["seat"] == seat)
        joined["public_key"] = thief.public_key().public_bytes_raw().hex()

    def no_key(entries: list[dict[str, Any]]) -> None:
        joined = next(e for e in entries if e["type"] == "joined" and e["seat"] == seat)
        del joined["public_key"]

    def said_before(entries: list[dict[str, Any]]) -> None:
        """Change an earlier message of somebody else, so that the moves were signed for another log."""
        next(e for e in entries if e["type"] == "joined" and e["seat"] != seat)["entropy"] = "x"

    for change in (another_key, no_key, said_before):
        bad = forge(record, change)
        assert "signatures" in failed(bad), change.__name__
        assert "signatures" in failures(*ask([bad])), change.__name__


def retire(signer: Signer, game: dict[str, Any], seat: int) -> Any:
    signed = signer.sign(game, "key_retired", seat)
    return signer.caller.post(f"/v1/games/{game['id']}/key-retirement", {"seat": seat, "signed": signed})


def test_who_has_a_key_gives_it_up_and_acts_without(host: Caller, signers: list[Signer]) -> None:
    game = play(signers, keyed(host, signers, "pies"), 3)
    seat, path = game["to_act"][0], f"/v1/games/{game['id']}"
    signer, other = signers[seat], signers[(seat + 1) % 4]
    for caller, signed in (
        (host, None),
        (signer.caller, None),
        (signer.caller, other.sign(game, "key_retired", seat)),
        (signer.caller, signer.sign(game, "resigned", seat)),
    ):
        body = {"seat": seat, "signed": signed} if signed else {"seat": seat}
        assert refused(caller.post(f"{path}/key-retirement", body), 422, "signature-needed")
    done = retire(signer, game, seat)
    assert done.status_code == 201, done.text
    assert (done.json["entry"]["type"], done.json["game"]["to_act"]) == ("key_retired", game["to_act"])
    game = done.json["game"]
    assert "public_key" not in game["seats"][seat]
    assert signer.caller.get(f"{path}?version={game['version']}").json["seats"] == game["seats"]
    assert refused(retire(signer, game, seat), 409, "conflict")
    moved = signer.caller.post(f"{path}/moves", {"seat": seat, "move": first_move(signer.caller, game)})
    assert moved.status_code == 201, moved.text
    game = moved.json["game"]
    mine = (seat + 2) % 4
    assert retire(signers[mine], game, mine).status_code == 201
    assert host.post(f"{path}/cancellation").status_code == 201
    assert refused(retire(other, game, (seat + 1) % 4), 409, "game-over")
    record = record_of(host, game)
    holds(record, 5)
    n = len(record["entries"]) - 2

    def unsigned(entries: list[dict[str, Any]]) -> None:
        del entries[n]["signature"]

    def by_app(entries: list[dict[str, Any]]) -> None:
        entries[n]["by"] = "app"

    def of_another(entries: list[dict[str, Any]]) -> None:
        entries[n] |= {"seat": seat, "player": record["entries"][seat + 1]["player"]}
        del entries[n]["signature"]

    with closing(Referee()) as judge:
        assert independent(record, judge)[0] is None
        for change in (unsigned, by_app, of_another):
            bad = forge(record, change)
            for found in (failed(bad), failures(*ask([bad]))):
                assert found["signatures"] == record["entries"][n]["seq"], change.__name__
            assert independent(bad, judge)[0], change.__name__


def test_a_key_is_given_up_in_a_pause(host: Caller, signers: list[Signer]) -> None:
    game = keyed(host, signers, "pies", pace={"per_move": "P3D", "on_timeout": "resign"})
    path = f"/v1/games/{game['id']}"
    for seat, signer in enumerate(signers):
        signed = {"seat": seat, "signed": signer.sign(game, "pause_agreed", seat)}
        game = signer.caller.post(f"{path}/pause", signed).json["game"]
    assert game["paused"]
    assert retire(signers[0], game, 0).status_code == 201
    assert host.post(f"{path}/cancellation").status_code == 201
    record = record_of(host, game)
    assert referee.verify(record).ok
    assert failures(*ask([record])) == {}


@pytest.mark.parametrize("key", [*WEAK, "AB" * 32, "ab" * 31, 7])
def test_weak_or_malformed_keys_are_refused(host: Caller, four: list[Caller], key: Any) -> None:
    seats = [{"player": four[0].player, "public_key": key}, *[{"open": True}] * 3]
    assert refused(host.post("/v1/games", {"ruleset": "pies", "seats": seats}), 400, "malformed-request")
    assert not referee.records.is_key(key)


def test_keys_follow_players_to_every_seat(host: Caller, signers: list[Signer], anyone: Caller) -> None:
    seats = [{"open": True}] * 3 + [{"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "pies", "seats": seats, "visibility": "public"}).json
    path = f"/v1/games/{game['id']}"
    codes = [seat.get("invite") for seat in game["seats"]]
    bot = {"ruleset": "pies", "seats": [{"bot": "random", "public_key": signers[0].public}] * 4}
    assert host.post("/v1/games", bot).status_code == 400
    first = signers[0].caller.put(f"{path}/seats/0", {"public_key": signers[0].public, "invite": codes[0]})
    assert first.json["seats"][0]["public_key"] == signers[0].public
    assert signers[0].caller.delete(f"{path}/seats/0").status_code == 204
    assert "public_key" not in host.get(path).json["seats"][0]
    signers[0].caller.put(f"{path}/seats/0", {"public_key": signers[1].public, "invite": codes[0]})
    body = {"invite": codes[1], "name": "Gast", "public_key": signers[3].public}
    guest = Caller(host.app, anyone.post(f"{path}/seats/1/guest", body).json["token"])
    last = {"player": signers[2].caller.player, "public_key": signers[2].public}
    game = host.put(f"{path}/seats/2", last).json
    assert game["status"] == "running"
    joined = [e for e in host.get(f"{path}/events").json["items"] if e["type"] in ("joined", "left")]
    assert [e["by"] for e in joined] == ["app", "player", "player", "player", "player", "app"]
    signing = {1: Signer(guest, 4), 0: Signer(signers[0].caller, 2), 2: signers[2]}
    for _ in range(3):
        game = signing[game["to_act"][0]].caller.get(path).json
        assert signing[game["to_act"][0]].move(game, game["to_act"][0]).status_code == 201
        game = host.get(path).json
    done = guest.post(f"{path}/resignation", {"signed": signing[1].sign(game, "resigned", 1)})
    assert done.status_code == 201
    holds(record_of(host, game), 4)
    again = host.post(f"{path}/rematch", {"seats": "same"})
    assert [seat["public_key"] for seat in again.json["seats"][:3]] == [signing[n].public for n in range(3)]


def test_the_clients_sign_what_the_server_checks(host: Caller, signers: list[Signer]) -> None:
    game = keyed(host, signers, "pies")
    seat = game["to_act"][0]
    signer = signers[seat]
    move = first_move(signer.caller, game)
    given = game["commitment"], game["head"], {"type": "moved", "seat": seat, "move": move}
    python = runpy.run_path(str(CLIENTS / "python" / "card_referee_client" / "signing.py"))
    signed = python["sign_action"](signer.key, *given)
    # WebCrypto imports a private key as PKCS #8: 16 bytes that mean Ed25519, then the key.
    whole = "302e020100300506032b657004220420" + signer.key.private_bytes_raw().hex()
    script = f"""
        import {{ signAction }} from {json.dumps((CLIENTS / "typescript/src/signing.ts").as_uri())};
        const own = Buffer.from("{whole}", "hex");
        const key = await crypto.subtle.importKey("pkcs8", own, "Ed25519", false, ["sign"]);
        console.log(JSON.stringify(await signAction(key, ...{json.dumps(given)})));"""
    flags = ["--experimental-strip-types", "--no-warnings", "--input-type=module", "-e", script]
    done = subprocess.run([NODE, *flags], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == signed
    body = {"seat": seat, "move": move, "signed": signed}
    assert host.post(f"/v1/games/{game['id']}/moves", body).status_code == 201


def test_games_without_keys_are_as_before(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": player.player} for player in four]
    game: dict[str, Any] = host.post("/v1/games", {"ruleset": "pies", "seats": seats}).json
    play_on(four, game, 4)
    record = record_of(host, game)
    assert "signatures" not in {check.name for check in referee.verify(record).checks}
    assert "signatures" not in {check["name"] for check in ask([record])[0]["checks"]}
    assert "public_key" not in json.dumps(record)
    at = next(n for n, entry in enumerate(record["entries"]) if entry["type"] == "moved")
    host.post(f"/v1/games/{game['id']}/cancellation")
    for signature in (
        "00" * 64,
        "",
        None,
    ):  # refused in a game where nobody checks it
        bad = record_of(host, game)
        bad["entries"][at]["signature"] = signature
        assert failed(chained_anew(bad)).get("signatures") == at + 1
        assert failures(*ask([bad])).get("signatures") == at + 1
