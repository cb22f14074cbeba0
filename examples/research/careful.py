"""Play bisca with types: `python examples/research/careful.py`. Type checkers know each move and fact."""

from referee.typed import bisca


def choose(view: bisca.View, legal: list[bisca.Move]) -> bisca.Move:
    """Play the cheapest card, and keep trumps."""
    trump = view["facts"]["trump"]

    def cost(move: bisca.Move) -> tuple[bool, int]:
        if move["type"] != "play":
            return False, 0
        rank, suit = move["card"][0], move["card"][1]
        return suit == trump, "23456QJK7A".index(rank)

    return min(legal, key=cost)


def play(seed: int) -> list[float]:
    """Play a game with this choice in each seat; return what it pays."""
    match = bisca.match(seats=2, options={"target": 3}, seed=seed)
    while not match.is_over:
        seat = match.to_act[0]
        match.play(seat, choose(bisca.view(match, seat), bisca.legal_moves(match, seat)))
    return match.payoffs()


if __name__ == "__main__":
    print(play(seed=1))
