"""Write the parts of documents that come from the code: `python -m docs.make_pages` (`make docs`).

docs/settings.md comes from api/core/declared.py, docs/dependencies.md from pyproject.toml, docs/notices.md
from api/features/webhooks/examples.py, docs/changes.md from the released specifications, the names in
docs/library-reference.md from the modules that programs import, the diagram of a move in
docs/architecture/games.md from a move that is made and watched, and api/web/model/entry_words.js from the
declarations of the types of entries, like the files of docs/log_format.py. A test compares all of them with
the code.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import referee
from api.cli import cli
from api.commands.settings import page
from api.core.config import Settings
from api.features.webhooks.examples import examples
from api.game.events import ABOUT
from api.run.embedded.postgres import embedded, supervise
from api.run.migrate import upgrade
from docs import library_reference, log_format
from docs.api_changes import changelog
from docs.trace import diagram, move

ROOT = Path(__file__).parent.parent
ARCHITECTURE = ROOT / "docs/architecture/games.md"
ENTRY_WORDS = ROOT / "api/web/model/entry_words.js"
DIAGRAM = re.compile(r"(<!-- diagram of a move: make docs -->\n).*?(<!-- end -->)", re.DOTALL)
DEPENDENCY = re.compile(r'^    "([A-Za-z0-9_-]+)([^"]*)",(?:  # (.+))?$')


PARTS = {
    "dependencies = [": "The library and its command",
    "server = [": "The service (the extra `server`)",
    "beacon = [": "To check public beacons (the extra `beacon`)",
    "witness = [": "To watch a server's log (the extra `witness`)",
    "archive = [": "To read and write compressed archives (the extra `archive`)",
    "cluster = [": "To verify archives on many machines (the extra `cluster`)",
    "research = [": "To let programs learn in PettingZoo environments (the extra `research`)",
    "timestamps = [": "To have checkpoints time-stamped (the extra `timestamps`)",
    "tracing = [": "To trace requests (the extra `tracing`)",
    "build = [": "To build packages (the extra `build`)",
    "supply = [": "To lock, audit and list what is installed (the extra `supply`)",
    "fuzz = [": "To fuzz parsers and break code on purpose (the extra `fuzz`)",
    "dev = [": "To develop",
}


def settings_page() -> str:
    """Return docs/settings.md."""
    return page(cli)


def dependencies_page() -> str:
    """Return docs/dependencies.md. Raises ValueError for a dependency without a reason."""
    lines = ["# Dependencies", "", "`make docs` writes this page from the comments in `pyproject.toml`.", ""]
    text = (ROOT / "pyproject.toml").read_text()
    for start, title in PARTS.items():
        listed = text.split(f"\n{start}\n", 1)[1].split("\n]", 1)[0]
        lines += [f"## {title}", "| package | versions | why |", "| --- | --- | --- |"]
        for line in listed.splitlines():
            found = DEPENDENCY.match(line)
            if found is None or not found[3]:
                raise ValueError(f"pyproject.toml gives no reason beside: {line.strip()}")
            versions = re.sub(r"^\[.*?\]", "", found[2]) or "any"
            lines.append(f"| {found[1]} | `{versions}` | {found[3]} |")
        lines.append("")
    return "\n".join(lines)


def entry_words() -> str:
    """Return api/web/model/entry_words.js: what the pages say of each type of entry, and what is aside."""

    def listed(of: str) -> str:
        texts = {name: getattr(kind, of) for name, kind in referee.ENTRY_TYPES.items()}
        return "".join(f"{name}:mark({json.dumps(text)}),\n" for name, text in texts.items() if text)

    aside = [name for name, kind in referee.ENTRY_TYPES.items() if kind.aside]
    return (
        "// Written by `make docs` from referee/log/entries.py.\n"
        'import {mark} from "../texts.js";\n\n'
        f"export const ENTRY_WORDS = {{\n{listed('words')}}};\n"
        f"export const HANDED_OVER = {{\n{listed('handed_over')}}};\n"
        "/** Types of entries after which the legal moves are as before. */\n"
        f"export const ASIDE = {json.dumps(aside)};\n"
    )


def notices_page() -> str:
    """Return docs/notices.md: an example of every notice, created by the code that creates notices."""
    lines = ["# Every notice to webhooks", "", "Each event, and what comes (see [webhooks](webhooks.md))."]
    for event, example in examples().items():
        lines += ["", f"## {event}", ABOUT[event], "```json", json.dumps(example, indent=1), "```"]
    return "\n".join([*lines, ""])


def architecture(diagram: str) -> str:
    """Return docs/architecture/games.md with this diagram of a move."""
    return DIAGRAM.sub(lambda found: found[1] + diagram + found[2], ARCHITECTURE.read_text())


def main() -> None:
    """Write all of them."""
    (ROOT / "docs/settings.md").write_text(settings_page())
    (ROOT / "docs/dependencies.md").write_text(dependencies_page())
    (ROOT / "docs/notices.md").write_text(notices_page())
    (ROOT / "docs/changes.md").write_text(changelog())
    ENTRY_WORDS.write_text(entry_words())
    log_format.main()
    library_reference.main()
    with tempfile.TemporaryDirectory(prefix="card-referee-docs-") as directory:
        settings = Settings(data_dir=Path(directory))
        with supervise(settings.data_dir) as server:
            assert server is not None
            found = embedded(settings, server.socket)
            upgrade(found)
            ARCHITECTURE.write_text(architecture(diagram(move(found))))


if __name__ == "__main__":
    main()
