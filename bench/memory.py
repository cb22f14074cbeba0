"""Measure the memory of the service's processes after keyed moves, installed as users install it.

The service is installed into `build/memory` each time, without the packages for development, which would make
its processes larger. PSS is the memory of a process alone plus its share of what several processes share;
`resident` counts shared pages in each process. Neither depends on the load of the machine.

    python -m bench.memory
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import psutil

from bench.append import SEATS, stocked
from bench.http import load, served

INSTALLED = Path("build/memory")
CLIENTS, SECONDS, GAMES = 16, 4.0, 20
MIB = 2**20


def install() -> Path:
    """Install the service into a new environment; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", INSTALLED], check=True)
    python = INSTALLED / "bin" / "python"
    for words in (("--requirement", "requirements.lock"), ("--no-deps", ".")):
        subprocess.run([python, "-m", "pip", "install", "--quiet", *words], check=True)
    return python.absolute()


def kind(process: psutil.Process) -> str:
    """Return the kind of a process of the service, from its command line."""
    if "postgres" in process.name():
        return "PostgreSQL"
    words = process.cmdline()
    word = next(word for word in ("api.run.web.compute", "web", "worker", "serve") if word in words)
    name = word.rpartition(".")[2]
    parent = process.parent()
    if name not in ("web", "compute"):
        return name
    return f"{name} process" if parent is not None and word in parent.cmdline() else f"{name} master"


def main() -> None:
    """Measure, and print a line for each kind of process."""
    with served.api(install()) as api:
        players = api.players(SEATS)
        clients = [stocked(api, players, GAMES, keyed=True) for _ in range(CLIENTS)]
        load.run(served.address(api.url), clients, SECONDS)
        sizes: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for process in psutil.Process().children(recursive=True):
            memory = process.memory_full_info()
            sizes[kind(process)].append((memory.pss / MIB, memory.rss / MIB))
    print(f"{'MiB':16} {'number':>6} {'PSS':>6} {'resident':>8}")
    for name, found in sorted(sizes.items()):
        pss, resident = (sum(column) for column in zip(*found, strict=True))
        print(f"{name:16} {len(found):>6} {pss:>6.1f} {resident:>8.1f}")


if __name__ == "__main__":
    main()
