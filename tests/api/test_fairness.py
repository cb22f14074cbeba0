"""Who waits for a connection gets one in turn."""

from __future__ import annotations

import threading

from api.store.database.pool import InFlightLimit

TIMEOUT = 30.0


def test_places_are_handed_over_in_the_order_of_asking() -> None:
    line = InFlightLimit(1)
    assert line.enter(0)
    order: list[int] = []

    def wait(number: int) -> None:
        assert line.enter(TIMEOUT)
        order.append(number)
        line.leave()

    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        while len(line._waiting) <= number:  # the next asks only once this one waits
            assert threads[-1].is_alive()
    line.leave()
    for thread in threads:
        thread.join(TIMEOUT)
    assert order == list(range(8))


def test_who_gives_up_takes_no_place_along() -> None:
    line = InFlightLimit(2)
    assert line.enter(0)
    assert line.enter(0)
    assert not line.enter(0.01)
    line.leave()
    assert line.enter(0)
    line.leave()
    line.leave()
    assert [line.enter(0.01) for _ in range(3)] == [True, True, False]


def test_no_place_is_lost_in_a_crowd_with_little_patience() -> None:
    line = InFlightLimit(3)
    inside, most = 0, 0
    lock = threading.Lock()

    def come_and_go() -> None:
        nonlocal inside, most
        for _ in range(200):
            if line.enter(0.0005):
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1
                line.leave()

    threads = [threading.Thread(target=come_and_go) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert most <= 3
    assert [line.enter(0) for _ in range(4)] == [True, True, True, False]
