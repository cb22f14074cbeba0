"""Whether games were fair, in sentences that can be read aloud: `referee fair`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.audit.games import Game, Player
from referee.log.words import ERASED
from referee.texts.fairness import TEXTS, say
from referee.verification.findings import CONTRADICTED, NOT_YET, PROVED, UNVOUCHED, WITNESSES


class Standing(NamedTuple):
    """How a player did in games that are not contradicted, each once; points are of games that have some."""

    name: str
    played: int = 0
    won: int = 0
    points: float = 0


class Fairness:
    """Games, as they are told in a language; only those that say more than their verdict are kept."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._good: Counter[tuple[str, tuple[str, ...]]] = Counter()  # by verdict and vouchers
        self._kinds: Counter[str] = Counter()
        self._other: list[str] = []
        self._last = ""
        self._counted: set[str] = set()
        self._erased: dict[str, str] = {}  # by the ids
        self.standings: dict[str, Standing] = {}
        self.results: list[str] = []

    def add(self, game: Game) -> None:
        """Add the next game."""
        number = len(self.results) + 1
        names = self._listed([self._called(player) for player in game.players], ", ")
        called = self._say("game_of" if names else "game", n=number, names=names)
        self._kinds.update(game.kinds)
        if game.verdict in (PROVED, UNVOUCHED):
            self._good[game.verdict, game.vouchers] += 1
            self._last = called
        else:
            self._other.append(self._told(game, called))
        self.results.append(f"{number}. {game.name}: {self._result(game)}")
        if game.verdict != CONTRADICTED and game.winners is not None and game.id not in self._counted:
            self._counted.add(game.id)
            for seat, player in enumerate(game.players):
                self._count(game, seat, player)

    def sentences(self) -> Iterator[str]:
        """Yield the verdict on all games."""
        for (verdict, vouchers), number in self._good.items():
            name = "proved" if verdict == PROVED else "consistent"
            by = self._listed([self._voucher(one) for one in vouchers])
            yield self._say(f"all_{name}" if number > 1 else name, n=number, game=self._last, by=by)
        yield from self._other
        for kind, number in self._kinds.items():
            yield self._say(kind, n=number)

    def _told(self, game: Game, called: str) -> str:
        """Return the sentence on a game that is contradicted, or lacks evidence."""
        lacking = f"lacks_{game.reason}"
        name = lacking if game.verdict == NOT_YET and lacking in TEXTS else game.reason
        if name not in TEXTS:
            name = "by_entry" if game.entry else "by_record"
        receipt = self._say("receipt_of" if game.holder else "servers_receipt", holder=game.holder)
        until = f"{game.until[:16].replace('T', ' ')} UTC" if game.until else ""
        values = {"entry": game.entry, "until": until, "check": game.reason}
        return self._say(name, game=called, receipt=receipt, **values)

    def _voucher(self, by: str) -> str:
        demand = by.removesuffix(f" ({WITNESSES})")
        if demand == by:
            return self._say("server")
        number, of, names = demand.rpartition(" of ")
        return self._say("quorum" if of else "witness", n=number, names=names)

    # --- standings ---

    def _result(self, game: Game) -> str:
        if game.verdict == CONTRADICTED or game.winners is None:
            return self._say("not_counted" if game.verdict == CONTRADICTED else "no_result")
        names = self._listed([self._name(game, seat) for seat in game.winners])
        result = self._say("won" if names else "nobody_won", names=names)
        points = " : ".join(f"{score:g}" for score in game.scores or ())
        return self._say("points", result=result, points=points) if points else result

    def _name(self, game: Game, seat: int) -> str:
        known = 0 <= seat < len(game.players) and self._called(game.players[seat])
        return known or self._say("seat", seat=seat)

    def _count(self, game: Game, seat: int, player: Player) -> None:
        if player.id:
            before = self.standings.get(player.id, Standing(self._called(player)))
            points = game.scores[seat] if game.scores else 0
            won = before.won + (seat in (game.winners or ()))
            self.standings[player.id] = Standing(before.name, before.played + 1, won, before.points + points)

    def _called(self, player: Player) -> str:
        """Return what a player is called; people without a name are numbered, the same in all games."""
        if player.name or not player.id:
            return player.name
        return self._erased.setdefault(player.id, f"{ERASED} {len(self._erased) + 1}")

    def _listed(self, names: Sequence[str], between: str = "") -> str:
        *others, last = [*filter(None, names)] or [""]
        if not others or between:
            return between.join([*others, last])
        return self._say("and", others=", ".join(others), last=last)

    def _say(self, name: str, **values: object) -> str:
        return say(name, self._language, **values)
