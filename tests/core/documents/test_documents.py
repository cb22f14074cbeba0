"""The parts of documents that come from the code agree with the code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from dataclasses import fields
from pathlib import Path

import pytest

from api.core.config import DECLARED, Settings, unset, variable
from api.core.declared import BasicSettings
from api.core.release import newest, release
from api.features.site.guides import GUIDES, file_of
from api.run.cli import cli
from docs.generating import make_pages, settings_page, trace
from migrations import OLDEST_CODE
from tests.servers.serving import run

ROOT = Path(make_pages.__file__).parents[2]
STALE = "run `make generate`"


def test_every_setting_is_on_the_page() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text()
    assert page == settings_page.page(cli), STALE
    for name in DECLARED:
        assert re.search(rf"^\| `{variable(name)}` \| [A-Z][^|]+\. \| [^|]+ \| [^|]+ \| ", page, re.MULTILINE)


def test_every_setting_is_in_the_help() -> None:
    shown = run("--help")
    assert shown.returncode == 0, shown.stderr
    text = " ".join(shown.stdout.split())
    for each in fields(BasicSettings):
        assert not each.metadata or f" {variable(each.name)} {each.metadata['about'].split()[0]}" in text
    assert f"Unless set: {unset('port')}." in text


def test_the_environment_is_read_as_settings_alone() -> None:
    """No module reads a variable that is not on the page of settings."""
    page = (ROOT / "docs/reference/settings.md").read_text()
    reading = re.compile(r"""os\.environ(?:\.get\(|\[)"(\w+)"|getenv\("(\w+)"|envvar="(\w+)\"""")
    known = {"PATH"}
    read = {
        name
        for path in (ROOT / "api").rglob("*.py")
        for names in reading.findall(path.read_text())
        for name in names
        if name
    }
    assert "REFEREE_KEY" in read
    assert {name for name in read - known if f"`{name}`" not in page} == set()


def test_every_dependency_has_its_reason() -> None:
    assert (ROOT / "docs/reference/dependencies.md").read_text() == make_pages.dependencies_page(), STALE


def test_every_notice_has_its_example() -> None:
    assert (ROOT / "docs/reference/notices.md").read_text() == make_pages.notices_page(), STALE


def test_every_filter_of_games_is_in_the_guide() -> None:
    page = (ROOT / "docs/guides/searching.md").read_text()
    assert page == make_pages.filters(page), STALE
    assert "\n| `finished_before` | that were finished before this time. |\n" in page


def test_every_member_of_a_pace_is_in_the_guide() -> None:
    page = (ROOT / "docs/guides/play-by-post.md").read_text()
    assert page == make_pages.pace(page), STALE
    assert "\n| `out_after` | A seat that misses" in page


def test_the_pages_describe_every_type_of_entry() -> None:
    assert make_pages.ENTRY_WORDS.read_text() == make_pages.entry_words(), STALE


def test_files_that_differ_are_named_with_the_command_that_writes_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("old")
    monkeypatch.setattr(make_pages, "ROOT", tmp_path)
    monkeypatch.setattr(make_pages, "generated", lambda: iter([(page, "new")]))
    with pytest.raises(SystemExit, match="make generate"):
        make_pages.main(check=True)
    assert (page.read_text(), capsys.readouterr().out) == ("old", "differs: page.md\n")
    make_pages.main(check=False)
    assert (page.read_text(), capsys.readouterr().out) == ("new", "written: page.md\n")
    make_pages.main(check=True)


@pytest.fixture
def steps(settings: Settings) -> list[trace.Step]:
    """Return the steps of a move that is made and watched."""
    return trace.move(settings)


def test_the_diagram_of_a_move_is_true(steps: list[trace.Step]) -> None:
    assert make_pages.DIAGRAM.search(make_pages.ARCHITECTURE.read_text())
    assert make_pages.ARCHITECTURE.read_text() == make_pages.architecture(trace.diagram(steps)), STALE


def test_a_move_takes_at_most_eight_hops(steps: list[trace.Step]) -> None:
    hops = trace.hops(steps)
    assert [hop.callee for hop in hops][:2] == ["routes", "games"]
    assert len(hops) <= 8, "\n".join(map(str, hops))
    back = [
        step
        for step in steps
        if step.callee in trace.CARRIERS and step.caller not in (*trace.CARRIERS, "http")
    ]
    assert back == [], "a move never goes back to an earlier step"


def test_make_help_explains_every_target() -> None:
    targets = set(re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split())
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    explained = set(re.findall(r"^make (\S+) .*\w", shown, re.MULTILINE))
    assert targets - explained == {"help", "lint-code"}  # a part of `make lint`


def test_the_readme_names_pictures_and_pages_that_exist() -> None:
    linked = re.findall(r'(?:src="|\]\()((?:docs|bench|[A-Z]+\.md)[^")#]*)', (ROOT / "README.md").read_text())
    assert len(linked) > 20
    assert [name for name in linked if not (ROOT / name).exists()] == []


@pytest.mark.long
def test_every_campaign_explains_itself() -> None:
    """But parts of others, one that takes a number, and those that need the extra `fuzz`."""
    files = [path for path in (ROOT / "tests/campaigns").glob("*.py") if '"__main__"' in path.read_text()]
    named = {path.stem for path in files} - {"reader", "receiver", "search", "fuzz", "mutants", "trials"}
    assert len(named) >= 7
    asked = {
        name: subprocess.run(
            [sys.executable, "-m", f"tests.campaigns.{name}", "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        for name in named
    }
    assert {name: done.stderr for name, done in asked.items() if done.returncode != 0} == {}


def test_the_documents_name_files_that_exist() -> None:
    for name in ("README.md", "ARCHITECTURE.md", "SECURITY.md", "docs/explanation/architecture.md"):
        named = re.findall(
            r"`((?:api|referee|tests|bench|docs|migrations)/[\w/.-]+)`", (ROOT / name).read_text()
        )
        assert [path for path in named if not (ROOT / path).exists()] == [], name


def test_the_smallest_server_is_set_up_with_what_there_is() -> None:
    """Its settings are known, and the shell can read the commands that cron runs."""
    text = textwrap.dedent((ROOT / "docs/start/run-a-server.md").read_text("utf-8"))
    blocks = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    set_up, unit, tab = (block for kind, block in blocks if not kind)
    names = re.findall(r"^ *([A-Z_]+)=", set_up, re.MULTILINE)
    assert set(names) <= {variable(name) for name in DECLARED}
    assert "METRICS_TOKEN" in names
    assert "referee-api serve\n" in unit
    commands = re.findall(r"card-referee (set -a; .+)$", tab, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        known = [part for part in ("backup", "restore", "check") if f"referee-api {part}" in command]
        assert len(known) == 1
        assert run(known[0], "--help").returncode == 0
        read = subprocess.run(["bash", "-n", "-c", command.replace("\\%", "%")], capture_output=True)
        assert (read.returncode, read.stderr) == (0, b"")


def test_no_table_is_joined_to_a_paragraph() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("clients/*/README.md")]
    assert [page for page in pages if re.search(r"\w \| \| ?---", page.read_text("utf-8"))] == []


def test_every_page_says_for_whom_it_is() -> None:
    heads = {
        name: path.read_text("utf-8").split("\n\n")[1] for name in GUIDES if (path := file_of(f"{name}.md"))
    }
    assert len(heads) > 40
    assert [name for name, head in heads.items() if not head.startswith("*For ") and name != "changes"] == []


def test_the_changelog_names_the_schema_of_the_release() -> None:
    """And the oldest code that works with it."""
    text = (ROOT / "CHANGELOG.md").read_text()
    version, schema = re.findall(r"^## (\S+) \(schema (\d+)\)$", text, re.MULTILINE)[0]
    assert (version, schema) == (release(), newest())
    assert f"that know schema {OLDEST_CODE} or a newer one may run" in text


SHAPES = ("answers.py", "answers_of_logs.py", "inputs.py", "queries.py")


def test_a_class_name_stands_once_in_the_service() -> None:
    """Shapes bear the names of the specification, which may be those of what they describe."""
    found: dict[str, list[str]] = {}
    for path in (ROOT / "api").rglob("*.py"):
        if path.name in SHAPES:
            continue
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(found) > 200
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


MINUTES = 15


@pytest.mark.long
def test_the_commands_for_a_bare_machine_work(tmp_path: Path) -> None:
    """They run as written, but for the address; without our virtual environment and settings."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## From a bare machine\n")[2]
    script = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    assert script.startswith("git clone REPOSITORY ")
    plain = ("HOME", "LANG", "PATH", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "SSL_CERT_FILE")
    environment = {name: os.environ[name] for name in plain if name in os.environ}
    done = subprocess.run(
        ["bash", "-e", "-c", script.replace("REPOSITORY", f"file://{ROOT}")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60 * MINUTES,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "Contracts: 7 kept, 0 broken." in done.stdout
