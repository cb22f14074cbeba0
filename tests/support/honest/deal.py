"""What an honest server writes before the deal, and the deal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import referee
import referee.proofs
import referee.records
from tests.support.honest.server import HOUR, Server, uuid


def create(server: Server) -> None:
    choose = server.choose
    terms: dict[str, Any] = {
        "ruleset": server.rules.ID,
        "ruleset_version": server.rules.VERSION,
        "options": server.options,
        "seats": server.seats,
        "visibility": choose.choice(("public", "unlisted", "private")),
        "pace": server.pace,
        "commitment": referee.commitment(server.seed),
    }
    server.commits = choose.random() < 0.25
    if server.commits:
        terms |= {"entropy": "commit", "reveal_within": "PT2H"}
    server.test_clock = uuid(f"clock {server.number}") if choose.random() < 0.15 else None
    if server.test_clock:
        terms["test_clock"] = server.test_clock
    server.write("created", terms)
    if choose.random() < 0.2:
        server.write("said", {"seat": None, "player": None, "by": "app", "text": "Welcome"})


def gather(server: Server) -> None:
    order = server.choose.sample(range(server.seats), server.seats)
    for seat in order:
        server.at += timedelta(minutes=server.choose.randrange(5))
        server.join(seat)
        if server.choose.random() < 0.1 and seat != order[-1]:
            server.write("left", server.who(seat))
            server.held[seat], server.entropy[seat] = None, ""
            server.keys.pop(seat, None)
            server.join(seat)
    if server.commits:
        reveal(server)


def reveal(server: Server) -> None:
    seats = server.choose.sample(server.players, len(server.players))
    late = seats[server.choose.randrange(len(seats)) :] if server.choose.random() < 0.15 else []
    for seat in seats:
        if seat not in late:
            server.at += timedelta(minutes=server.choose.randrange(1, 9))
            server.write("revealed", {**server.who(seat), "entropy": server.entropy[seat]})
    if late:
        server.at += 2 * HOUR
        for seat in late:
            server.entropy[seat] = ""
        for seat in sorted(late):
            server.write("forfeited", server.who(seat, "clock"))
        server.cancel()


def start(server: Server) -> None:
    server.key = referee.game_key(server.seed, server.entropy)
    server.chance = referee.Noted(server.key)
    server.state, dealt = referee.deal(server.rules.ID, server.seats, server.options, server.chance)
    clocks = server.turns()
    public, private = referee.records.account(server.state, None, dealt)
    server.write("started", {**clocks, **public}, private)
