"""A service in use: games played by several threads, beside a worker."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.callers import Caller, first_move, new_game


@contextmanager
def load(host: Caller, players: list[Caller], worker: Callable[[], None]) -> Iterator[Counter[int]]:
    """Play games from several threads, with a worker, and count the answers by status."""
    statuses, stop = Counter[int](), threading.Event()

    def play(number: int) -> None:
        game, seq = None, 0
        while not stop.is_set():
            seq += 1
            if game is None or game["status"] != "running":
                game = new_game(host, players[:2], "bisca")
            mover = players[game["to_act"][0]]
            headers = {"Idempotency-Key": f"move-{number}-{seq}"}
            body = {"move": first_move(mover, game)}
            answer = mover.post(f"/v1/games/{game['id']}/moves", body, headers=headers)
            statuses[answer.status_code] += 1
            game = answer.json.get("game")

    def work() -> None:
        while not stop.is_set():
            worker()
            statuses[200] += 1

    failures: list[BaseException] = []

    def guarded(run: Callable[[], None]) -> None:
        try:
            run()
        except BaseException as error:
            failures.append(error)

    runs = [*(lambda number=number: play(number) for number in range(6)), work]
    threads = [threading.Thread(target=guarded, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
