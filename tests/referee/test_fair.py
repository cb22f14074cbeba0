"""`referee fair`: sentences that can be read aloud, standings, what nobody can know, and every check."""

from __future__ import annotations

import copy
import json
import string
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

import api
from referee.audit.fair import Fairness
from referee.audit.games import Game, told
from referee.proofs.policy import read_policy
from referee.texts.fairness import SHARED, TEXTS, UNKNOWABLE, languages, translations
from referee.verification.assessment import assess
from referee.verification.findings import EXITS, PROMISES, PROVED
from referee.verification.kinds import SENTENCES
from tests.campaigns import evidence
from tests.campaigns.evidence import NEWEST, Log
from tests.servers.commands import run
from tests.support.forging import chained_anew
from tests.support.honest.server import Server
from tests.support.node import ask

CATALOGUES = Path(api.__file__).parent / "languages"


@pytest.fixture(scope="module")
def log() -> Log:
    return Log()


@pytest.fixture(scope="module")
def servers() -> list[Server]:
    return [server for server in evidence.games(range(4)) if server.record()["result"]]


def fair(folder: Path, *words: object) -> tuple[int, list[str]]:
    """Return the exit status and the lines of the command about a folder."""
    done = run("fair", str(folder), "--jobs", "1", *map(str, words))
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def section(lines: list[str], head: str) -> list[str]:
    """Return the lines under a heading."""
    after = lines[lines.index(head) + 1 :]
    return after[: after.index("")] if "" in after else after


def sentence(bundle: Any, policy: str) -> tuple[Game, str]:
    """Return what is told of a bundle."""
    game, fairness = told("a", assess(bundle, read_policy(policy)), []), Fairness("en")
    fairness.add(game)
    return game, next(fairness.sentences())


def test_a_director_reads_it_aloud(log: Log, servers: list[Server], tmp_path: Path) -> None:
    (policy := tmp_path / "policy").write_text(log.policy)
    (folder := tmp_path / "games").mkdir()
    records = [server.record() for server in servers]
    bundles = [log.bundle(record, NEWEST) for record in records]
    early = log.bundle(records[0], "after one witness signed")
    forged = copy.deepcopy(records[1])
    next(entry for entry in forged["entries"][8:] if entry["type"] == "said")["text"] = "another text"
    altered = {**bundles[1], "record": chained_anew(forged)}
    for number, bundle in enumerate([*bundles, early, altered]):
        (folder / f"{number}.bundle").write_text(json.dumps(bundle))
    kept = [log.receipt(records[1], log.new, size) for size in (3, len(records[1]["entries"]))]
    (anna := tmp_path / "Anna.txt").write_text("".join(kept))
    status, lines = fair(folder, "--policy", policy, "--receipts", anna)
    n = len(bundles)
    assert status == 1
    assert lines[0] == (f"{n} games are fair: proved by the server’s key and 2 of the witnesses w1, w2, w3.")
    assert lines[1].startswith(f"Game {n + 1} (")
    assert ") lacks a witness: fetch it again after 2026-" in lines[1]
    assert lines[2].endswith(") was altered after entry 3: the receipt of Anna shows it.")
    assert lines[2].startswith(f"Game {n + 2} (")
    assert lines[-1] == "NOTE  verdict: contradicted"


def test_standings_count_each_game_once_that_is_not_contradicted(
    servers: list[Server], tmp_path: Path
) -> None:
    record = servers[0].record()
    forged = copy.deepcopy(record)
    forged["entries"][4]["at"] = "2020-01-01T00:00:00.000000Z"
    other = {**record, "game": "01900000-0000-7000-8000-000000000000"}
    for number, one in enumerate((record, forged, record, other)):
        (tmp_path / f"{number}.json").write_text(json.dumps(one))
    _, lines = fair(tmp_path)
    assert lines[1].endswith("is contradicted by its own log at entry 5 (check “times”).")
    report = assess(record).report
    holders = {
        e["seat"]: record["names"][str(e["seq"])]["name"] if e["player"] else f"bot {e['bot']}"
        for e in record["entries"]
        if e["type"] == "joined"
    }
    rows = {row.rsplit(maxsplit=3)[0]: row.split()[-3:] for row in section(lines, "Who played")[1:]}
    assert report.scores is not None
    for seat, name in holders.items():
        won = 2 * (seat in record["result"]["winners"])
        assert rows[name] == ["2", str(won), f"{2 * report.scores[seat]:g}"]
    assert [row.partition(":")[0] for row in section(lines, "The games")] == [
        f"{n + 1}. {n}.json" for n in range(4)
    ]
    assert section(lines, "The games")[1] == "2. 1.json: contradicted, and not counted"
    assert section(lines, "What nobody can know") == [f"- {text}" for text in UNKNOWABLE.values()]
    checks = section(lines, "The checks")[: len(PROMISES)]
    assert [line[6:].partition(" ")[0] for line in checks] == [*PROMISES]
    assert checks[1].startswith("FAIL  times [mathematics]: ")
    assert ": 3 hold, 1 fail, 0 not checked" in checks[1]


