"""Remove and rewrite evidence in honest bundles: `python -m tests.campaigns.evidence`.

The policy pins the log's first key and wants two of three witnesses. Honest bundles are fetched at every
moment: at once, before and after the witnesses have signed, after the log's key was rotated. None may be
contradicted. The forger is the operator: it owns the database, the seed and the log's key, not the players'
and the witnesses' keys. It tells each lie that nobody finds in a record alone
(tests/audit/forging/unfound.py), makes every seal and hash anew, and keeps, removes or makes anew the
evidence; and it removes or changes the evidence for an honest record. None of these bundles may be proved.
The command, its verdict on a folder and the page must say the same, except for what needs the rules of the
games, which the page does not know.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import referee.proofs
from tests.audit.forging.forgers import Forgery, every_deed, forge
from tests.audit.forging.judging import found
from tests.audit.forging.table import LIES, Lie, Table, of_type
from tests.audit.forging.unfound import is_beyond_page, reason
from tests.servers.commands import run
from tests.support.honest import played
from tests.support.honest.server import Server
from tests.support.node import ask
from tests.support.witnesses import Tree, cosigned_by, policy_text

# Together these games have every type of entry, keys, bots, orders, looks, commitments, test clocks.
GAMES = (1073, 1025, 1076, 1028, 1082, 1007, 1048, 1001)
MOST = 25
PROVED, SHORT, WRONG = "proved", "not enough evidence yet", "contradicted"
VERDICTS = (PROVED, WRONG, SHORT)  # by exit status
# What is absent, or unknown, accuses nobody; but a server must give the seed of a game that is over.
ABSENT = (
    *(
        "no proofs",
        "no receipts",
        "no evidence",
        "no keys",
        "no proof of the end",
        "no proof of the beginning",
    ),
    *("no leaves", "no checkpoint", "no cosignatures", "one cosignature", "one cosignature twice"),
    *("no signature of the log", "a strangers signature of the log", "a strangers key that nobody endorsed"),
    *("no endorsement", "a key that endorses itself", "an endorsement of another key", "no log"),
    *("a receipt of an earlier entry", "a strangers receipt", "no signature of anybody"),
    *("no member of the proofs", "no place of a leaf", "nothing in place of keys and receipts"),
)
BEFORE, BETWEEN, AFTER = 3, 2, 1  # leaves of other games

Bundle = dict[str, Any]
Record = dict[str, Any]


class Log:
    """The log of all games of a server, whose key has been rotated."""

    def __init__(self) -> None:
        self.old, self.new = Tree("cards.test", 9), Tree("cards.test", 8)
        self.policy = policy_text(self.old.key.vkey)
        endorsement = self.old.sign(f"cards.test/keys\n{self.new.key.vkey}\n")
        first = {"vkey": self.old.key.vkey, "valid_from": "2026-01-01T00:00:00.000000Z", "restored": False}
        self.keys = [{**first, "valid_until": None, "endorsement": None}]
        retired = {**first, "valid_until": "2099-01-01T00:00:00.000000Z", "endorsement": None}
        second = {"vkey": self.new.key.vkey, "valid_from": retired["valid_until"], "restored": False}
        self.rotated = [{**second, "valid_until": None, "endorsement": endorsement}, retired]

    def included(
        self, record: Record, signer: Tree, *witnesses: int, ends: int = 2, alone: bool = False
    ) -> Any:
        """Return the proofs of a game in the tree, which these witnesses have cosigned.

        `ends`: how many leaves of the game are in it; `alone`: nothing else is in it.
        """
        own = [
            referee.proofs.leaf(entry, record["commitment"], entry["hash"], record["origin"] == "imported")
            for entry in record["entries"]
            if entry["type"] in ("created", "finished", "cancelled")
        ][:ends]
        other = [] if alone else [b"%d" % number for number in range(BEFORE + BETWEEN + AFTER)]
        places = [len(other[:BEFORE]) + at * (1 + len(other[:BETWEEN])) for at in range(len(own))]
        for place, leaf in zip(places, own, strict=True):
            other.insert(place, leaf)
        signer.leaves = other
        size, proofs = len(other), []
        for place in places:
            hashes = [hash_.hex() for hash_ in referee.proofs.prove_inclusion(place, size, signer.node)]
            proofs.append({"index": place, "data": other[place].decode(), "proof": hashes})
        root = referee.proofs.tree_root(size, signer.node).hex()
        note = cosigned_by(signer.note(size), *witnesses)
        return {"checkpoint": note, "size": size, "root": root, "leaves": proofs}

    def receipt(self, record: Record, signer: Tree, size: int | None = None) -> str:
        """Sign the last entry of a game's log, or an earlier one."""
        last = record["entries"][(size or len(record["entries"])) - 1]
        origin = f"cards.test/{record['game']}"
        return signer.sign(referee.proofs.checkpoint(origin, last["seq"], bytes.fromhex(last["hash"])))

    def bundle(self, record: Record, moment: str) -> Bundle:
        """Return the bundle that an honest server gives at a moment."""
        leaves, witnesses, rotated, _ = MOMENTS[moment]
        signer = self.new if rotated else self.old
        keys = self.rotated if rotated else self.keys
        inclusion = self.included(record, signer, *witnesses, ends=leaves) if leaves else None
        return {
            "format": "card-referee-bundle/1",
            "record": {**record, **({"inclusion": inclusion} if inclusion else {})},
            "receipts": [self.receipt(record, signer)],
            "keys": keys,
        }


