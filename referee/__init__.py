"""The rule referee: exact rules of card games, without network, database, clock or randomness.

This module exports everything that other packages may use.
"""

from referee.audit.marks import EndMark
from referee.computer.actions import Actions, Unencodable
from referee.computer.bots import BOTS, asked_instead, bot_move
from referee.computer.bots import BROKEN as BROKEN_BOTS
from referee.computer.bots import EFFORT as BOT_EFFORT
from referee.computer.bots import numbers as bot_numbers
from referee.computer.bots import register_installed as register_installed_bots
from referee.computer.knowledge import InformationState
from referee.computer.match import Match, actions_of, payoffs
from referee.computer.sampling import sample
from referee.computer.timeouts import forced_move, has_passive_move
from referee.computer.tips import suggest, ways
from referee.dispute import report as dispute_report
from referee.engine.chance import Chance, Noted, Scripted, Seeded, commitment, game_key, seed_bytes
from referee.engine.jsontext import parse, same
from referee.engine.loading import read_options, restore
from referee.engine.play import (
    advance,
    conclude,
    deal,
    draw,
    judge,
    legal_moves,
    never_legal,
    never_seen,
    read,
    resign,
    rule,
    simulate,
)
from referee.engine.position import EVERYONE, NOBODY, OWNER, Moved, Position, Transfer, clone, layout
from referee.engine.registry import BROKEN as BROKEN_RULESETS
from referee.engine.registry import find, newest, versions
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import Move, move_schema, options_schema
from referee.engine.takeback import reveals
from referee.engine.talk import FREE as FREE_TALK
from referee.engine.talk import KINDS as TALK_KINDS
from referee.engine.talk import Talk, talk
from referee.engine.verdicts import ChanceExhausted, Malformed, Refusal, Verdict
from referee.engine.views import dump, public_move, show_transfers, view
from referee.log.beacon import QUICKNET, Chain, randomness
from referee.log.chain import Entry, account, canonical, chain, make_entry, seal, with_salts
from referee.log.consent import Newcomer, Request
from referee.log.cosigning import Witness, cosigned, read_witness
from referee.log.entries import (
    ENDINGS,
    ENTRY_TYPES,
    GOING_BACK,
    LAST,
    earlier_members,
    entry_fault,
    upcast,
)
from referee.log.keys import is_key
from referee.log.known import known_members
from referee.log.leaves import archive_leaf, leaf
from referee.log.members import ENDINGS as ENDINGS_AGREED
from referee.log.members import MEMBERS
from referee.log.merkle import EMPTY as EMPTY_TREE
from referee.log.merkle import consistency as prove_consistency
from referee.log.merkle import inclusion as prove_inclusion
from referee.log.merkle import is_consistent, leaf_hash, node_hash, root_of_inclusion
from referee.log.merkle import root as tree_root
from referee.log.numbers import LOG, LogRules, rules_of
from referee.log.pace import (
    MOST_MISSED,
    ON_TIMEOUT,
    Clock,
    Pace,
    add_time,
    change_pace,
    end_turn,
    fact,
    go_away,
    later,
    outlast,
    pause,
    resume,
    turn_over,
)
from referee.log.promises import promise_line
from referee.log.receipts import (
    Key,
    Receipt,
    checkpoint,
    is_server_name,
    read_keys,
    read_receipt,
    read_vkey,
    signed_note,
    signer,
)
from referee.log.record import Record, Step, read_record, replay, steps, write_record
from referee.log.succession import succession
from referee.log.times import duration, duration_text, read_time, timestamp
from referee.table import commands
from referee.table.apply import Earlier, Event, Given, apply
from referee.table.dealing import COMMIT, Dealing, entropy_commitment
from referee.table.fold import Fold, PlayedMove, TakenBackBefore
from referee.table.members import Holder, Json, Members, Named, Result, Ruling
from referee.table.recent import Recent
from referee.table.seats import PlayerName, Seat, Who, seats_to_reveal
from referee.table.table import CANCELLED, FINISHED, OPEN, RUNNING, Table, full_move
from referee.texts.catalogue import cards as card_catalogue
from referee.texts.catalogue import fact_shapes, facts, places, reasons, teams
from referee.texts.rulebook import RULE_ORIGINS, Guide, Rule, guide, guide_languages, rules, rules_text, words
from referee.verification.findings import CHECKS, Check, Report
from referee.verification.signing import by_itself, bytes_to_sign, fits, signed_action
from referee.verification.verify import Verification, verify
from referee.workshop.installed import register_installed
from referee.workshop.scenarios import check

