"""Break the code in small ways, each of which the tests should detect: mutmut on a random sample.

    python -m tests.campaigns.mutants referee|service [SAMPLE [SEED]]

The tracked files are copied to build/mutants, where mutmut works. A SAMPLE of 0 means every mutant. Surviving
mutants are printed with their change, to be killed by a test or found to change nothing. Mutants of the
service are tried by `trials.py`, in CHILDREN processes, because mutmut would start a database for each of
them.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
MUTMUT = Path(sys.executable).with_name("mutmut")

# It changes the defaults of a function, which mutmut has wrapped in another one.
LEFT_OUT = "tests/core/games/test_bots.py::test_a_long_game_of_bots_is_played_on_by_the_worker"
# What is broken: the rules, their core and the log; the modules through which a move passes.
BROKEN = {
    "referee": [
        "referee/engine/[!_]*.py",
        *(f"referee/computer/{name}.py" for name in ("timeouts", "bots", "cautious")),
        *(f"referee/{name}.py" for name in ("cards", "choices", "combos", "tricks")),
        *(f"referee/table/{name}.py" for name in ("apply", "fold", "table", "dealing", "recent", "seats")),
        "referee/table/commands/[!_]*.py",
        *(f"referee/log/{name}.py" for name in ("pace", "chain", "consent")),
        *(f"referee/proofs/{name}.py" for name in ("receipts", "merkle", "policy", "succession", "promises")),
        "referee/verification/[!_]*.py",
        "referee/games/[!_]*.py",
    ],
    "service": [
        *(f"api/games/{name}.py" for name in ("acting", "moves", "commanding", "bots", "deadlines")),
        "api/features/post/[!_]*.py",
        "api/features/takebacks/takebacks.py",
        *(f"api/games/{name}.py" for name in ("game", "history", "saving", "seat", "views", "events")),
        *(f"api/games/{name}.py" for name in ("outages", "looks", "export", "loading")),
        "api/store/[!_]*.py",
    ],
}


def _tests(*names: str) -> list[str]:
    """Return the files of tests of the service with these names."""
    return [str(file.relative_to(ROOT)) for name in names for file in ROOT.glob(f"tests/**/test_{name}.py")]


# Fast tests that call the code in their own process, because separate programs run the installed code.
TESTS = {
    "referee": [
        "tests/referee",
        *(f"tests/audit/test_{name}.py" for name in ("every_check", "forgeries", "recomputed_deals")),
        *(f"tests/audit/test_{name}.py" for name in ("bundles", "promises")),
        *(f"--ignore=tests/referee/test_{name}.py" for name in ("archives", "cli", "cluster", "scaffold")),
        *(f"--ignore=tests/referee/test_{name}.py" for name in ("ageing", "dispute")),
        # One hides mutmut from the library, the other replaces the code of functions that mutmut has wrapped.
        *(f"--ignore=tests/referee/test_{name}.py" for name in ("installed_alone", "rules_once")),
    ],
    "service": [
        *_tests("acting", "at_once", "games", "takebacks_everywhere"),
        *_tests("pauses", "late_seats", "orders", "looks"),
        *_tests("privacy", "bots", "test_clocks"),
        *_tests("play_by_post_deadlines", "play_by_post_seats", "deals", "nudges"),
        *_tests("idempotency", "repeated_acts", "own_keys"),
        *_tests("outages", "ways_out", "worker_jobs", "feeds", "statements", "reads", "quotas"),
    ],
}


def copy(what: str) -> Path:
    """Copy the tracked files, with the settings of mutmut; return the new folder."""
    there = ROOT / "build" / "mutants" / what
    shutil.rmtree(there, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, there / name)
    settings = {
        "source_paths": [{"referee": "referee", "service": "api"}[what]],
        "only_mutate": BROKEN[what],
        "also_copy": [each.name for each in there.iterdir() if not each.name.startswith(".")],
        "pytest_add_cli_args_test_selection": TESTS[what],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", f"--deselect={LEFT_OUT}"],
    }
    text = "".join(
        f"{name} =\n" + "".join(f"    {each}\n" for each in all_) for name, all_ in settings.items()
    )
    (there / "setup.cfg").write_text(f"[mutmut]\n{text}")
    return there


def mutmut(there: Path, *arguments: str) -> str:
    """Run mutmut; return its output."""
    run = subprocess.run([MUTMUT, *arguments], cwd=there, capture_output=True, text=True, env=os.environ)
    return run.stdout + run.stderr


def results(there: Path) -> dict[str, str]:
    """Return every mutant with its outcome."""
    lines = (line.strip().rpartition(": ") for line in mutmut(there, "results", "--all", "true").splitlines())
    return {name: became for name, colon, became in lines if colon and "__mutmut_" in name}


def try_service(there: Path, drawn: list[str]) -> dict[str, str]:
    """Divide the mutants among processes, in random order; print the survivors; return all outcomes."""
    copied, children = there / "mutants", int(os.environ.get("CHILDREN", "2"))
    results, found = copied / "results", dict[str, str]()
    results.touch()
    processes = []
    for child in range(children):
        names = copied / f"names.{child}"
        names.write_text("\n".join(drawn[child::children]))
        words = [sys.executable, "-m", "tests.campaigns.trials", str(names), str(results)]
        processes.append(subprocess.Popen(words, cwd=copied, env={**os.environ, "PYTHONPATH": str(copied)}))
    ended = False
    while not ended:
        ended = all(process.poll() is not None for process in processes)
        time.sleep(1)
        for line in results.read_text().splitlines()[len(found) :]:
            name, became, tests = re.fullmatch(r"(\S+) (.+) (\d+)", line).groups()  # type: ignore[union-attr]
            found[name] = became
            print(f"{len(found)}: {name} {became}, {tests} tests", flush=True)
            if became == "survived":
                print(mutmut(there, "show", name), flush=True)
    return {name: found.get(name, "not checked") for name in drawn}


@click.command(help=__doc__)
@click.argument("what", type=click.Choice(list(BROKEN)))
@click.argument("size", metavar="SAMPLE", default=0)
@click.argument("seed", default=1)
def main(what: str, size: int, seed: int) -> None:
    """Draw a sample, try it, and print the survivors."""
    there = copy(what)
    said = mutmut(
        there, "run", "nothing.that.is.there"
    )  # creates the mutants, and records which tests reach which
    every = sorted(results(there))
    if not every:
        sys.exit(said)
    drawn = random.Random(seed).sample(every, size or len(every))
    print(f"{len(drawn)} of {len(every)} mutants, seed {seed}", flush=True)
    if what == "service":
        print(dict(Counter(try_service(there, drawn).values())))
        return
    said = mutmut(there, "run", "--max-children", os.environ.get("CHILDREN", "2"), *drawn)
    found = results(there)
    became = Counter(found[name] for name in drawn)
    if became["not checked"]:
        print(said[-3000:])
    print(dict(became))
    for name in sorted(drawn):
        if found[name] != "killed":
            print(f"\n=== {name}: {found[name]}\n{mutmut(there, 'show', name)}")


if __name__ == "__main__":
    main()
