"""The rule referee: exact rules of card games, without network, database, clock or randomness.

Everything that other packages may use stands here.
"""

from referee.beacon import QUICKNET, Chain, randomness
from referee.bots import BOTS, bot_move
from referee.bots import EFFORT as BOT_EFFORT
from referee.bots import numbers as bot_numbers
from referee.catalogue import cards, fact_shapes, facts, places, teams
from referee.chance import Chance, Noted, Scripted, Seeded, commitment, game_key, seed_bytes
from referee.consent import Consent
from referee.dealing import COMMIT, entropy_commitment
from referee.dispute import report as dispute_report
from referee.entries import ENDINGS, ENTRY_TYPES, LAST, LOG, earlier_members, entry_fault, upcast
from referee.entry_members import MEMBERS
from referee.findings import CHECKS, Check, Report
from referee.games import Ruleset, find, newest, versions
from referee.jsontext import parse
from referee.keys import is_key
from referee.leaves import leaf
from referee.loading import read_options, restore
from referee.log import Entry, account, canonical, chain, make_entry, seal, with_salts
from referee.members import known_members
from referee.merkle import EMPTY as EMPTY_TREE
from referee.merkle import consistency as prove_consistency
from referee.merkle import inclusion as prove_inclusion
from referee.merkle import is_consistent, leaf_hash, node_hash, root_of_inclusion
from referee.merkle import root as tree_root
from referee.pace import Clock, Pace, duration, duration_text, go_away, read_time, timestamp, turn_over
from referee.play import advance, choices, conclude, deal, judge, legal_moves, read, resign, simulate
from referee.position import EVERYONE, NOBODY, OWNER, Move, Position, Transfer, clone, layout
from referee.receipts import (
    Key,
    Receipt,
    checkpoint,
    is_server_name,
    read_keys,
    read_receipt,
    signed_note,
    signer,
)
from referee.record import Record, Step, read_record, replay, steps, write_record
from referee.rulebook import Rule, rules, rules_text
from referee.scenarios import check
from referee.shapes import move_schema, options_schema
from referee.signing import by_itself, bytes_to_sign, fits
from referee.takeback import reveals
from referee.timeouts import forced_move
from referee.verdicts import ChanceExhausted, Malformed, Refusal, Verdict
from referee.verification import Verification, verify
from referee.views import dump, public_move, show_transfers, view

__all__ = [
    "BOTS",
    "BOT_EFFORT",
    "CHECKS",
    "COMMIT",
    "EMPTY_TREE",
    "ENDINGS",
    "ENTRY_TYPES",
    "EVERYONE",
    "LAST",
    "LOG",
    "MEMBERS",
    "NOBODY",
    "OWNER",
    "QUICKNET",
    "Chain",
    "Chance",
    "ChanceExhausted",
    "Check",
    "Clock",
    "Consent",
    "Entry",
    "Key",
    "Malformed",
    "Move",
    "Noted",
    "Pace",
    "Position",
    "Receipt",
    "Record",
    "Refusal",
    "Report",
    "Rule",
    "Ruleset",
    "Scripted",
    "Seeded",
    "Step",
    "Transfer",
    "Verdict",
    "Verification",
    "account",
    "advance",
    "bot_move",
    "bot_numbers",
    "by_itself",
    "bytes_to_sign",
    "canonical",
    "cards",
    "chain",
    "check",
    "checkpoint",
    "choices",
    "clone",
    "commitment",
    "conclude",
    "deal",
    "dispute_report",
    "dump",
    "duration",
    "duration_text",
    "earlier_members",
    "entropy_commitment",
    "entry_fault",
    "fact_shapes",
    "facts",
    "find",
    "fits",
    "forced_move",
    "game_key",
    "go_away",
    "is_consistent",
    "is_key",
    "is_server_name",
    "judge",
    "known_members",
    "layout",
    "leaf",
    "leaf_hash",
    "legal_moves",
    "make_entry",
    "move_schema",
    "newest",
    "node_hash",
    "options_schema",
    "parse",
    "places",
    "prove_consistency",
    "prove_inclusion",
    "public_move",
    "randomness",
    "read",
    "read_keys",
    "read_options",
    "read_receipt",
    "read_record",
    "read_time",
    "replay",
    "resign",
    "restore",
    "reveals",
    "root_of_inclusion",
    "rules",
    "rules_text",
    "seal",
    "seed_bytes",
    "show_transfers",
    "signed_note",
    "signer",
    "simulate",
    "steps",
    "teams",
    "timestamp",
    "tree_root",
    "turn_over",
    "upcast",
    "verify",
    "versions",
    "view",
    "with_salts",
    "write_record",
]