def test_without_a_key_nobody_vouches_and_with_one_the_server_does(
    log: Log, servers: list[Server], tmp_path: Path
) -> None:
    bundle = log.bundle(servers[0].record(), NEWEST)
    (file := tmp_path / "a.bundle").write_text(json.dumps(bundle))
    status, lines = fair(file)
    assert status == 0
    assert ") is consistent; nobody vouches for it: " in lines[0]
    (keys := tmp_path / "keys").write_text(log.new.key.vkey)
    status, lines = fair(file, "--keys", keys)
    assert (status, lines[0].partition(")")[2]) == (0, " is fair: proved by the server’s key.")


def test_a_running_game_and_files_that_are_none_are_told(servers: list[Server], tmp_path: Path) -> None:
    record = servers[0].record()
    running = {**record, "seed": None, "result": None, "entries": record["entries"][:6]}
    del running["chance"], running["moves"]
    (tmp_path / "a.json").write_text(json.dumps(running))
    (tmp_path / "b.json").write_text("no record")
    status, lines = fair(tmp_path)
    assert status == 1
    assert lines[0].endswith(") is not over: fetch it again when it is.")
    assert lines[1] == "Game 2 cannot be read."
    (tmp_path / "b.json").unlink()
    assert fair(tmp_path)[0] == 2


def test_a_folder_without_records_contradicts_nothing(tmp_path: Path) -> None:
    done = run("fair", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no record in PATHS." in done.stderr


def test_a_record_without_a_log_and_a_player_without_a_name_are_told(
    servers: list[Server], tmp_path: Path
) -> None:
    record = servers[0].record()
    (tmp_path / "a.json").write_text(json.dumps({n: v for n, v in record.items() if n != "entries"}))
    nameless = copy.deepcopy(record)
    nameless["names"].pop(next(iter(nameless["names"])))
    (tmp_path / "b.json").write_text(json.dumps(nameless))
    _, lines = fair(tmp_path)
    assert "1× a record without a log: who played, and when, is not checked." in lines
    assert not any("None" in line for line in lines[: lines.index("The checks")])


@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_text_with_the_same_places(
    language: str, servers: list[Server], tmp_path: Path
) -> None:
    def places(text: str) -> set[str | None]:
        return {place for _, place, _, _ in string.Formatter().parse(text) if place}

    texts = {**TEXTS, **UNKNOWABLE}
    own = translations().get(language, texts)
    assert {name: places(text) for name, text in own.items()} == {
        n: places(text) for n, text in texts.items()
    }
    assert SENTENCES.keys() <= TEXTS.keys()
    (file := tmp_path / "a.json").write_text(json.dumps(servers[0].record()))
    _, lines = fair(file, "--language", language)
    assert own["unknowable"] in lines
    assert not any("{" in line for line in lines)


@pytest.mark.parametrize("language", translations())
def test_the_pages_say_it_in_the_same_words(language: str) -> None:
    catalogue = read_po((CATALOGUES / f"{language}.po").open("rb"))
    for name, text in {**SHARED, **UNKNOWABLE}.items():
        assert catalogue[text].string == translations()[language][name], name


def test_the_page_and_the_command_say_the_same_of_every_bundle(log: Log, servers: list[Server]) -> None:
    record = servers[0].record()
    honest = [log.bundle(record, moment) for moment in evidence.MOMENTS]
    bundles = [
        *honest,
        *(case.bundle for case in evidence.without(log, record) if case.bundle["record"]["entries"]),
    ]
    said = [sentence(bundle, log.policy) for bundle in bundles]
    assert {game.verdict for game, _ in said} == {*EXITS} - {"consistent; nobody vouches for it"}
    assert len({(game.verdict, game.reason) for game, _ in said}) >= 7
    asked = []
    for (_, text), bundle in zip(said, bundles, strict=True):
        called = text[: text.index(")") + 1]
        asked.append({"fair": bundle, "policy": log.policy, "game": called})
    for (game, text), page in zip(said, ask(asked), strict=True):
        assert page == text, game
    assert any(game.verdict == PROVED for game, _ in said)


def test_people_without_names_are_numbered_over_all_games(servers: list[Server], tmp_path: Path) -> None:
    for number, server in enumerate(servers):
        (tmp_path / f"{number}.json").write_text(json.dumps({**server.record(), "names": {}}))
    _, lines = fair(tmp_path)
    rows = [row.rsplit(maxsplit=3)[0] for row in section(lines, "Who played")[1:]]
    names = [row for row in rows if "erased" in row]
    assert len(names) > max(server.record()["seats"] for server in servers)
    assert sorted(names) == sorted(f"erased person {n + 1}" for n in range(len(names)))
