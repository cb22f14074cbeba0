"""Players with their own keys sign what they agree to: take-backs, vacations, replacements, orders."""

from __future__ import annotations

from typing import Any

from tests.support.callers import Caller, Clock, first_move
from tests.support.forging import failed
from tests.support.node import ask, failures
from tests.support.signers import Signer, holds, keyed, play, record_of, refused, without
from tests.support.signers import signers as plain_signers

signers = plain_signers


def test_agreements_are_signed(host: Caller, signers: list[Signer]) -> None:
    """It covers taking back, being away, and handing a seat over."""
    pace = {"per_move": "PT24H", "on_timeout": "random_move", "vacation_days": 5}
    game = keyed(host, signers, "pedro", pace=pace)
    path = f"/v1/games/{game['id']}"
    game = play(signers, game, 1)
    mover = game["to_act"][0]
    game = play(signers, game, 1)
    for who, place, kind, body, chosen in (
        (mover, "/take-back", "take_back_requested", {}, {}),
        ((mover + 1) % 4, "/take-back/answer", "take_back_agreed", {"agree": True}, {}),
        ((mover + 2) % 4, "/take-back/answer", "take_back_refused", {"agree": False}, {}),
        (mover, "/take-back", "take_back_requested", {}, {}),
        ((mover + 1) % 4, "/take-back/answer", "take_back_agreed", {"agree": True}, {}),
        ((mover + 2) % 4, "/take-back/answer", "take_back_agreed", {"agree": True}, {}),
        ((mover + 3) % 4, "/take-back/answer", "take_back_agreed", {"agree": True}, {}),
        (mover, "/vacation", "vacation_taken", {"days": 2}, {"days": 2}),
    ):
        signer = signers[who]
        for caller in (host, signer.caller):
            unsigned = caller.post(path + place, {"seat": who, **body})
            assert refused(unsigned, 422, "signature-needed"), unsigned.text
        signed = signer.sign(game, kind, who, **chosen)
        done = signer.caller.post(path + place, {"seat": who, "signed": signed, **body})
        assert done.status_code == 201, done.text
        game = done.json["game"]
    assert done.json["entry"]["type"] == "vacation_taken"
    assert game["to_act"] == [mover]
    play(signers, game, 2)
    host.post(f"{path}/cancellation")
    record = record_of(host, game)
    assert "taken_back" in [entry["type"] for entry in record["entries"]]
    holds(record, 12)
    for kind in ("take_back_agreed", "vacation_taken"):
        seq = next(entry["seq"] for entry in record["entries"] if entry["type"] == kind)
        bad = without(record, seq, "signature")
        assert failed(bad)["signatures"] == failures(*ask([bad]))["signatures"] == seq


def test_handing_a_seat_over_is_signed_and_the_players_key_comes_along(
    host: Caller, signers: list[Signer], new_player: Any, clock: Clock
) -> None:
    game = keyed(host, signers, "pies", visibility="unlisted")
    path = f"/v1/games/{game['id']}"
    missing = game["to_act"][0]
    others = [seat for seat in range(4) if seat != missing]
    clock.move(days=8)
    eve = new_player("Eve")
    who, new = {"player": eve.player}, {"seat": missing, "player": eve.player, "bot": None}
    place = f"{path}/seats/{missing}/player"
    for seat in others:
        caller = signers[seat].caller
        assert refused(caller.put(place, who), 422, "signature-needed")
        game = caller.get(path).json
        wrong = signers[seat].sign(game, "replacement_agreed", seat, replacement={**new, "player": None})
        assert refused(caller.put(place, {**who, "signed": wrong}), 422, "signature-needed")
        signed = signers[seat].sign(game, "replacement_agreed", seat, replacement=new)
        done = caller.put(place, {**who, "signed": signed})
        assert done.status_code == 200, done.text
    game = eve.get(path).json
    assert "public_key" not in game["seats"][missing]
    given = {"seat": missing, "move": first_move(eve, game)}
    unasked = eve.post(f"{path}/moves", {**given, "signed": signers[missing].sign(game, "moved", missing)})
    assert refused(unasked, 400, "malformed-request")
    assert eve.post(f"{path}/moves", given).json["entry"]["by"] == "player"
    host.post(f"{path}/cancellation")
    holds(record_of(host, game), 3)


def test_standing_orders_are_signed_when_they_are_set(host: Caller, signers: list[Signer]) -> None:
    """So an app acting as the player cannot set any; moves played from them say so, and are unsigned."""
    game = keyed(host, signers, "pies")
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    signer = signers[seat]
    orders = {"orders": [{"move": first_move(signer.caller, game)}]}
    acting = {"Card-Referee-Player": str(signer.caller.player)}
    assert refused(host.put(f"{path}/orders", orders, headers=acting), 422, "signature-needed")
    assert refused(signer.caller.put(f"{path}/orders", orders), 422, "signature-needed")
    signed = signer.sign(game, "orders", seat, moves=[order["move"] for order in orders["orders"]])
    assert signer.caller.put(f"{path}/orders", {**orders, "signed": signed}).status_code == 200
    entry = signer.caller.get(f"{path}/events?after={game['version']}").json["items"][0]
    assert (entry["type"], entry["by"], "signature" in entry) == ("moved", "order", False)
    host.post(f"{path}/cancellation")
    holds(record_of(host, game), 0)
