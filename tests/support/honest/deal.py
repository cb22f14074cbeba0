"""What an honest server writes before the deal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from referee.table import Dealing, commands
from tests.support.honest.server import HOUR, Server, uuid


def create(server: Server) -> None:
    choose = server.choose
    visibility = choose.choice(("public", "unlisted", "private"))
    if choose.random() < 0.25:
        server.table.dealing = Dealing("PT2H")
    server.test_clock = uuid(f"clock {server.number}") if choose.random() < 0.15 else None
    more: Any = {"test_clock": server.test_clock} if server.test_clock else {}
    server.ask(commands.play.Create(visibility, more))
    if choose.random() < 0.2:
        server.write("said", seat=None, player=None, by="app", text="Welcome")


def gather(server: Server) -> None:
    order = server.choose.sample(range(server.seats), server.seats)
    for seat in order:
        server.at += timedelta(minutes=server.choose.randrange(5))
        server.sit(seat)
        if server.choose.random() < 0.1 and seat != order[-1]:
            server.ask(commands.seats.GetUp(seat))
            server.sit(seat)
    if server.table.dealing is not None:
        reveal(server)


def reveal(server: Server) -> None:
    seats = server.choose.sample(server.players, len(server.players))
    late = seats[server.choose.randrange(len(seats)) :] if server.choose.random() < 0.15 else []
    for seat in seats:
        if seat not in late:
            server.at += timedelta(minutes=server.choose.randrange(1, 9))
            server.ask(commands.play.Reveal(seat, server.secrets[seat]))
    if late:
        server.at += 2 * HOUR
        server.settle()
