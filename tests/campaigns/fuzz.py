"""Fuzz everything that parses input of others, guided by coverage (atheris, the extra `fuzz`).

    python -m tests.campaigns.fuzz [TARGET…] [--seconds N]

Each target of tests/campaigns/parsers.py runs for some seconds in its own process. Interesting inputs are
kept in build/fuzz/TARGET for the next run. A fault ends its target, and its input is stored in build/fuzz. At
the end, the number of inputs of each target is printed; the status is 1 if there was a fault.
"""

from __future__ import annotations

import re
import subprocess
import sys
from hashlib import sha1
from pathlib import Path

import click

BUILD = Path("build/fuzz")
LONGEST = {"scenarios": 1200, "headers": 400, "cursors": 400, "notes": 2000, "moves": 400, "requests": 1500}


def one(name: str, seconds: int) -> None:
    """Fuzz one target in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["referee", "api"], enable_loader_override=False):
        from tests.campaigns import parsers
    corpus = BUILD / name
    corpus.mkdir(parents=True, exist_ok=True)
    for text in parsers.examples(name):
        (corpus / sha1(text).hexdigest()).write_bytes(text)
    listed = "".join(
        '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n' for word in parsers.words(name)
    )
    (BUILD / f"{name}.dict").write_text(listed)
    flags = [f"-max_total_time={seconds}", f"-max_len={LONGEST.get(name, 6000)}", "-timeout=30"]
    flags += [f"-dict={BUILD}/{name}.dict", f"-artifact_prefix={BUILD}/{name}-", "-print_final_stats=1"]
    atheris.Setup(
        [sys.argv[0], *flags, "-rss_limit_mb=4096", "-verbosity=0", str(corpus)], parsers.TARGETS[name]
    )
    atheris.Fuzz()


def run(name: str, seconds: int) -> tuple[int, str]:
    """Fuzz a target in its own process; return its number of inputs, and what went wrong."""
    command = [sys.executable, "-m", "tests.campaigns.fuzz", name, "--seconds", str(seconds), "--inside"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    fault = "" if done.returncode == 0 else (done.stdout + done.stderr)[-3000:]
    return int(found[1]) if found else 0, fault


@click.command(help=__doc__)
@click.argument("targets", nargs=-1)
@click.option("--seconds", default=60, help="How long each target runs.")
@click.option("--inside", is_flag=True, hidden=True)
def main(targets: tuple[str, ...], seconds: int, inside: bool) -> None:
    if inside:
        one(targets[0], seconds)
        return
    from tests.campaigns import parsers

    try:
        import atheris  # noqa: F401
    except ImportError:
        raise SystemExit("NOT RUN: install the extra `fuzz` (atheris has wheels for Linux only).") from None
    total, faults = 0, 0
    for name in targets or parsers.TARGETS:
        inputs, fault = run(name, seconds)
        total += inputs
        faults += bool(fault)
        print(f"{name:12} {inputs:12,} inputs  {'FAULT' if fault else 'no fault'}", flush=True)
        if fault:
            print(fault, flush=True)
    print(f"{'all':12} {total:12,} inputs  {faults} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
