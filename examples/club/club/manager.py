"""What has to happen next: creates games, reads how they ended, closes matches, begins rounds.

Everything follows from what is stored, and everything can be done twice: games and players are created under
ids of our own, and a result is read from the server, never from a notice. So a notice that is lost, late or
repeated, and a crash at any line, change nothing.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import httpx
from card_referee_client import CardReferee
from card_referee_client.errors import Detached, ExternalIdTaken, GameOver, Restored

from club import formats, standings
from club.standings import Game, Match, Row
from club.store import Event, Store

log = logging.getLogger("club")
ENDS: list[Literal["finished", "cancelled"]] = ["finished", "cancelled"]  # entries with which a game is over
REACH = 3  # how many places above one may challenge
POLL = 0.5  # seconds between two looks at the deadlines


class News(NamedTuple):
    """A game that may be over, and the place in the feed that says so, if it was the feed."""

    game: str
    cursor: str | None = None


class Refused(Exception):
    """A member asks for what the rules of the club do not allow."""


class Manager:
    """Runs the club's events; only the thread that calls `run` changes matches and games."""

    def __init__(self, store: Store, client: CardReferee, pace: str | None = None) -> None:
        self.store, self.client, self.pace = store, client, pace
        self.news: queue.Queue[News] = queue.Queue()
        self._challenging = threading.Lock()

    def run(self) -> None:
        """Do what is due, again and again."""
        news: News | None = None
        while True:
            try:
                if news is not None:
                    self.read(news.game)
                    if (
                        news.cursor is not None
                    ):  # only now, because after a crash the feed repeats what follows
                        self.store.set(cursor=news.cursor)
                    news = None
                while self.step():
                    pass
            except httpx.TransportError as fault:
                log.warning("the server cannot be reached: %s", fault)
                time.sleep(POLL)
                continue
            try:
                news = self.news.get(timeout=POLL)
            except queue.Empty:
                news = None

    def follow(self) -> None:
        """Pass on every end of a game from the feed, from where the last one was stored."""
        while True:
            cursor = self.store.setting("cursor")
            try:
                for event in self.client.events.follow(after=cursor, type=ENDS):
                    self.news.put(News(event.data["game"], event.id))
            except (Detached, Restored) as gone:  # the feed cannot say what happened: look at every game
                for game in self.store.games():
                    if game.id is not None and game.ended_at is None:
                        self.news.put(News(game.id))
                self.store.set(cursor=gone.problem.get("cursor"))
            except httpx.TransportError as fault:
                log.warning("the feed cannot be read: %s", fault)
                time.sleep(POLL)

    def read(self, game_id: str) -> None:
        """Read how a game ended, if it is ours and over."""
        game = next((game for game in self.store.games() if game.id == game_id), None)
        if game is None:
            return
        match = next(match for match in self.store.matches() if match.id == game.match)
        seats = match.seats(game.number)
        for entry in self.client.games.events(game_id, type=ENDS):
            game = game._replace(ended_at=datetime.fromisoformat(entry["at"]))
            if entry["type"] == "cancelled":
                before = self.client.games.get(game_id, version=entry["seq"] - 1)
                waited_for = tuple(seats[seat] for seat in before["to_act"])
                self.store.end_game(game._replace(cancelled=True, waited_for=waited_for))
            elif entry["type"] == "finished":
                winners = entry["result"]["winners"] if entry["result"] else []
                winner = seats[winners[0]] if len(winners) == 1 else None
                self.store.end_game(game._replace(winner=winner))

    def step(self) -> bool:
        """Do what is due now; tell whether anything has changed."""
        changed = self._register()
        for event in self.store.events():
            games = standings.by_match(self.store.games(event.id))
            matches = self.store.matches(event.id)
            for match in matches:
                if not match.closed:
                    changed |= self._play(event, match, games[match.id])
            if event.format != "ladder" and all(match.closed for match in matches):
                changed |= self._begin_round(event, matches)
        return changed

    def _register(self) -> bool:
        """Create the players of new members."""
        new = [member for member in self.store.members().values() if member.player is None]
        for member in new:
            key, players = member.id, self.client.players
            try:
                player = players.create(name=member.name, external_id=key, idempotency_key=key)["id"]
            except (
                ExternalIdTaken
            ):  # created before a crash, so long ago that the server has forgotten the call
                player = next(player["id"] for player in players.list(external_id=key))
            self.store.set_player(member.id, player)
        return bool(new)

    def _play(self, event: Event, match: Match, games: list[Game]) -> bool:
        """Do what a match needs next: a game, its end at the deadline, or nothing more."""
        late = datetime.now(UTC) >= match.deadline
        running = next((game for game in games if game.ended_at is None), None)
        if running is not None and running.id is None:
            self._create(event, match, running.number)
        elif running is not None and late:
            self._call_off(str(running.id))
        elif running is not None:
            return False
        elif late or standings.decided(match, games, event.best_of):
            self.store.close(match.id)
        else:
            self.store.plan_game(match.id, len(games) + 1)
        return True

    def _create(self, event: Event, match: Match, number: int) -> None:
        """Create a game, or find the one that was created before a crash."""
        key, members = f"{match.id}-{number}", self.store.members()
        try:
            game = self.client.games.create(
                ruleset=event.ruleset,
                seats=[{"player": members[member].player} for member in match.seats(number)],
                visibility="public",
                pace={"per_move": self.pace, "on_timeout": "resign"} if self.pace else None,
                title=f"{event.id}, round {match.round}, game {number}",
                metadata={
                    "event": event.id,
                    "round": str(match.round),
                    "match": match.id,
                    "number": str(number),
                },
                external_id=key,
                idempotency_key=key,
            )["id"]
        except ExternalIdTaken:
            game = next(game["id"] for game in self.client.games.list(external_id=key))
        self.store.name_game(match.id, number, game)
        self.read(game)  # it may be over already, if its end was announced before we knew it

    def _call_off(self, game: str) -> None:
        """Cancel a game whose match has taken too long."""
        with contextlib.suppress(GameOver):  # in this moment
            self.client.games.cancel(game)
        self.read(game)

    def _begin_round(self, event: Event, matches: list[Match]) -> bool:
        """Add the matches of an event's next round, unless it has had its last one."""
        number, members = (
            max((match.round for match in matches), default=0) + 1,
            self.store.entrants(event.id),
        )
        if event.format == "round_robin":
            rounds = formats.round_robin(members)
            pairings = rounds[number - 1] if number <= len(rounds) else None
        else:
            met = {frozenset((match.first, match.second)) for match in matches if match.second is not None}
            byes = {match.first for match in matches if match.second is None}
            ranking = [row.member for row in self.table(event)]
            pairings = formats.swiss(ranking, met, byes) if number <= event.rounds else None
        if pairings is None:
            return False
        self.store.add_matches(event, number, pairings, event.deadline(datetime.now(UTC)))
        return True

    def table(self, event: Event) -> list[Row]:
        """Return an event's table."""
        games = self.store.games(event.id)
        return standings.table(self.store.entrants(event.id), self.store.matches(event.id), games)

    def ladder(self, event: Event) -> list[str]:
        """Return the members of a ladder, from the top."""
        games = self.store.games(event.id)
        return standings.ladder(self.store.entrants(event.id), self.store.matches(event.id), games)

    def ratings(self) -> dict[str, float]:
        """Return the rating of everybody who has played."""
        return standings.ratings(self.store.matches(), self.store.games())

    def challenge(self, event: Event, challenger: str, defender: str) -> None:
        """Add a match of two neighbours on the ladder. Raises Refused."""
        with self._challenging:
            order, matches = self.ladder(event), self.store.matches(event.id)
            if challenger not in order or defender not in order:
                raise Refused("Both have to be on the ladder.")
            if not 0 < order.index(challenger) - order.index(defender) <= REACH:
                raise Refused(f"You can challenge those up to {REACH} places above you.")
            if any(
                {challenger, defender} & {match.first, match.second} for match in matches if not match.closed
            ):
                raise Refused("One of you is still playing a match on this ladder.")
            deadline = event.deadline(datetime.now(UTC))
            self.store.add_matches(event, len(matches) + 1, [(challenger, defender)], deadline)
