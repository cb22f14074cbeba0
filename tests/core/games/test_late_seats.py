"""Several seats that miss one deadline: all of them time out at that moment, not only the lowest."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

import referee
from tests.support.callers import Caller, Clock, first_move, log, new_game
from tests.support.forging import chained_anew, failed
from tests.support.node import ask, failures

RESIGN = {"per_move": "PT72H", "on_timeout": "resign"}
RANDOM = {"per_move": "PT72H", "on_timeout": "random_move"}
SIMULTANEOUS = [("truco", 4), ("mau_mau", 3), ("palace", 3), ("dog_cards", 4)]


def swap(players: list[Caller], game: dict[str, Any], *seats: int) -> None:
    """Let these seats finish their swaps in a game of palace."""
    for seat in seats:
        path = f"/v1/games/{game['id']}"
        legal = players[seat].get(f"{path}/legal-moves").json["moves"]
        done = next(move for move in legal if move["type"] == "ready")
        assert players[seat].post(f"{path}/moves", {"move": done}).status_code == 201


def holds(host: Caller, auditor: Caller, game: dict[str, Any]) -> dict[str, Any]:
    """Return the finished game's record after it verified here and offline, with its log and without."""
    path = f"/v1/games/{game['id']}"
    verified = auditor.get(f"{path}/verification").json
    assert verified["ok"], [check for check in verified["checks"] if not check["ok"]]
    record: dict[str, Any] = host.get(f"{path}/record").json
    assert referee.verify(record).ok
    alone = {key: value for key, value in record.items() if key != "entries"}
    assert [check for check in referee.verify(alone).checks if not check.ok] == []
    step = referee.replay(referee.read_record(alone))
    assert step.state.result == record["result"]
    assert referee.read(referee.dump(step.state)).result == record["result"]
    return record


def test_all_late_seats_lose_and_the_others_win(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:4], ruleset="palace", pace=RESIGN)
    assert game["to_act"] == [0, 1, 2, 3]
    swap(four, game, 1)
    clock.move(hours=72)
    worker()
    *_, first, second, third, finished = log(host, game)
    assert [(e["type"], e["seat"]) for e in (first, second, third)] == [("timed_out", n) for n in (0, 2, 3)]
    assert finished["result"] == {"winners": [1], "losers": [0, 2, 3], "reason": "timed_out"}
    record = holds(host, auditor, game)
    assert record["ended"] == {"type": "timed_out", "seat": 0, "seats": [0, 2, 3]}
    assert host.get(f"/v1/games/{game['id']}?version={finished['seq']}").json["result"] == finished["result"]
    assert host.get(f"/v1/games/{game['id']}").json["view"]["result"] == finished["result"]
    assert (
        auditor.get(f"/v1/games/{game['id']}?version={finished['seq']}").json["view"]
        == (auditor.get(f"/v1/games/{game['id']}").json["view"])
    )


def test_nobody_wins_where_all_are_late(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:3], ruleset="palace", pace=RESIGN)
    late = first_move(four[0], game)
    clock.move(hours=72)
    refused = four[2].post(f"/v1/games/{game['id']}/moves", {"move": late})
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/game-over")
    result = {"winners": [], "losers": [0, 1, 2], "reason": "timed_out"}
    assert host.get(f"/v1/games/{game['id']}").json["result"] == result
    holds(host, auditor, game)


def test_late_seats_lose_with_their_teams(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four, ruleset="dog_cards", pace=RESIGN)
    while len(game["to_act"]) < 2:
        mover = four[game["to_act"][0]]
        game = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}).json["game"]
    keep = game["to_act"][0]
    for seat in [seat for seat in game["to_act"] if seat != keep]:
        body = {"move": first_move(four[seat], game)}
        assert four[seat].post(f"/v1/games/{game['id']}/moves", body).status_code == 201
    clock.move(hours=72)
    worker()
    result = host.get(f"/v1/games/{game['id']}").json["result"]
    assert result == {
        "winners": sorted({0, 1, 2, 3} - {keep, (keep + 2) % 4}),
        "losers": sorted({keep, (keep + 2) % 4}),
        "reason": "timed_out",
    }
    record = holds(host, auditor, game)
    assert record["ended"] == {"type": "timed_out", "seat": keep}