# When a bundle is fetched: the game's leaves that are in the tree then, who has cosigned it, whether the key
# was rotated, and the verdict that is due.
MOMENTS: dict[str, tuple[int, tuple[int, ...], bool, str]] = {
    "at once": (0, (), False, SHORT),
    "before its end is in the log": (1, (1, 2, 3), False, SHORT),
    "before the witnesses signed": (2, (), False, SHORT),
    "after one witness signed": (2, (2,), False, SHORT),
    "after the witnesses signed": (2, (1, 3), False, PROVED),
    "after the key was rotated": (2, (1, 2, 3), True, PROVED),
}
NEWEST = "after the key was rotated"


class Case(NamedTuple):
    """A bundle, what was done to it, and the verdicts that it may get."""

    what: str
    bundle: Bundle
    due: tuple[str, ...]


# --- the forger ---------------------------------------------------------------------------------------

Deed = Callable[[Log, Bundle], None]
DEEDS: dict[str, Deed] = {}


def deed(change: Deed) -> Deed:
    """Add a function to what a forger does to the evidence for an honest record."""
    DEEDS[change.__name__.replace("_", " ")] = change
    return change


@deed
def no_proofs(log: Log, bundle: Bundle) -> None:
    del bundle["record"]["inclusion"]


@deed
def no_receipts(log: Log, bundle: Bundle) -> None:
    bundle["receipts"] = []


@deed
def no_evidence(log: Log, bundle: Bundle) -> None:
    no_proofs(log, bundle)
    no_receipts(log, bundle)


@deed
def no_keys(log: Log, bundle: Bundle) -> None:
    bundle["keys"].clear()


@deed
def no_proof_of_the_end(log: Log, bundle: Bundle) -> None:
    del bundle["record"]["inclusion"]["leaves"][1]


@deed
def no_proof_of_the_beginning(log: Log, bundle: Bundle) -> None:
    del bundle["record"]["inclusion"]["leaves"][0]


