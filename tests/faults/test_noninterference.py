"""No answer to a viewer depends on cards that it may not see; planted leaks are detected.

`python -m tests.campaigns.noninterference` is the long version.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest

import api.games.moves
import api.games.routes
import api.games.saving
import api.games.views
import referee
from api.features.specification.specification import spec
from api.features.webhooks.notices import EVENTS
from tests.noninterference.comparing import METHODS, Comparison, Count, Leak, play
from tests.noninterference.pairs import Pair, make_pair
from tests.noninterference.served import every_table, two_worlds
from tests.noninterference.worlds import World
from tests.servers.receiver import receiving

pytestmark = pytest.mark.long

RULESETS = (
    *("cats_and_dogs", "pies", "pedro", "dog_cards", "mau_mau", "palace", "bisca", "truco", "landlord"),
    "high_card",
)
Worlds = tuple[World, World]


@pytest.fixture(scope="module")
def worlds() -> Iterator[Worlds]:
    with two_worlds() as found:
        yield found


def a_pair(ruleset: str, viewer: int | None, moves: int) -> Pair:
    """Return a pair of games at a table of the ruleset."""
    listed = [table for table in every_table() if table.ruleset == ruleset and not table.options]
    for number in range(50):
        pair = make_pair(listed[number % len(listed)], viewer, number, moves)
        if pair is not None and pair.differ(len(pair.one.moves)):
            return pair
    raise AssertionError(f"no pair of {ruleset}")


@pytest.mark.parametrize("viewer", [0, None], ids=["player", "spectator"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_two_games_that_look_alike_are_answered_alike(
    ruleset: str, viewer: int | None, worlds: Worlds
) -> None:
    count = Count()
    play(worlds, a_pair(ruleset, viewer, 5), 1, count, around=4).end()
    assert count.positions > 0


@pytest.mark.parametrize(("ruleset", "viewer"), [("dog_cards", 1), ("pies", None)])
def test_every_operation_is_called(ruleset: str, viewer: int | None, worlds: Worlds) -> None:
    count, pair = Count(), a_pair(ruleset, viewer, 4)
    play(worlds, pair, 2, count, sweep_at=lambda n: n == len(pair.one.moves)).end()
    known = {item[m]["operationId"] for item in spec()["paths"].values() for m in METHODS if m in item}
    assert set(count.operations) == known


def hidden(state: Any) -> str:
    """Return a few letters that depend on the whole position."""
    return sha256(json.dumps(referee.dump(state), sort_keys=True).encode()).hexdigest()[:6]


def plant_view(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(api.games.views, "show_position", lambda state, seen: referee.dump(state))


def plant_share(patch: pytest.MonkeyPatch) -> None:
    everything = api.games.views.Visibility(whole=True)
    entry = api.games.views.show_entry
    patch.setattr(api.games.views, "show_entry", lambda one, seen: entry(one, everything))


def plant_share_of_spectators_in_the_log(patch: pytest.MonkeyPatch) -> None:
    stored = api.games.views.show_stored
    everything = api.games.views.Visibility(whole=True)
    patch.setattr("api.streams.log.show_stored", lambda one, seen: stored(one, everything))


def plant_order_of_moves(patch: pytest.MonkeyPatch) -> None:
    listed = referee.legal_moves

    def sorted_by_what_is_hidden(state: Any, seat: int) -> Any:
        return sorted(listed(state, seat), key=lambda m: sha256(f"{m}{hidden(state)}".encode()).hexdigest())

    patch.setattr(referee, "legal_moves", sorted_by_what_is_hidden)


def plant_reason(patch: pytest.MonkeyPatch) -> None:
    shown = api.games.moves.show_verdict

    def leaking(game: Any, verdict: Any) -> Any:
        found = shown(game, verdict)
        return {**found, "reason": f"{found['reason']} {hidden(game.state)}"} if "reason" in found else found

    patch.setattr(api.games.moves, "show_verdict", leaking)


def plant_length(patch: pytest.MonkeyPatch) -> None:
    """Leak only by the length of the answer, not by its words."""
    summary = api.games.views.show_summary

    def padded(game: Any, *rest: Any) -> Any:
        return {**summary(game, *rest), "title": " " * (int(hidden(game.state), 16) % 97)}

    patch.setattr(api.games.views, "show_summary", padded)


def plant_etag(patch: pytest.MonkeyPatch) -> None:
    """Leak only by a header."""
    shown = api.games.routes.etag
    patch.setattr(
        api.games.routes,
        "etag",
        lambda game: {**shown(game), "ETag": f'"{game["version"]}+{hidden(latest[0])}"'},
    )
    view = api.games.views.show_position
    latest: list[Any] = []

    def noted(state: Any, seen: Any) -> Any:
        latest[:] = [state]
        return view(state, seen)

    patch.setattr(api.games.views, "show_position", noted)


PLANTED: list[Callable[[pytest.MonkeyPatch], None]] = [
    plant_view,
    plant_share,
    plant_share_of_spectators_in_the_log,
    plant_order_of_moves,
    plant_reason,
    plant_length,
    plant_etag,
]


@pytest.fixture(scope="module")
def standing(worlds: Worlds) -> Comparison:
    """Play a pair until the viewer has several moves to choose from."""
    table = next(one for one in every_table() if str(one) == "palace-3")
    for number in range(50):
        pair = make_pair(table, 0, number, 9)
        if pair is not None and pair.differ(len(pair.one.moves)):
            last = referee.read(json.loads(pair.one.positions[-1]))
            if len(referee.legal_moves(last, 0)) > 2 and last.to_act == [0]:
                return play(worlds, pair, 3, Count())
    raise AssertionError("no such pair")


def look_everywhere(standing: Comparison) -> None:
    standing.look()
    standing.look_around()


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], standing: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing.chance = random.Random(1)
    standing.look()
    standing.look_around()
    plant(monkeypatch)
    with pytest.raises(Leak):
        look_everywhere(standing)


def hooked(worlds: Worlds, number: int) -> list[list[tuple[Any, bytes]]]:
    """Return what a webhook gets in each world while a pair is played."""
    pair, sent = a_pair("landlord", 0, 4), []
    with receiving() as receiver:
        body = {"url": f"{receiver.url}/in", "events": [*EVENTS]}
        for world in worlds:
            answer = world("app", "POST", "/v1/webhooks", body)
            assert answer.status == 201, answer.body
        play(worlds, pair, number, Count(), pace={"per_move": "PT72H", "on_timeout": "resign"})
        for world in worlds:
            receiver.requests.clear()
            world.work()
            assert len(receiver.requests) > 8
            sent.append(
                [(_plain(one["headers"]), world.plain_text(one["data"])) for one in receiver.requests]
            )
            world("app", "DELETE", f"/v1/webhooks/{answer.json['id']}")
    return sent


def _plain(headers: dict[str, str]) -> dict[str, str]:
    """Return a notice without its signature, which always differs."""
    return {k: v for k, v in headers.items() if k not in ("webhook-signature", "host")}


def test_webhooks_get_the_same_notices(worlds: Worlds) -> None:
    one, other = hooked(worlds, 4)
    assert one == other


def test_a_leak_in_webhooks_is_found(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    awaited = api.games.saving._awaited

    def leaking(game: Any, turns: Any) -> dict[str, Any]:
        found = awaited(game, turns)
        if game.state is not None and "awaited" in found:
            found["awaited"] = {
                seat: f"{by[:20]}{int(hidden(game.state), 16) % 1_000_000:06}Z"
                for seat, by in found["awaited"].items()
            }
        return found

    monkeypatch.setattr(api.games.saving, "_awaited", leaking)
    one, other = hooked(worlds, 5)
    assert one != other