def test_a_move_is_made_for_every_late_seat_in_one_transaction(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None], sql: Any
) -> None:
    game = new_game(host, four[:3], ruleset="palace", pace=RANDOM)
    swap(four, game, 1)
    clock.move(hours=72)
    worker()
    happened = [(e["type"], e["seat"]) for e in log(host, game)[-4:]]
    assert happened == [("timed_out", 0), ("timed_out", 2), ("moved", 0), ("moved", 2)]
    late = [e["seq"] for e in log(host, game) if e["type"] == "timed_out"]
    written = sql.execute(
        "SELECT count(DISTINCT xmin::text) FROM entries WHERE game_id = %s AND seq >= %s",
        (game["id"], late[0]),
    )
    assert written.fetchone() == (1,)
    assert {e["seat"] for e in log(host, game) if e["type"] == "timed_out"} == {0, 2}
    assert host.post(f"/v1/games/{game['id']}/resignation", {"seat": 0}).status_code == 201
    record = holds(host, auditor, game)
    entries = record["entries"]
    one, other = entries[late[0] - 1], entries[late[1] - 1]  # choosing the order would choose moves
    entries[late[0] - 1], entries[late[1] - 1] = {**other, "seq": late[0]}, {**one, "seq": late[1]}
    assert failed(chained_anew(record)) == {"clocks": late[1]}


@pytest.mark.parametrize(("ruleset", "seats"), SIMULTANEOUS)
def test_a_move_made_for_one_late_seat_hides_no_other(
    host: Caller,
    auditor: Caller,
    new_player: Callable[..., Caller],
    clock: Clock,
    worker: Callable[[], None],
    ruleset: str,
    seats: int,
) -> None:
    """All are listed before the first move is made, which may end the turns of the others."""
    players = [new_player(f"Player {n}") for n in range(seats)]
    wanted = {"ruleset": ruleset, "seats": [{"player": p.player} for p in players], "pace": RANDOM}
    game = host.post("/v1/games", wanted).json
    path, chance = f"/v1/games/{game['id']}", random.Random(ruleset)
    while len(game["to_act"]) < 2:
        seat = game["to_act"][0]
        moves = players[seat].get(f"{path}/legal-moves").json["moves"]
        game = players[seat].post(f"{path}/moves", {"move": chance.choice(moves)}).json["game"]
    late, version = game["to_act"], game["version"]
    clock.move(hours=72)
    worker()
    entries = host.get(f"{path}/events?after={version}&limit=200").json["items"]
    assert [(e["type"], e["seat"]) for e in entries[: len(late)]] == [("timed_out", seat) for seat in late]
    made = [e for e in entries[len(late) :] if e["type"] == "moved"]
    assert made
    assert all(e["random"] and e["seat"] in late for e in made)
    verified = auditor.get(f"{path}/verification").json
    assert verified["ok"], [check for check in verified["checks"] if not check["ok"]]


