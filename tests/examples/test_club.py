"""The club of examples/club through a season in which notices are lost and the club is killed."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from openskill.models import PlackettLuce

from tests.servers.serving import TIMEOUT, Server, free_directory, serve
from tests.support.club import CLUB, BadPost, Club, bad_post, install_client

MEMBERS = 16
EVENTS = {"league": ("round_robin", "cats_and_dogs", 1), "cup": ("swiss", "bisca", 3)}
CUP_ROUNDS, CHALLENGES = 5, 8
IDLE = 3  # games in which nobody moves
KILLED_EVERY = (5, 12)  # games that have begun since it was started again
LONGEST = 1800  # seconds, in case something hangs


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Run a server of the module's own, which calls webhooks on this machine."""
    with free_directory() as directory, serve(directory, ALLOW_PRIVATE_WEBHOOKS="1") as running:
        yield running


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_client(tmp_path_factory.mktemp("client"))


class Api:
    """The server's API as the club's app."""

    def __init__(self, server: Server) -> None:
        headers = {"Authorization": f"Bearer {server.key}"}
        self.http = httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT, trust_env=False)

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> httpx.Response:
        return self.http.post(path, json=body)

    def games(self, **query: Any) -> Iterator[dict[str, Any]]:
        cursor = {}
        while True:
            page = self.get("/v1/games", limit=200, **query, **cursor)
            yield from page["items"]
            if page["next"] is None:
                return
            cursor = {"cursor": page["next"]}


class Players:
    """The members at their tables: they play a few moves and give up, play to the end, or never come.

    Rounds last a day. When all others have played, a match that waits for somebody is told that it is over.
    """

    def __init__(self, api: Api, club: Club, chance: random.Random) -> None:
        self.api, self.club, self.chance = api, club, chance
        self.plans: dict[str, int | None] = {}
        self.idle = 0

    def play(self) -> int:
        """Make a move in each game that runs; return how many there are."""
        running = [*self.api.games(status="running")]
        for game in running:
            self._move(game)
        if all(self.plans[game["id"]] is None for game in running):
            for game in running:
                self.club.end_time(game["metadata"]["match"])
        return len(running)

    def _move(self, game: dict[str, Any]) -> None:
        name, path = game["id"], f"/v1/games/{game['id']}"
        if name not in self.plans:
            late = game["metadata"]["event"] in EVENTS  # a match on the ladder may take a day
            idle = late and self.idle < IDLE and len(self.plans) % 20 > 6
            self.idle += idle
            whole = game["ruleset"] == "cats_and_dogs" and self.chance.random() < 0.15
            self.plans[name] = None if idle else 1000 if whole else self.chance.randrange(3)
        left = self.plans[name]
        if left is None:
            return
        self.plans[name] = left - 1
        if left == 0:
            self.api.post(f"{path}/resignation", {"seat": self.chance.randrange(2)})
            return
        seat = game["to_act"][0]
        legal = self.api.get(f"{path}/legal-moves", seat=seat)["moves"]
        if legal:
            self.api.post(f"{path}/moves", {"move": self.chance.choice(legal), "seat": seat})


def join(club: Club, names: list[str]) -> list[str]:
    """Let members join; return the secret addresses of their pages."""
    pages = []
    for name in names:
        answer = httpx.post(f"{club.url}/members", data={"name": name}, trust_env=False)
        assert answer.status_code == 303, answer.text
        pages.append(answer.headers["Location"])
    return pages


class Killing:
    """Kills the club again and again while games are played, and starts it again."""

    def __init__(self, club: Club, players: Players, chance: random.Random) -> None:
        self.club, self.players, self.chance, self.times = club, players, chance, 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        following = self.chance.randint(*KILLED_EVERY)
        while not self._stopping.wait(self.chance.random()):
            if len(self.players.plans) >= following:
                self.club.kill()
                self.times += 1
                self.club.start()
                following = len(self.players.plans) + self.chance.randint(*KILLED_EVERY)

    def __enter__(self) -> Killing:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()


def challenge(club: Club, pages: list[str], chance: random.Random) -> bool:
    """Let a member challenge somebody; tell whether the club has accepted it."""
    page = chance.choice(pages)
    try:
        shown = httpx.get(club.url + page, trust_env=False, timeout=TIMEOUT).text
        offered = shown.split('name="defender" value="')[1:]
        if not offered:
            return False
        data = {"event": "ladder", "defender": chance.choice(offered).split('"')[0]}
        answer = httpx.post(f"{club.url}{page}/challenges", data=data, trust_env=False, timeout=TIMEOUT)
    except httpx.TransportError:
        return False  # the club was killed; whether it took the challenge is seen on the ladder
    return answer.status_code == 303


