"""The rule referee: exact rules of card games, without network, database, clock or randomness.

Everything that other packages may use stands here.
"""

from referee.chance import Chance, Scripted, Seeded, commitment, game_key, seed_bytes
from referee.games import Game, find, newest, versions
from referee.jsontext import parse
from referee.loading import restore
from referee.log import Entry, account, canonical, chain, make_entry, seal
from referee.play import advance, conclude, deal, judge, legal_moves, read, resign
from referee.position import Move, Position, Transfer, clone
from referee.record import Record, Step, read_record, replay, steps, write_record
from referee.scenarios import check
from referee.verdicts import ChanceExhausted, Malformed, Refusal, Verdict
from referee.views import dump, public_move, show_transfers, view

__all__ = [
    "Chance",
    "ChanceExhausted",
    "Entry",
    "Game",
    "Malformed",
    "Move",
    "Position",
    "Record",
    "Refusal",
    "Scripted",
    "Seeded",
    "Step",
    "Transfer",
    "Verdict",
    "account",
    "advance",
    "canonical",
    "chain",
    "check",
    "clone",
    "commitment",
    "conclude",
    "deal",
    "dump",
    "find",
    "game_key",
    "judge",
    "legal_moves",
    "make_entry",
    "newest",
    "parse",
    "public_move",
    "read",
    "read_record",
    "replay",
    "resign",
    "restore",
    "seal",
    "seed_bytes",
    "show_transfers",
    "steps",
    "versions",
    "view",
    "write_record",
]
