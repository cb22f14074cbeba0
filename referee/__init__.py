"""The rule referee: exact rules of card games, without network, database, clock or randomness.

Everything that other packages may use stands here.
"""

from referee.chance import Chance, Scripted, Seeded, commitment, game_key, seed_bytes
from referee.games import Game, find, newest, versions
from referee.play import advance, deal, judge, legal_moves, read
from referee.position import Move, Position, Transfer, clone
from referee.verdicts import ChanceExhausted, Malformed, Refusal, Verdict
from referee.views import dump, public_move, show_transfers, view

__all__ = [
    "Chance",
    "ChanceExhausted",
    "Game",
    "Malformed",
    "Move",
    "Position",
    "Refusal",
    "Scripted",
    "Seeded",
    "Transfer",
    "Verdict",
    "advance",
    "clone",
    "commitment",
    "deal",
    "dump",
    "find",
    "game_key",
    "judge",
    "legal_moves",
    "newest",
    "public_move",
    "read",
    "seed_bytes",
    "show_transfers",
    "versions",
    "view",
]