def season_is_over(shown: dict[str, Any]) -> bool:
    rounds = {"league": MEMBERS - 1, "cup": CUP_ROUNDS, "ladder": CHALLENGES}
    return all(
        shown["events"][name]["rounds"] >= number and not shown["events"][name]["open"]
        for name, number in rounds.items()
    )


# --- the same standings, computed from nothing but the games on the server ------------------------------


def from_records(api: Api) -> dict[str, Any]:
    """Return tables, ladder and ratings; fail if games are missing, double or superfluous."""
    matches: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for game in api.games():
        labels = game["metadata"]
        number = int(labels["number"])
        assert number not in matches[labels["match"]], "a game was created twice"
        matches[labels["match"]][number] = read(api, game)
    rated, model, everybody = {}, PlackettLuce(), set()
    ended = [game for games in matches.values() for game in games.values()]
    for game in sorted(ended, key=lambda game: (game["at"], game["match"], game["number"])):
        everybody |= {*game["players"]}
        if game["waited_for"] is None:
            pair = [rated.get(player) or model.rating() for player in game["players"]]
            ranks = [2 if game["winner"] not in (None, player) else 1 for player in game["players"]]
            for player, [rating] in zip(
                game["players"], model.rate([[one] for one in pair], ranks=ranks), strict=True
            ):
                rated[player] = rating
    points: dict[str, dict[str, float]] = {name: dict.fromkeys(everybody, 0.0) for name in EVENTS}
    for games in matches.values():
        event = games[1]["event"]
        result = outcome(games, 3 if event == "cup" else 1)
        for player, gained in result.items() if event in points else ():
            points[event][player] += gained
    return {
        "ratings": {player: rating.ordinal() for player, rating in rated.items()},
        "points": points,
        "challenges": [games for games in matches.values() if games[1]["event"] == "ladder"],
        "games": len(ended),
        "cancelled": sum(game["waited_for"] is not None for game in ended),
    }


def read(api: Api, game: dict[str, Any]) -> dict[str, Any]:
    """Return what a game's record says."""
    record = api.get(f"/v1/games/{game['id']}/record")
    end = record["entries"][-1]
    players = [seat["player"]["id"] for seat in game["seats"]]
    winner, waited_for = None, None
    if end["type"] == "finished":
        winners = end["result"]["winners"]
        winner = players[winners[0]] if len(winners) == 1 else None
    else:
        assert end["type"] == "cancelled"
        before = api.get(f"/v1/games/{game['id']}", version=end["seq"] - 1)
        waited_for = {players[seat] for seat in before["to_act"]}
    labels = game["metadata"]
    return {
        **{
            "at": datetime.fromisoformat(end["at"]),
            "players": players,
            "winner": winner,
            "waited_for": waited_for,
        },
        **{"match": labels["match"], "event": labels["event"], "number": int(labels["number"])},
    }


def outcome(games: dict[int, dict[str, Any]], best_of: int) -> dict[str, float]:
    """Return the points of both players of a match; fail if it went on after it was decided."""
    a, b = games[1]["players"]
    won = {a: 0, b: 0}
    assert sorted(games) == [*range(1, len(games) + 1)]
    for number, game in sorted(games.items()):
        left = best_of - number + 1
        assert abs(won[a] - won[b]) <= left > 0, "the match was decided before"
        assert game["players"] == ([a, b] if number % 2 else [b, a])
        if game["winner"]:
            won[game["winner"]] += 1
        if game["waited_for"] is not None:
            assert number == len(games), "a game after one that was called off"
            if won[a] == won[b] and len(game["waited_for"]) == 1:
                won[b if a in game["waited_for"] else a] += 1
    if won[a] == won[b]:
        return {a: 0.5, b: 0.5}
    return {a: float(won[a] > won[b]), b: float(won[b] > won[a])}


def climb(order: list[str], challenges: list[dict[int, dict[str, Any]]]) -> list[str]:
    """Return a ladder after these matches."""
    for games in sorted(
        challenges, key=lambda games: (max(game["at"] for game in games.values()), games[1]["match"])
    ):
        gained = outcome(games, 1)
        first, second = sorted(gained, key=lambda player: -gained[player])
        if gained[first] > gained[second] and order.index(first) > order.index(second):
            place = order.index(second)
            order = [player for player in order if player != first]
            order.insert(place, first)
    return order