def test_late_seats_of_palace_are_ready_with_their_cards_as_they_are(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    for on_timeout in ("random_move", "bot"):
        game = new_game(host, four[:3], ruleset="palace", pace={**RANDOM, "on_timeout": on_timeout})
        before = auditor.get(f"/v1/games/{game['id']}").json["view"]["zones"]
        swap(four, game, 1)
        clock.move(hours=72)
        worker()
        now = auditor.get(f"/v1/games/{game['id']}").json["view"]
        assert now["phase"] == "play"
        assert {name: cards for name, cards in now["zones"].items() if name in before} == before
        made = [entry for entry in log(host, game) if entry.get("random")]
        assert [(entry["seat"], entry["move"]) for entry in made] == [
            (0, {"type": "ready"}),
            (2, {"type": "ready"}),
        ]
        clock.move(hours=72)
        worker()
        late = log(host, game)[-1]
        assert (late["type"], late["random"]) == ("moved", True)
        four[0].post(f"/v1/games/{game['id']}/resignation")
        record = holds(host, auditor, game)
        forged = copy.deepcopy(record)
        swapped = next(entry for entry in forged["entries"] if entry.get("random"))
        hand, up = before["hand.0"], before["up.0"]
        card, other = next((mine, open_) for mine in hand for open_ in up if mine[0] != open_[0])
        swapped["move"] = {"type": "swap", "hand": card, "up": other}
        assert "clocks" in failed(chained_anew(forged))


@pytest.mark.parametrize(
    ("ruleset", "seats"), [("landlord", 4), ("pedro", 4), ("mau_mau", 3), ("truco", 4), ("bisca", 2)]
)
@pytest.mark.parametrize("on_timeout", ["random_move", "bot"])
def test_games_of_nobody_but_late_seats_verify(
    host: Caller,
    auditor: Caller,
    four: list[Caller],
    clock: Clock,
    worker: Callable[[], None],
    ruleset: str,
    seats: int,
    on_timeout: str,
) -> None:
    game = new_game(host, four[:seats], ruleset=ruleset, pace={**RANDOM, "on_timeout": on_timeout})
    for _ in range(12):
        clock.move(hours=73)
        worker()
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = holds(host, auditor, game)
    assert sum("random" in entry for entry in record["entries"]) >= 12


def test_a_late_seat_whose_turn_another_move_ended_is_not_forgotten(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    """In truco, two seats owe an answer, and the move made for the first ends both turns."""
    game = new_game(host, four, ruleset="truco", pace={"per_move": "PT72H", "on_timeout": "random_move"})
    path, chance = f"/v1/games/{game['id']}", random.Random(1)
    while len(game["to_act"]) < 2:
        seat = game["to_act"][0]
        moves = four[seat].get(f"{path}/legal-moves").json["moves"]
        game = four[seat].post(f"{path}/moves", {"move": chance.choice(moves)}).json["game"]
    clock.move(hours=72)
    host.post(f"{path}/resignation", {"seat": 0})  # this settles the clocks of late seats
    record = host.get(f"{path}/record").json
    assert record["result"] is not None
    assert referee.verify(record).ok
    forgotten = copy.deepcopy(record)
    entries = forgotten["entries"]
    second = [entry["seq"] for entry in entries if entry["type"] == "timed_out"][1]
    del entries[second - 1]
    for entry in entries[second - 1 :]:
        entry["seq"] -= 1
    for move in forgotten["moves"]:
        if move["seq"] > second:
            move["seq"] -= 1
    found = referee.verify(chained_anew(forgotten))
    assert "clocks" in {check.name for check in found.checks if not check.ok}


def test_seats_that_are_late_together_lose_together(host: Caller, four: list[Caller], clock: Clock) -> None:
    """A log that omits one of them is not valid; nor is one that includes a seat that was in time."""
    pace = {"per_move": "PT1H", "on_timeout": "resign"}
    game = new_game(host, four, ruleset="palace", pace=pace)
    path = f"/v1/games/{game['id']}"
    assert len(game["to_act"]) == 4
    clock.move(hours=2)
    four[0].post(f"{path}/resignation")
    record = host.get(f"{path}/record").json
    assert referee.verify(record).ok, referee.verify(record)
    if record["result"]["reason"] == "resigned":  # as earlier versions wrote it: only one of them
        record["result"] = {"winners": [], "losers": [0, 1, 2, 3], "reason": "timed_out"}
        record["ended"] = {"type": "timed_out", "seat": 0, "seats": [0, 1, 2, 3]}
        entries = record["entries"]
        late = next(entry for entry in entries if entry["type"] == "timed_out")
        others = [
            {**late, "seq": late["seq"] + seat, "seat": seat, "player": game["seats"][seat]["player"]}
            for seat in (1, 2, 3)
        ]
        entries[-1].update(seq=late["seq"] + 4, result=record["result"])
        entries[late["seq"] :] = [*others, entries[-1]]
        record = chained_anew(record)
    assert referee.verify(record).ok, referee.verify(record)
    assert failures(ask([record])[0]) == {}
    forgotten = copy.deepcopy(record)
    del forgotten["entries"][-2]
    forgotten["entries"][-1]["seq"] -= 1
    forgotten["result"] = forgotten["entries"][-1]["result"] = {
        "winners": [3],
        "losers": [0, 1, 2],
        "reason": "timed_out",
    }
    forgotten["ended"]["seats"] = [0, 1, 2]
    found = referee.verify(chained_anew(forgotten))
    assert [check.name for check in found.checks if not check.ok] == ["clocks"]