__all__ = [
    "BOTS",
    "BOT_EFFORT",
    "BROKEN_BOTS",
    "BROKEN_RULESETS",
    "CANCELLED",
    "CHECKS",
    "COMMIT",
    "EMPTY_TREE",
    "ENDINGS",
    "ENDINGS_AGREED",
    "ENTRY_TYPES",
    "EVERYONE",
    "FINISHED",
    "FREE_TALK",
    "GOING_BACK",
    "LAST",
    "LOG",
    "MEMBERS",
    "MOST_MISSED",
    "NOBODY",
    "ON_TIMEOUT",
    "OPEN",
    "OWNER",
    "QUICKNET",
    "RULE_ORIGINS",
    "RUNNING",
    "TALK_KINDS",
    "Actions",
    "Chain",
    "Chance",
    "ChanceExhausted",
    "Check",
    "Clock",
    "Dealing",
    "Earlier",
    "EndMark",
    "Entry",
    "Event",
    "Fold",
    "Given",
    "Guide",
    "Holder",
    "InformationState",
    "Json",
    "Key",
    "LogRules",
    "Malformed",
    "Match",
    "Members",
    "Move",
    "Moved",
    "Named",
    "Newcomer",
    "Noted",
    "Pace",
    "PlayedMove",
    "PlayerName",
    "Position",
    "Receipt",
    "Recent",
    "Record",
    "Refusal",
    "Report",
    "Request",
    "Result",
    "Rule",
    "Ruleset",
    "Ruling",
    "Scripted",
    "Seat",
    "Seeded",
    "Step",
    "Table",
    "TakenBackBefore",
    "Talk",
    "Transfer",
    "Unencodable",
    "Verdict",
    "Verification",
    "Who",
    "Witness",
    "account",
    "actions_of",
    "add_time",
    "advance",
    "apply",
    "archive_leaf",
    "asked_instead",
    "bot_move",
    "bot_numbers",
    "by_itself",
    "bytes_to_sign",
    "canonical",
    "card_catalogue",
    "chain",
    "change_pace",
    "check",
    "checkpoint",
    "clone",
    "commands",
    "commitment",
    "conclude",
    "cosigned",
    "deal",
    "dispute_report",
    "draw",
    "dump",
    "duration",
    "duration_text",
    "earlier_members",
    "end_turn",
    "entropy_commitment",
    "entry_fault",
    "fact",
    "fact_shapes",
    "facts",
    "find",
    "fits",
    "forced_move",
    "full_move",
    "game_key",
    "go_away",
    "guide",
    "guide_languages",
    "has_passive_move",
    "is_consistent",
    "is_key",
    "is_server_name",
    "judge",
    "known_members",
    "later",
    "layout",
    "leaf",
    "leaf_hash",
    "legal_moves",
    "make_entry",
    "move_schema",
    "never_legal",
    "never_seen",
    "newest",
    "node_hash",
    "options_schema",
    "outlast",
    "parse",
    "pause",
    "payoffs",
    "places",
    "promise_line",
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
    "read_vkey",
    "read_witness",
    "reasons",
    "replay",
    "resign",
    "restore",
    "resume",
    "reveals",
    "root_of_inclusion",
    "rule",
    "rules",
    "rules_of",
    "rules_text",
    "same",
    "sample",
    "seal",
    "seats_to_reveal",
    "seed_bytes",
    "show_transfers",
    "signed_action",
    "signed_note",
    "signer",
    "simulate",
    "steps",
    "succession",
    "suggest",
    "talk",
    "teams",
    "timestamp",
    "tree_root",
    "turn_over",
    "upcast",
    "verify",
    "versions",
    "view",
    "ways",
    "with_salts",
    "words",
    "write_record",
]

register_installed()
register_installed_bots()