@pytest.mark.long
def test_a_season_of_sixteen_with_faults(server: Server, installed: Path, tmp_path: Path) -> None:
    chance = random.Random(16)
    api, club = Api(server), Club(tmp_path, installed, server.url, server.key)
    with club, bad_post(club.url, random.Random(61)) as post:
        club.hook = post.url
        club.start()
        pages = join(club, [f"Member {number}" for number in range(1, MEMBERS + 1)])
        for name, (how, ruleset, best_of) in EVENTS.items():
            rounds = ("--rounds", CUP_ROUNDS)
            club.run(
                "event",
                name,
                "--format",
                how,
                "--ruleset",
                ruleset,
                "--best-of",
                best_of,
                *rounds,
                "--days",
                1,
            )
        club.run("event", "ladder", "--format", "ladder", "--ruleset", "cats_and_dogs", "--days", 1)
        seeds = club.standings()["events"]["ladder"]["ladder"]
        players, challenged, shown = Players(api, club, chance), 0, club.standings()
        with Killing(club, players, chance) as killing:
            end = time.monotonic() + LONGEST
            while time.monotonic() < end and not season_is_over(shown):
                running = players.play()
                if challenged < CHALLENGES and chance.random() < 0.3:
                    challenged += challenge(club, pages, chance)
                if not running:
                    time.sleep(0.1)
                try:
                    shown = club.standings()
                except httpx.TransportError:
                    continue
        check(club, api, post, killing.times, seeds)


def check(club: Club, api: Api, post: BadPost, kills: int, seeds: list[str | None]) -> None:
    """Compare what the club shows with the records, also after it has heard everything again."""
    known, shown = from_records(api), club.standings()
    if None in seeds:  # asked before the server had all players
        members = {player["name"]: player["id"] for player in api.get("/v1/players", limit=200)["items"]}
        seeds = [members[f"Member {number}"] for number in range(1, MEMBERS + 1)]
    order = [str(player) for player in seeds]
    assert season_is_over(shown)
    assert kills >= 5
    assert {"lost", "doubled", "delayed"} <= {*post.done}
    assert known["cancelled"] == IDLE
    # Two games at least for each match of the cup, unless nobody moved in the first one.
    assert known["games"] >= MEMBERS * (MEMBERS - 1) // 2 + CUP_ROUNDS * MEMBERS - IDLE + CHALLENGES
    for name, points in known["points"].items():
        assert {row[0]: row[1] for row in shown["events"][name]["table"]} == points
    assert shown["events"]["ladder"]["ladder"] == climb(order, known["challenges"])
    assert shown["ratings"] == pytest.approx(known["ratings"])
    cursor = club.forget_the_cursor()
    for headers, body in post.requests:
        httpx.post(f"{club.url}/hook", headers=headers, content=body, trust_env=False, timeout=TIMEOUT)
    club.wait_for_cursor(cursor)
    assert club.standings() == shown
    assert len([*api.games()]) == known["games"]


@pytest.mark.long
def test_unsigned_notices_are_refused(server: Server, installed: Path, tmp_path: Path) -> None:
    club = Club(tmp_path, installed, server.url, server.new_key("read", "write"))
    forged = {"webhook-id": "1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}
    with club:
        club.start()
        for headers in ({}, forged):
            answer = httpx.post(f"{club.url}/hook", headers=headers, content=b'{"data": {}}', trust_env=False)
            assert answer.status_code == 400


@pytest.mark.long
def test_the_club_is_well_typed(installed: Path, tmp_path: Path) -> None:
    path = os.pathsep.join(map(str, (installed, CLUB)))
    checker = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}")
    done = subprocess.run(
        [*checker, "-p", "club"],
        env={**os.environ, "MYPYPATH": path},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout


def test_a_match_of_three_stops_when_it_is_decided() -> None:
    """The test's own rule, on which the season depends."""
    at = datetime(2026, 3, 1)

    def games(*winners: str | None) -> dict[int, dict[str, Any]]:
        pairs = itertools.cycle((["a", "b"], ["b", "a"]))
        return {
            number: {"players": pair, "winner": winner, "waited_for": None, "at": at}
            for number, (pair, winner) in enumerate(zip(pairs, winners, strict=False), 1)
        }

    assert outcome(games("a", "a"), 3) == {"a": 1.0, "b": 0.0}
    assert outcome(games("a", None, None), 3) == {"a": 1.0, "b": 0.0}
    assert outcome(games("a", "b", None), 3) == {"a": 0.5, "b": 0.5}
    with pytest.raises(AssertionError, match="decided before"):
        outcome(games("a", "a", "b"), 3)
