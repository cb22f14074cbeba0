"""The content of an entry: moves as everyone may see them."""

import referee
import referee.records
from tests.referee.tables import Table, wander


def test_the_order_of_discards_reveals_nothing():
    for point in wander(Table("pedro", 4, {}), 1, 60):
        if point.move["type"] != "discard":
            continue
        backwards = {**point.move, "cards": point.move["cards"][::-1]}
        assert referee.judge(point.state, point.seat, backwards).legal
        assert referee.public_move(point.state, backwards)["cards"] == point.move["cards"]
        return
    raise AssertionError("no discard was made")


def test_secret_fields_stay_with_the_mover():
    for point in wander(Table("dog_cards", 4, {}), 1, 8):
        if point.move["type"] == "give":
            assert referee.public_move(point.state, point.move) == {"type": "give"}
            public, private = referee.records.account(point.state, point.move, [], point.seat)
            assert public["move"] == {"type": "give"}
            assert private == {str(point.seat): {"move": point.move}}
            return
    raise AssertionError("nobody gave a card")
