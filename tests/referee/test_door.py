"""What `import referee` offers."""

import referee
from docs.generating.library_reference import public

# What the contract calls the parts of a game, and does with them.
STAY = """Chance Match Move Position Record Refusal Ruleset Transfer Verdict check commitment deal judge
legal_moves newest read read_record replay rules_text sample steps verify versions view"""


def test_the_door_is_small_and_has_the_words_of_every_game() -> None:
    offered = {*public(referee)}
    assert len(offered) <= 47
    assert {*STAY.split()} - offered == set()
    assert all(getattr(referee, name) is not None for name in offered)