@deed
def no_leaves(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["leaves"] = []


@deed
def no_checkpoint(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["checkpoint"] = None


@deed
def no_cosignatures(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["checkpoint"] = _signed_again(bundle, log.new)


@deed
def one_cosignature(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["checkpoint"] = cosigned_by(_signed_again(bundle, log.new), 2)


@deed
def one_cosignature_twice(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["checkpoint"] = cosigned_by(_signed_again(bundle, log.new), 2, 2)


@deed
def a_cosignature_in_the_name_of_another(log: Log, bundle: Bundle) -> None:
    note = cosigned_by(_signed_again(bundle, log.new), 1, 3)
    bundle["record"]["inclusion"]["checkpoint"] = note.replace("witness-1.test", "witness-2.test")


@deed
def cosignatures_of_another_tree(log: Log, bundle: Bundle) -> None:
    other = cosigned_by(log.new.note(bundle["record"]["inclusion"]["size"] - 1), 1, 2, 3)
    lines = "".join(other.splitlines(keepends=True)[5:])
    bundle["record"]["inclusion"]["checkpoint"] = _signed_again(bundle, log.new) + lines


@deed
def no_signature_of_the_log(log: Log, bundle: Bundle) -> None:
    lines = bundle["record"]["inclusion"]["checkpoint"].splitlines(keepends=True)
    bundle["record"]["inclusion"]["checkpoint"] = "".join([*lines[:4], *lines[5:]])


@deed
def no_signature_of_anybody(log: Log, bundle: Bundle) -> None:
    notes = [bundle["record"]["inclusion"]["checkpoint"], *bundle["receipts"]]
    bare = [f"{note.partition(chr(10) * 2)[0]}\n\n" for note in notes]
    bundle["record"]["inclusion"]["checkpoint"], bundle["receipts"] = bare[0], bare[1:]


@deed
def no_member_of_the_proofs(log: Log, bundle: Bundle) -> None:
    size = bundle["record"]["inclusion"]["size"]
    del bundle["record"]["inclusion"][("checkpoint", "size", "root", "leaves")[size % 4]]


@deed
def no_place_of_a_leaf(log: Log, bundle: Bundle) -> None:
    del bundle["record"]["inclusion"]["leaves"][1]["index"]


@deed
def nothing_in_place_of_keys_and_receipts(log: Log, bundle: Bundle) -> None:
    bundle["keys"], bundle["receipts"] = None, None


@deed
def a_strangers_signature_of_the_log(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["checkpoint"] = cosigned_by(
        _signed_again(bundle, Tree("cards.test", 5)), 1, 2
    )


@deed
def a_strangers_key_that_nobody_endorsed(log: Log, bundle: Bundle) -> None:
    stranger = Tree("cards.test", 5)
    a_strangers_signature_of_the_log(log, bundle)
    bundle["receipts"] = [log.receipt(bundle["record"], stranger)]
    bundle["keys"][:] = [{**log.keys[0], "vkey": stranger.key.vkey}]


@deed
def no_endorsement(log: Log, bundle: Bundle) -> None:
    bundle["keys"][0]["endorsement"] = None


@deed
def a_key_that_endorses_itself(log: Log, bundle: Bundle) -> None:
    bundle["keys"][0]["endorsement"] = log.new.sign(f"cards.test/keys\n{log.new.key.vkey}\n")


@deed
def an_endorsement_of_another_key(log: Log, bundle: Bundle) -> None:
    bundle["keys"][0]["endorsement"] = log.old.sign(f"cards.test/keys\n{Tree('cards.test', 5).key.vkey}\n")


@deed
def a_checkpoint_of_another_log(log: Log, bundle: Bundle) -> None:
    size = bundle["record"]["inclusion"]["size"]
    bundle["record"]["inclusion"]["checkpoint"] = cosigned_by(log.new.note(size, "cards.test/other"), 1, 2, 3)


@deed
def a_checkpoint_of_another_tree(log: Log, bundle: Bundle) -> None:
    size = bundle["record"]["inclusion"]["size"]
    bundle["record"]["inclusion"]["checkpoint"] = cosigned_by(log.new.note(size - 1), 1, 2, 3)


@deed
def another_root(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["root"] = "11" * 32


@deed
def another_size(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["size"] += 1


@deed
def another_place(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["leaves"][0]["index"] += 1


@deed
def another_proof(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"]["leaves"][1]["proof"][0] = "11" * 32


@deed
def a_shorter_proof(log: Log, bundle: Bundle) -> None:
    del bundle["record"]["inclusion"]["leaves"][1]["proof"][-1]


@deed
def the_leaf_of_another_beginning(log: Log, bundle: Bundle) -> None:
    leaf = bundle["record"]["inclusion"]["leaves"][0]
    leaf["data"] = leaf["data"].replace('"hash":"', '"hash":"00')


@deed
def a_tree_of_its_own(log: Log, bundle: Bundle) -> None:
    bundle["record"]["inclusion"] = log.included(bundle["record"], log.new, alone=True)


@deed
def a_receipt_of_an_earlier_entry(log: Log, bundle: Bundle) -> None:
    bundle["receipts"] = [log.receipt(bundle["record"], log.new, 2)]


@deed
def a_receipt_of_another_game(log: Log, bundle: Bundle) -> None:
    other = {**bundle["record"], "game": "00000000-0000-7000-8000-000000000000"}
    bundle["receipts"] = [log.receipt(other, log.new)]


@deed
def a_receipt_of_another_entry(log: Log, bundle: Bundle) -> None:
    last = {**bundle["record"]["entries"][-1], "hash": "11" * 32}
    bundle["receipts"] = [log.receipt({**bundle["record"], "entries": [last]}, log.new, 1)]


@deed
def a_strangers_receipt(log: Log, bundle: Bundle) -> None:
    bundle["receipts"] = [log.receipt(bundle["record"], Tree("cards.test", 5))]


@deed
def a_receipt_by_a_key_that_was_retired_before(log: Log, bundle: Bundle) -> None:
    bundle["keys"][1]["valid_until"] = "2026-01-02T00:00:00.000000Z"
    bundle["receipts"] = [log.receipt(bundle["record"], log.old)]


@deed
def another_name_of_the_game(log: Log, bundle: Bundle) -> None:
    bundle["record"]["game"] = "00000000-0000-7000-8000-000000000000"


@deed
def no_seed(log: Log, bundle: Bundle) -> None:
    bundle["record"] |= {"seed": None, "moves": []}
    bundle["record"].pop("chance", None)
    for entry in bundle["record"]["entries"]:
        entry.pop("private", None)


@deed
def no_log(log: Log, bundle: Bundle) -> None:
    bundle["record"]["entries"] = []


def _signed_again(bundle: Bundle, signer: Tree) -> str:
    """Return the checkpoint of a bundle's tree without cosignatures, signed with a key."""
    text, _, _ = bundle["record"]["inclusion"]["checkpoint"].rpartition("\n\n")
    return signer.sign(f"{text}\n")


# What a forger does with the evidence for a record that it has rewritten: the receipt, and the proofs.
COVERS = {
    "all evidence kept": ("kept", "kept"),
    "all evidence removed": ("none", "none"),
    "the receipt signed anew": ("new", "kept"),
    "the receipt signed anew and no proofs": ("new", "none"),
    "the receipt and a tree signed anew": ("new", "new"),
}


def covered(log: Log, record: Record, bundle: Bundle, cover: str) -> Bundle:
    """Return a bundle of a rewritten record, with the evidence of an honest one, none, or made anew."""
    receipt, proofs = COVERS[cover]
    inclusions = {"kept": bundle["record"]["inclusion"], "new": log.included(record, log.new, alone=True)}
    receipts = {"kept": bundle["receipts"], "new": [log.receipt(record, log.new)], "none": []}
    members = {"inclusion": inclusions[proofs]} if proofs in inclusions else {}
    return {**bundle, "record": {**record, **members}, "receipts": receipts[receipt]}


def passed_off_as_imported(choose: random.Random, table: Table) -> None:
    """Say that the game was brought in, so that less is expected of its receipts."""
    table.record |= {"origin": "imported", "imported_by": {"id": "an app", "name": "Another app"}}


IMPORTED = Lie("created", "passed_off_as_imported", passed_off_as_imported, of_type)


def lies(servers: Sequence[Server], once: bool = False) -> Iterator[Forgery]:
    """Yield what nobody finds in a record alone, told about the first game of which it can be.

    `once`: one about each member, of whichever type of entry.
    """
    choose, done = random.Random(1), set()
    deeds = ((deed.kind(server.entries), [server], deed) for server, deed in every_deed(servers))
    told = ((("lie", lie.type, lie.name), servers, lie) for lie in (*LIES, IMPORTED))
    for (deed, kind, member), about, what in itertools.chain(deeds, told):
        is_unfound = what is IMPORTED or reason(Forgery("rebuilt", deed, kind, member, {}, 0)) is not None
        alike = member or deed
        if is_unfound and not (once and alike in done):
            made = (forge(server, "rebuilt", what, choose) for server in about)
            if forged := next((each for each in made if each), None):
                done.add(alike)
                yield forged


# --- the cases ----------------------------------------------------------------------------------------


def games(numbers: Iterable[int]) -> list[Server]:
    """Return honest games."""
    return [played(number, most=MOST) for number in numbers]


def honest(log: Log, servers: Sequence[Server]) -> Iterator[Case]:
    """Yield the bundles of honest games at every moment."""
    for number, record in enumerate(server.record() for server in servers):
        for moment, (*_, due) in MOMENTS.items():
            yield Case(f"game {number} {moment}", log.bundle(record, moment), (due,))


def without(log: Log, record: Record) -> Iterator[Case]:
    """Yield an honest game's bundle with other or less evidence, in every way."""
    for name, change in DEEDS.items():
        bundle = copy.deepcopy(log.bundle(record, NEWEST))
        change(log, bundle)
        # Only its log says that a game never began, and its deal was not final.
        has_begun = any(entry["type"] == "started" for entry in record["entries"])
        is_absent = name in ABSENT and (name != "no log" or has_begun)
        due = (SHORT,) if is_absent else (WRONG,) if name == "no seed" else (SHORT, WRONG)
        yield Case(name, bundle, due)


def rewritten(log: Log, servers: Sequence[Server], once: bool = False) -> Iterator[Case]:
    """Yield bundles in which each lie is told.

    With the evidence in every way; or `once` for each deed and member, with the evidence in one way in turn.
    """
    honestly = {server.number: log.bundle(server.record(), NEWEST) for server in servers}
    for number, forged in enumerate(lies(servers, once)):
        for way in [[*COVERS][number % len(COVERS)]] if once else [*COVERS]:
            with suppress(KeyError):  # what is missing, no evidence can cover
                bundle = covered(log, forged.record, honestly[forged.game], way)
                # Nobody can know that talk after the end is missing, if the server signs what is left.
                is_unknowable = (forged.deed, forged.type, COVERS[way]) == ("cut", "said", ("new", "kept"))
                due = (SHORT, WRONG, PROVED) if is_unknowable else (SHORT, WRONG)
                yield Case(f"{forged.what}, {way}", bundle, due)


# --- the verdicts -------------------------------------------------------------------------------------


def by_command(cases: Sequence[Case], policy: str, directory: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the verdicts on each bundle, on a folder with nothing else in it, and on its record alone."""
    (trusted := directory / "policy").write_text(policy)
    folder = directory / "bundles"
    folder.mkdir(exist_ok=True)
    file = folder / "game.bundle"
    for case in cases:
        file.write_text(json.dumps(case.bundle))
        alone = run("verify", str(file), "--policy", str(trusted))
        among = run("verify", str(folder), "--jobs", "1", "--policy", str(trusted))
        file.write_text(json.dumps(case.bundle["record"]))
        record = run("verify", str(file), "--policy", str(trusted))
        yield VERDICTS[alone.returncode], VERDICTS[among.returncode], VERDICTS[record.returncode]


def faults(cases: Sequence[Case], policy: str, directory: Path, counts: Counter[str]) -> list[str]:
    """Return where a verifier says what is not due, or two say different things; count the verdicts."""
    pages = ask([{"verdict": case.bundle, "policy": policy} for case in cases])
    wrong = []
    for case, page, (alone, among, record) in zip(
        cases, pages, by_command(cases, policy, directory), strict=True
    ):
        counts[f"{alone} by the command"] += 1
        counts[f"{page} by the page"] += 1
        differs = page != alone and not (
            (page, alone) == (SHORT, WRONG) and is_beyond_page(found(case.bundle["record"]))
        )
        accused = record == WRONG and WRONG not in case.due
        if alone != among or differs or accused or not {alone, page} <= {*case.due}:
            verdicts = f"{alone} by the command, {among} in a folder, {page} by the page, {record} the record"
            wrong.append(f"{case.what}: {verdicts}")
    return wrong


def main() -> int:
    """Print the table; return 1 if there is a fault."""
    parser = argparse.ArgumentParser(description="Remove and rewrite evidence in honest bundles.")
    parser.add_argument("more", type=int, nargs="?", default=40, help="how many more games")
    given = parser.parse_args()
    log, servers = Log(), games((*GAMES, *range(2001, 2001 + given.more)))
    groups = {
        "honest bundles": [*honest(log, servers)],
        "bundles with less or other evidence": [
            case for one in servers for case in without(log, one.record())
        ],
        "rewritten bundles": [*rewritten(log, servers)],
    }
    total = 0
    with tempfile.TemporaryDirectory() as directory:
        for name, cases in groups.items():
            counts: Counter[str] = Counter()
            wrong = faults(cases, log.policy, Path(directory), counts)
            total += len(wrong)
            for fault in wrong:
                print(f"PROBLEM {fault}")
            print(f"{len(cases)} {name}: {', '.join(f'{n} {what}' for what, n in sorted(counts.items()))}")
    print(f"VERDICT {len(DEEDS)} deeds to the evidence, {len([*lies(servers)])} lies, {total} problems")
    return min(total, 1)


if __name__ == "__main__":
    sys.exit(main())
