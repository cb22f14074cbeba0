"""Statistics of players: updated as games end, and equal to what their logs say."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import permutations
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

import referee
import referee.table
from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.games.game import Game
from api.games.loading import load
from api.games.saving import save
from api.store.database.session import Session
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.clocks import new_clock, on_clock

NOTHING = {"games": 0, "wins": 0, "points": 0, "timeouts": 0, "opponent": None}
RESIGN = {"per_move": "PT1H", "on_timeout": "resign"}
RANDOM = {"per_move": "PT1H", "on_timeout": "random_move"}


def shown(caller: Caller, player: Caller, query: str = "") -> dict[str, Any]:
    answer = caller.get(f"/v1/players/{player.player}/statistics{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json
    return found


@contextmanager
def in_hand(host: Caller, game: dict[str, Any]) -> Iterator[tuple[Game, datetime]]:
    """Return a game that is changed in one transaction, which is much faster than a request for each move."""
    site = host.app.extensions["card_referee"]
    session = Session(site.database, UUID(host.get("/v1/me").json["app"]["id"]))
    context = Context(site.settings, session, load_features().hooks, site.clock, site.random_bytes)
    with session.transaction():
        loaded = load(context, UUID(game["id"]), lock=True)
        yield loaded, context.now()
        save(context, loaded)
    session.close()


def play_on(host: Caller, game: dict[str, Any], chance: random.Random, most: int = 1000) -> Any:
    """Make any legal moves for the seats to act."""
    with in_hand(host, game) as (loaded, now):
        while most and loaded.to_act:
            most, seat = most - 1, loaded.to_act[0]
            loaded.play(now, seat, chance.choice(referee.legal_moves(loaded.state, seat)))
    return host.get(f"/v1/games/{game['id']}").json


def score_and_take_it_back(host: Caller, game: dict[str, Any], chance: random.Random) -> None:
    """Play on to the second move that scores, and take that back."""
    with in_hand(host, game) as (loaded, now):
        scored = 0
        while scored < 2:
            before, earlier = (
                [*loaded.state.scores],
                referee.table.Earlier(referee.clone(loaded.state), loaded.drawn),
            )
            seat = loaded.to_act[0]
            loaded.play(now, seat, chance.choice(referee.legal_moves(loaded.state, seat)))
            scored += loaded.state.scores != before
        of = {**loaded.who(seat), "of": loaded.version}
        loaded.enter(referee.table.Event("taken_back", now, of), given=referee.table.Given(earlier=earlier))


def play_all_kinds(host: Caller, four: list[Caller], clock: Clock, sql: psycopg.Connection) -> None:
    """Play games of all kinds that end in all ways, and some that do not end."""
    chance = random.Random(7)
    anna, ben, cleo, dan = four

    def path(game: dict[str, Any]) -> str:
        return f"/v1/games/{game['id']}"

    for players, ruleset in (
        ([dan, anna], "cats_and_dogs"),
        ([anna, ben, cleo, dan], "truco"),  # in teams
        ([anna, anna, ben], "cats_and_dogs"),  # two seats of one player
    ):
        played = play_on(host, new_game(host, players, ruleset), chance)
        assert played["status"] == "finished"
    record = host.get(f"{path(played)}/record").json

    for players in ([anna, ben], [ben, cleo, dan], [cleo, dan]):  # resigned, after some tricks
        game = play_on(host, new_game(host, players), chance, 12)
        host.post(f"{path(game)}/resignation", {"seat": chance.randrange(len(players))})

    game = new_game(host, four, "pies")  # whose scores begin with a hand's cards, and have not changed
    host.post(f"{path(game)}/resignation", {"seat": 0})

    for pace in (RESIGN, RANDOM):  # out of time; a move is made for the seat and the game continues
        game = new_game(host, [anna, cleo], pace=pace)
        for _ in range(3):
            clock.move(hours=2)
            host.post(f"{path(game)}/messages", {"text": "Well?"})
        if pace is RANDOM:
            host.post(f"{path(game)}/resignation", {"seat": 1})

    game = new_game(host, [ben, dan], pace=RANDOM)  # out of time, and replaced before the end
    late = game["to_act"][0]
    clock.move(hours=2)
    host.post(f"{path(game)}/messages", {"text": "Well?"})
    handed = host.put(f"{path(game)}/seats/{late}/player", {"player": cleo.player})
    assert handed.status_code == 200, handed.text
    host.post(f"{path(game)}/resignation", {"seat": late})

    seats = [{"player": anna.player}, {"open": True}]  # left before the start
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    assert host.delete(f"{path(game)}/seats/0").status_code in (200, 204)
    for number, player in enumerate((dan, ben)):
        host.put(f"{path(game)}/seats/{number}", {"player": player.player})
    host.post(f"{path(game)}/resignation", {"seat": 0})

    game = new_game(host, [cleo, ben])
    score_and_take_it_back(host, game, chance)
    host.post(f"{path(game)}/resignation", {"seat": 0})

    seats = [{"player": dan.player}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    host.post(f"{path(game)}/resignation", {"seat": 0})

    # Games that do not count: cancelled, not over, on a test clock, imported.
    host.post(f"{path(new_game(host, [anna, ben]))}/cancellation")
    play_on(host, new_game(host, [anna, ben]), chance, 5)
    game = on_clock(host, [anna, ben], new_clock(host))
    host.post(f"{path(game)}/resignation", {"seat": 0})
    del record["entries"]
    sql.execute("UPDATE games SET commitment = '\\x00' WHERE id = %s", (played["id"],))
    assert host.post("/v1/records", record).status_code == 201


class Played(NamedTuple):
    """What the replayed record of a finished game says: the holders of its seats, scores, time-outs."""

    ruleset: str
    winners: list[int]
    holders: dict[int, str | None]
    scores: list[int]
    late: Counter[str]


def read_records(host: Caller) -> list[Played]:
    """Read the records of all games that count."""
    found = []
    for game in host.get("/v1/games?limit=200").json["items"]:
        record = host.get(f"/v1/games/{game['id']}/record").json
        if record["result"] is None or record["origin"] != "dealt" or "test_clock" in record:
            continue
        scores = host.post("/v1/referee/replays", record).json["position"]["scores"]
        holders: dict[int, str | None] = {}
        late: Counter[str] = Counter()
        for entry in record["entries"]:
            if entry["type"] in ("joined", "left"):
                sits = entry["type"] == "joined" and entry["player"]
                holders[entry["seat"]] = entry["player"]["id"] if sits else None
            late.update([entry["player"]["id"]] if entry["type"] == "timed_out" else [])
        found.append(Played(game["ruleset"], record["result"]["winners"], holders, scores, late))
    return found


def naive(played: list[Played], player: str, beside: str | None = None) -> dict[str, Counter[str]]:
    """Compute the statistics again from the records alone, by ruleset."""
    counted: dict[str, Counter[str]] = {}
    for game in played:
        mine = [seat for seat, holder in game.holders.items() if holder == player]
        if not (mine or game.late[player]) or (beside and not (mine and beside in game.holders.values())):
            continue
        theirs = [seat for seat, holder in game.holders.items() if beside and holder == beside]
        won = any(seat in game.winners for seat in mine)
        counted.setdefault(game.ruleset, Counter()).update(
            games=bool(mine),
            wins=won and not any(seat in game.winners for seat in theirs),
            points=sum(game.scores[seat] for seat in mine),
            timeouts=game.late[player],
        )
    return counted


WHAT = ("games", "wins", "points", "timeouts")


def name(player: Caller) -> str:
    assert player.player is not None
    return player.player


def beside(mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return the answer about two players, from the statistics of each."""
    other = {what: theirs[what] for what in WHAT if what != "games"}
    both = {**mine, "opponent": other}
    if "rulesets" in mine:
        pairs = zip(mine["rulesets"], theirs["rulesets"], strict=True)
        both["rulesets"] = [beside(one, another) for one, another in pairs]
    return both


