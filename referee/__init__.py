"""The rule referee: exact rules of card games, without network, database, clock or randomness.

Everything that other packages may use stands here.
"""

from referee.catalogue import cards, facts, teams
from referee.chance import Chance, Noted, Scripted, Seeded, commitment, game_key, seed_bytes
from referee.dispute import report as dispute_report
from referee.findings import CHECKS, Check, Report
from referee.games import Ruleset, find, newest, versions
from referee.jsontext import parse
from referee.loading import read_options, restore
from referee.log import LOG, Entry, account, canonical, chain, make_entry, seal
from referee.members import known_members
from referee.pace import Pace, duration, duration_text, read_time, timestamp, turn_over
from referee.play import advance, choices, conclude, deal, judge, legal_moves, read, resign, simulate
from referee.position import EVERYONE, NOBODY, OWNER, Move, Position, Transfer, clone, layout
from referee.record import Record, Step, read_record, replay, steps, write_record
from referee.rulebook import Rule, rules, rules_text
from referee.scenarios import check
from referee.shapes import move_schema, options_schema
from referee.takeback import reveals
from referee.timeouts import forced_move
from referee.verdicts import ChanceExhausted, Malformed, Refusal, Verdict
from referee.verification import Verification, verify
from referee.views import dump, public_move, show_transfers, view

__all__ = [
    "CHECKS",
    "EVERYONE",
    "LOG",
    "NOBODY",
    "OWNER",
    "Chance",
    "ChanceExhausted",
    "Check",
    "Entry",
    "Malformed",
    "Move",
    "Noted",
    "Pace",
    "Position",
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
    "canonical",
    "cards",
    "chain",
    "check",
    "choices",
    "clone",
    "commitment",
    "conclude",
    "deal",
    "dispute_report",
    "dump",
    "duration",
    "duration_text",
    "facts",
    "find",
    "forced_move",
    "game_key",
    "judge",
    "known_members",
    "layout",
    "legal_moves",
    "make_entry",
    "move_schema",
    "newest",
    "options_schema",
    "parse",
    "public_move",
    "read",
    "read_options",
    "read_record",
    "read_time",
    "replay",
    "resign",
    "restore",
    "reveals",
    "rules",
    "rules_text",
    "seal",
    "seed_bytes",
    "show_transfers",
    "simulate",
    "steps",
    "teams",
    "timestamp",
    "turn_over",
    "verify",
    "versions",
    "view",
    "write_record",
]
