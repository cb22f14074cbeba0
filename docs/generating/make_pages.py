"""Write everything that comes from the code, or compare it: `make generate`, `make check-generated`.

openapi.yaml comes from the declared operations, as does docs/reference/api.md. In docs,
reference/settings.md comes from api/core/declared.py, reference/dependencies.md from pyproject.toml,
reference/notices.md from api/features/webhooks/examples.py, reference/changes.md from the released
specifications, the table in guides/searching.md from api/features/search/filters.py, that in
guides/play-by-post.md from api/games/inputs.py, the table of types in reference/log-format.md from
referee/log/entries.py, reference/games from the games, the names in reference/library-reference.md from the
modules that programs import, and the diagram of a move in explanation/architecture.md from a move that is
made and watched. The tables in ARCHITECTURE.md and explanation/architecture.md come from declarations and
docstrings, referee/typed from those of the games, guides/runbook.md from the rules of alerts, the lists of
explanation/trust.md and api/web/evidence/words.js from those of checks, api/web/model/entry_words.js from
those of the types of entries, like the files of log_format.py. The sample hands on the pages of rules and
tests/counts/README.md come from the games. api/languages/*.po get the texts of pages and mails that are
new, for translation.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from babel.messages.frontend import CommandLineInterface

import referee.records
from api.core import languages, logs
from api.core.config import Settings
from api.features.search.filters import PARAMETERS
from api.features.specification.specification import spec_yaml
from api.features.webhooks.examples import example
from api.features.webhooks.notices import ALL, about
from api.games.inputs import NewPace
from api.http.queries import Filters
from api.run.cli import cli
from api.run.embedded.postgres import embedded, supervise
from api.run.migrate import upgrade
from docs.generating import (
    api_page,
    feature_table,
    games,
    guarantees,
    hands,
    library_reference,
    log_format,
    log_types,
    runbook,
    settings_page,
    shares_table,
    typed,
)
from docs.generating.api_changes import changelog
from docs.generating.trace import diagram, move
from referee.texts.fairness import SHARED, UNKNOWABLE
from referee.verification.findings import MATHEMATICS, PROMISES
from tests.counts import counting

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs/explanation/architecture.md"
ENTRY_WORDS = ROOT / "api/web/model/entry_words.js"
FAIR_WORDS = ROOT / "api/web/evidence/words.js"
DIAGRAM = re.compile(r"(<!-- diagram of a move: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
PACE = re.compile(r"(<!-- pace: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
FILTERS = re.compile(r"(<!-- filters: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
DEPENDENCY = re.compile(r'^    "([A-Za-z0-9_-]+)([^"]*)",(?:  # (.+))?$')


PARTS = {
    "dependencies = [": "The library and its command",
    "server = [": "The service (the extra `server`)",
    "witness = [": "To watch a server's log (the extra `witness`)",
    "cluster = [": "To verify files of many games on many machines (the extra `cluster`)",
    "research = [": "To let programs learn in PettingZoo environments (the extra `research`)",
    "tracing = [": "To trace requests (the extra `tracing`)",
    "build = [": "To build packages (the extra `build`)",
    "supply = [": "To lock, audit and list what is installed (the extra `supply`)",
    "fuzz = [": "To fuzz parsers and break code on purpose (the extra `fuzz`)",
    "dev = [": "To develop",
}


def dependencies_page() -> str:
    """Return docs/reference/dependencies.md. Raises ValueError for a dependency without a reason."""
    lines = [
        "# Dependencies",
        "",
        "*For operators and contributors. `make generate` writes this page from `pyproject.toml`.*",
        "",
    ]
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
    """Return api/web/model/entry_words.js: what the pages say of each type of entry, and how."""

    def listed(of: str) -> str:
        texts = {name: getattr(kind, of) for name, kind in referee.records.ENTRY_TYPES.items()}
        return "".join(f"{name}:mark({json.dumps(text)}),\n" for name, text in texts.items() if text)

    aside = [name for name, kind in referee.records.ENTRY_TYPES.items() if kind.aside]
    return (
        "// Written by `make generate` from referee/log/entries.py.\n"
        'import {mark} from "../texts.js";\n\n'
        f"export const ENTRY_WORDS = {{\n{listed('words')}}};\n"
        f"export const HANDED_OVER = {{\n{listed('handed_over')}}};\n"
        "/** Types of entries after which the legal moves are as before. */\n"
        f"export const ASIDE = {json.dumps(aside)};\n"
    )


def fair_words() -> str:
    """Return api/web/evidence/words.js: who guarantees a check, and what is said of fairness."""

    def listed(texts: dict[str, str]) -> str:
        quoted = {name: json.dumps(text, ensure_ascii=False) for name, text in texts.items()}
        return "".join(f"{name}:mark({text}),\n" for name, text in quoted.items())

    vouching = {name: each.by for name, each in PROMISES.items() if each.by != MATHEMATICS}
    guarantors = "".join(f"{name}:{json.dumps(by)},\n" for name, by in vouching.items())
    return (
        "// Written by `make generate` from referee/verification/findings.py and referee/texts/fairness.py.\n"
        'import {mark} from "../texts.js";\n\n'
        "/** Who guarantees what mathematics does not. */\n"
        f"export const GUARANTORS = {{\n{guarantors}}};\n"
        f"export const FAIR = {{\n{listed(SHARED)}}};\n"
        f"export const UNKNOWABLE = {{\n{listed(UNKNOWABLE)}}};\n"
    )


def notices_page() -> str:
    """Return docs/reference/notices.md: an example of every notice, made by the code that makes notices."""
    lines = [
        "# Every notice to webhooks",
        "",
        "*For integrators: each event, and what your [webhook](../guides/webhooks.md) gets.*",
    ]
    for name, event in ALL.items():
        lines += ["", f"## {name}", about(event), "```json", json.dumps(example(event), indent=1), "```"]
    return "\n".join([*lines, ""])


def filters(page: str) -> str:
    """Return docs/guides/searching.md with the table of all filters."""
    words = {name: each.metadata["description"] for name, each in {**PARAMETERS, **Filters().fields}.items()}
    rows = [f"| `{name}` | {re.sub('^Only (games|objects) ', '', about)} |" for name, about in words.items()]
    table = "\n".join(["| filter | finds games |", "| --- | --- |", *rows, ""])
    return FILTERS.sub(lambda found: found[1] + table + found[2], page)


def pace(page: str) -> str:
    """Return docs/guides/play-by-post.md with the table of all members of a pace."""
    members = {name: each.metadata["description"] for name, each in NewPace().fields.items()}
    rows = [f"| `{name}` | {about} |" for name, about in members.items()]
    table = "\n".join(["| member | meaning |", "| --- | --- |", *rows, ""])
    return PACE.sub(lambda found: found[1] + table + found[2], page)


def architecture(diagram: str) -> str:
    """Return docs/explanation/architecture.md with this diagram of a move."""
    text = feature_table.parts(ARCHITECTURE.read_text("utf-8"), "referee")
    return DIAGRAM.sub(lambda found: found[1] + diagram + found[2], text)


def diagram_of_a_move() -> str:
    """Make a move on a database of its own; return the diagram of its path."""
    with tempfile.TemporaryDirectory(prefix="card-referee-docs-") as directory:
        settings = Settings(data_dir=Path(directory))
        with supervise(settings.data_dir) as server:
            assert server is not None
            found = embedded(settings, server.socket)
            upgrade(found)
            return diagram(move(found))


def catalogues() -> Iterator[tuple[Path, str]]:
    """Yield the catalogues with all texts of pages and mails.

    With `--locale en` every catalogue has two forms of a text with a number, as English has; texts.js knows
    no others.
    """
    keywords = [f"--keyword={each}" for each in (languages.CATALOGUES / "keywords").read_text().split()]
    mapping = f"--mapping-file={languages.CATALOGUES / 'babel.cfg'}"
    form = ("--add-location=file", "--sort-by-file", "--omit-header")
    update = ("--no-fuzzy-matching", "--ignore-obsolete", "--omit-header", "--locale=en")
    with tempfile.TemporaryDirectory(prefix="card-referee-texts-") as directory:
        texts = f"{directory}/messages.pot"
        _babel("extract", mapping, *form, *keywords, f"--output-file={texts}", "api")
        for path in sorted(languages.CATALOGUES.glob("*.po")):
            copy = shutil.copy(path, directory)
            _babel("update", *update, f"--input-file={texts}", f"--output-file={copy}")
            yield path, Path(copy).read_text("utf-8")


def _babel(*command: str) -> None:
    CommandLineInterface().run(["pybabel", "--quiet", *command])


def generated() -> Iterator[tuple[Path, str]]:
    """Yield each file with its text from the code."""
    docs = ROOT / "docs"
    yield ROOT / "openapi.yaml", spec_yaml()
    yield api_page.PAGE, api_page.page()
    yield docs / "reference/settings.md", settings_page.page(cli)
    yield docs / "reference/dependencies.md", dependencies_page()
    yield docs / "reference/notices.md", notices_page()
    yield docs / "reference/changes.md", changelog()
    yield docs / "guides/searching.md", filters((docs / "guides/searching.md").read_text("utf-8"))
    yield docs / "guides/play-by-post.md", pace((docs / "guides/play-by-post.md").read_text("utf-8"))
    yield feature_table.PAGE, feature_table.page(feature_table.PAGE.read_text("utf-8"))
    yield runbook.PAGE, runbook.page(runbook.PAGE.read_text("utf-8"))
    yield shares_table.PAGE, shares_table.page(shares_table.PAGE.read_text("utf-8"))
    yield (
        docs / "reference/log-format.md",
        log_types.page((docs / "reference/log-format.md").read_text("utf-8")),
    )
    yield from games.files()
    yield ENTRY_WORDS, entry_words()
    yield hands.FILE, hands.hands()
    yield FAIR_WORDS, fair_words()
    yield from guarantees.files()
    yield from log_format.files()
    yield from typed.files()
    yield library_reference.PAGE, library_reference.page(library_reference.PAGE.read_text("utf-8"))
    yield ROOT / "tests/counts/README.md", counting.page()
    yield from catalogues()
    yield ARCHITECTURE, architecture(diagram_of_a_move())


def main(check: bool) -> None:
    """Write all files; with `check`, only name those that differ, which is an error."""
    stale = False
    for path, text in generated():  # each is written before the next is made, which may be made of it
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale = True
        print(("differs: " if check else "written: ") + str(path.relative_to(ROOT)))
        if not check:
            path.write_text(text, "utf-8")
    if check and stale:
        sys.exit("Run `make generate`, and commit what it has written.")


if __name__ == "__main__":
    logs.configure("error")  # not every request
    main("--check" in sys.argv)
