"""Compare one seat's view of each game with a minimal request: a Flask view of the same bytes.

The request is made in this process, without socket, database or client, so a real one costs several times as
much. Both alternate in short rounds, and processor time is counted. The ratio says how many views cost as
much as one request.

    python -m bench.view [ROUNDS]
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

import flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

import referee

REPEATS = 300
MOVES = 12  # moves made before the position that is viewed


def position(game: referee.Ruleset) -> object:
    """Play some moves of a game, always the first legal one."""
    seats = 4 if 4 in game.SEATS else game.SEATS[-1]
    chance = referee.Seeded.from_seed(b"", [""] * seats)
    state, _ = referee.deal(game.ID, seats, {}, chance)
    for _ in range(MOVES):
        seat = state.to_act[0]
        referee.advance(state, seat, referee.legal_moves(state, seat)[0], chance)
    return state


def request(text: bytes) -> Callable[[], object]:
    """Return a function that makes one request, which is answered with this text."""
    app = flask.Flask(__name__)
    app.add_url_rule("/", view_func=lambda: flask.Response(text, mimetype="application/json"))
    environ = EnvironBuilder("/").get_environ()
    return lambda: run_wsgi_app(app.wsgi_app, dict(environ), buffered=True)


def cost(function: Callable[[], object]) -> float:
    """Return the processor time of one call, in microseconds."""
    begun = time.process_time()
    for _ in range(REPEATS):
        function()
    return (time.process_time() - begun) / REPEATS * 1e6


def main() -> None:
    """Print a line for each game: microseconds of a view and of a request, and the ratio of medians."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"{'game':16}{'view µs':>10}{'request µs':>12}{'ratio':>8}")
    for game in referee.newest():
        state = position(game)

        def look(state: object = state) -> object:
            return referee.view(state, 0)

        ask = request(json.dumps(look()).encode())
        pairs = [(cost(look), cost(ask)) for _ in range(rounds)]
        view, asked = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"{game.ID:16}{view:10.1f}{asked:12.1f}{ratio:8.1f}")


if __name__ == "__main__":
    main()