def as_shown(counted: dict[str, Counter[str]]) -> dict[str, Any]:
    """Return the answer that the service should give."""
    rulesets = [
        {"ruleset": ruleset, **{what: tally[what] for what in WHAT}, "opponent": None}
        for ruleset, tally in sorted(counted.items())
    ]
    total = {what: sum(tally[what] for tally in counted.values()) for what in WHAT}
    return {**total, "opponent": None, "rulesets": rulesets}


def test_statistics_agree_with_the_logs(
    host: Caller, four: list[Caller], clock: Clock, sql: psycopg.Connection, settings: Settings
) -> None:
    play_all_kinds(host, four, clock, sql)
    played = read_records(host)
    totals: Counter[str] = Counter()
    for player in four:
        answer = shown(host, player)
        assert answer == {"player": player.player, "against": None} | as_shown(naive(played, name(player)))
        totals.update({what: answer[what] for what in WHAT})
    assert all(totals.values()), totals  # otherwise the comparison would prove nothing
    wins = 0
    for player, other in permutations(four, 2):
        answer = shown(host, player, f"?against={other.player}")
        mine = as_shown(naive(played, name(player), name(other)))
        theirs = as_shown(naive(played, name(other), name(player)))
        assert answer == {"player": player.player, "against": other.player} | beside(mine, theirs)
        wins += answer["wins"]
    assert wins


