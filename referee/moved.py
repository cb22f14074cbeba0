"""Where names are that `referee` had itself until they moved; the next release will forget them."""

import warnings
from importlib import import_module
from typing import Any

MOVED = {
    "bots": "BOTS BOT_EFFORT BROKEN_BOTS asked_instead bot_numbers ways",
    "clocks": (
        "Clock MOST_MISSED ON_TIMEOUT Pace add_time change_pace duration duration_text end_turn fact "
        "go_away later outlast pause read_time resume timestamp turn_over"
    ),
    "positions": (
        "BROKEN_RULESETS EVERYONE Moved NOBODY OWNER layout never_legal never_seen read_options restore "
        "seed_bytes simulate"
    ),
    "proofs": (
        "CHECKS Check EMPTY_TREE Key Receipt Report Witness by_itself "
        "bytes_to_sign checkpoint cosigned dispute_report fits is_consistent is_server_name leaf "
        "leaf_hash node_hash promise_line prove_consistency prove_inclusion read_keys "
        "read_receipt read_vkey read_witness root_of_inclusion signed_action signed_note signer "
        "succession tree_root"
    ),
    "records": (
        "ENDINGS ENDINGS_AGREED ENTRY_TYPES EndMark Entry GOING_BACK LAST MEMBERS Step "
        "account canonical chain entry_fault is_key known_members make_entry parse "
        "same seal with_salts"
    ),
    "table": (
        "CANCELLED COMMIT Dealing Earlier Event FINISHED FREE_TALK Fold Given Holder Json Members Named "
        "Newcomer OPEN PlayedMove PlayerName RUNNING Recent Request Result Ruling Seat TALK_KINDS Table "
        "TakenBackBefore Talk Who apply commands conclude draw entropy_commitment forced_move full_move "
        "has_passive_move reveals rule seats_to_reveal talk"
    ),
    "texts": (
        "Guide RULE_ORIGINS Rule card_catalogue fact_shapes facts guide guide_languages move_schema "
        "options_schema places reasons rules teams words"
    ),
}
WHERE = {name: module for module, names in MOVED.items() for name in names.split()}


def moved(package: str, name: str) -> Any:
    """Return what a name stands for, with a DeprecationWarning. Raises AttributeError for an unknown one."""
    if name not in WHERE:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    module = f"{package}.{WHERE[name]}"
    warnings.warn(f"{package}.{name} has moved to {module}.{name}", DeprecationWarning, stacklevel=3)
    return getattr(import_module(module), name)