def test_partners_do_not_win_against_each_other(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four, "truco")
    assert four[0].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    beside = shown(host, four[1], f"?against={four[3].player}")
    assert (beside["games"], beside["wins"], beside["opponent"]["wins"]) == (1, 0, 0)
    beside = shown(host, four[1], f"?against={four[2].player}")
    assert (beside["games"], beside["wins"], beside["opponent"]["wins"]) == (1, 1, 0)
    assert shown(host, four[3])["wins"] == 1


def test_an_end_is_never_taken_back(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    mover = four[game["to_act"][0]]
    path = f"/v1/games/{game['id']}"
    assert mover.post(f"{path}/moves", {"move": first_move(mover, game)}).status_code == 201
    assert mover.post(f"{path}/resignation").status_code == 201
    refused = mover.post(f"{path}/take-back")
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/game-over")
    assert shown(host, mover)["games"] == 1


def test_who_may_ask(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller], anyone: Caller
) -> None:
    anna, ben = four[:2]
    game = new_game(host, [anna, ben])
    anna.post(f"/v1/games/{game['id']}/resignation")
    other = new_key("other", "read", "write")
    stranger = other.post("/v1/players", {"name": "Eve"}).json["id"]
    path = f"/v1/players/{anna.player}/statistics"
    assert shown(anna, anna)["games"] == 1
    assert shown(anna, anna, f"?against={ben.player}")["opponent"] == {"wins": 1, "points": 0, "timeouts": 0}
    assert ben.get(path).status_code == 404
    assert other.get(path).status_code == 404
    assert anyone.get(path).status_code == 401
    assert other.get(f"/v1/players/{stranger}/statistics?against={anna.player}").status_code == 404
    assert host.get(f"{path}?against={stranger}").status_code == 404
    assert host.get(f"{path}?against={anna.player}").status_code == 400
    assert host.get(f"{path}?against=%00").status_code == 400
    assert host.get(f"{path}?against={ben.player}&against={ben.player}").status_code == 400
    assert shown(host, replace(anna, player=other.player or anna.player))["games"] == 1
    beside = shown(host, four[2], f"?against={anna.player}")
    assert (beside["games"], beside["rulesets"], beside["opponent"]["wins"]) == (0, [], 0)
    assert {name: shown(host, four[2])[name] for name in NOTHING} == NOTHING


def test_a_deleted_player_is_gone_but_still_counts_for_others(host: Caller, four: list[Caller]) -> None:
    anna, ben = four[:2]
    game = new_game(host, [anna, ben])
    goes_on = new_game(host, [anna, ben])
    anna.post(f"/v1/games/{game['id']}/resignation")
    assert host.delete(f"/v1/players/{anna.player}").status_code == 204
    assert host.get(f"/v1/players/{anna.player}/statistics").status_code == 404
    assert host.get(f"/v1/players/{ben.player}/statistics?against={anna.player}").status_code == 404
    assert shown(host, ben)["wins"] == 1
    assert ben.post(f"/v1/games/{goes_on['id']}/resignation").status_code == 201
    assert (shown(ben, ben)["games"], shown(ben, ben)["wins"]) == (2, 1)
