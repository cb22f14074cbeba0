"""The dispute report: complete, escaped, from the point of view of one seat, and self-contained."""

import json
import re
from base64 import b64encode
from datetime import timedelta
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.texts
from referee.dispute.page import dispute_report
from referee.dispute.words import length
from referee.verification.findings import PROMISES
from tests.referee.logged import logged
from tests.servers.commands import run
from tests.support.forging import chained_anew
from tests.support.honest import honest
from tests.support.receipts import SERVER

RECORDS = Path(__file__).parents[1] / "records"
VOID = {"meta", "link", "br", "img", "input"}
VALUE = r'"[^"<]*"|[^\s"\'<>=`]+'
ATTRIBUTE = re.compile(rf"\s+(?P<name>[a-z][a-z-]*)(?:=(?P<value>{VALUE}))?")
TOKEN = re.compile(
    r"<!doctype html>|</(?P<closed>[a-z][a-z0-9]*)>|<(?P<tag>[a-z][a-z0-9]*)"
    rf"(?P<attributes>(?:\s+[a-z][a-z-]*(?:=(?:{VALUE}))?)*)\s*>|(?P<text>[^<]+)"
)


class Reader:
    """Reads a page; fails unless each tag is whole and elements are closed in order; collects what is there.

    Several times as fast as the library's parser, which repairs everything.
    """

    def __init__(self, page: str) -> None:
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.tags: set[str] = set()
        end = 0
        for token in TOKEN.finditer(page):
            assert token.start() == end, page[end : end + 100]
            end = token.end()
            if token["text"]:
                if self.open[-1:] != ["style"]:
                    self.words.append(unescape(token["text"]))
            elif token["closed"]:
                assert self.open.pop() == token["closed"]
            elif token["tag"]:
                self._begin(token["tag"], token["attributes"])
        assert end == len(page), page[end : end + 100]
        assert self.open == []

    def _begin(self, tag: str, attributes: str) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for attribute in ATTRIBUTE.finditer(attributes):
            name, value = attribute["name"], unescape((attribute["value"] or "").strip('"'))
            assert not name.startswith("on")
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "src"):
                self.links.append(value)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def read(record: Any, seat: int = 0) -> Reader:
    return Reader("".join(dispute_report(record, seat)))


@pytest.mark.parametrize(
    "file", sorted(RECORDS.rglob("*.json")), ids=lambda file: f"{file.parent.name}/{file.stem}"
)
def test_every_golden_record_has_a_report(file: Path):
    record = json.loads(file.read_text("utf-8"))
    page = read(record, record["seats"] - 1)
    assert [f"move-{n}" for n in range(1, len(record["moves"]) + 1)] == [i for i in page.ids if "move-" in i]
    listed = [rule.id for rule in referee.texts.rules(record["ruleset"], record["version"])]
    assert [name for name in page.ids if "." in name] == listed
    assert {link.removeprefix("#") for link in page.links} <= set(listed)
    assert page.tags.isdisjoint({"script", "link", "img", "iframe"})
    assert "Everything that can be checked holds." in page.text


def test_it_needs_no_other_files():
    page = "".join(dispute_report(logged("bisca", 2), 0))
    assert not re.search(r"https?:|url\(|@import", page)


def test_texts_of_people_are_escaped():
    record = json.loads(json.dumps(logged("truco", 4)))
    for entry in record["entries"]:
        if entry["type"] == "said":
            entry["private"]["all"]["text"] = "<script>alert(1)</script>"
    for name in record["names"].values():
        name["name"] = "<b onclick=x>& Anna"
    page = read(chained_anew(record), 1)
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text
    assert "<b onclick=x>& Anna" in page.text


def test_a_seat_saw_its_own_cards_and_open_ones():
    record = logged("cats_and_dogs", 3, number=15)
    hands = {
        seat: record["entries"][4]["private"][str(seat)]["transfers"][seat]["cards"] for seat in range(3)
    }
    for seat in range(3):
        page = "".join(dispute_report(record, seat))
        deal = page[page.index("The deal") : page.index("id=move-1>")]
        seen = set(re.findall(r'<span class="card">(\w+)</span>', deal))
        unseen = set(re.findall(r'<span class="card unseen">(\w+)</span>', deal))
        assert seen == set(hands[seat])
        assert unseen == {f"{f}{n}" for f in "CD" for n in range(1, 10)} - seen
        assert f"Only <bdi>Anna {seat}</bdi> saw them." in deal


def test_impossible_moves_are_explained_by_the_rule():
    record = json.loads((RECORDS / "bisca" / "target-3_seats.json").read_text())
    pages = [read(record, seat).text for seat in range(3)]
    cited = {
        rule
        for text in pages
        for rule in re.findall(r"\((\w+\.\w+)\)", text.replace("( ", "(").replace(" )", ")"))
    }
    assert cited
    for rule in cited:
        assert rule in {known.id for known in referee.texts.rules("bisca")}


def test_an_illegal_move_is_described_with_its_rule():
    record = json.loads((RECORDS / "bisca" / "target-3_seats.json").read_text())
    record["moves"][1]["move"]["card"] = "XX"
    page = read(record, 0)
    assert "This record does not hold." in page.text
    assert "Refused:" in page.text
    assert "#common.not_held" in page.links
    assert "move-2" in page.ids
    assert "move-3" not in page.ids


def test_resignations_and_take_backs_are_described():
    assert "gives up." in read(logged("truco", 6, most=9, end="resigned"), 2).text
    assert "runs out of time." in read(logged("pies", 4, most=9, end="timed_out"), 2).text
    assert "The game is called off." in read(logged("palace", 3, most=9, end="cancelled"), 2).text
    assert "The match has no result." in read(logged("palace", 3, most=9, end="cancelled"), 2).text


def test_the_command():
    file = RECORDS / "truco" / "log-resigned.json"
    done = run("dispute", str(file), "--seat", "1")
    assert done.returncode == 0
    written = file.read_bytes()
    assert done.stdout == "".join(dispute_report(json.loads(written), 1, file=sha256(written).hexdigest()))
    for words in (["--seat", "10"], ["--seat", "-1"]):
        done = run("dispute", str(file), *words)
        assert done.returncode == 1
        assert "seat" in done.stderr
    running = json.dumps({**json.loads(file.read_text("utf-8")), "seed": None})
    assert run("dispute", "-", "--seat", "0", given=running).returncode == 1
    assert run("dispute", str(file)).returncode == 2


def test_a_report_is_bound_to_its_file():
    file = RECORDS / "truco" / "log-resigned.json"
    record = json.loads(file.read_text("utf-8"))
    text = Reader(run("dispute", str(file), "--seat", "1").stdout).text
    assert f"SHA-256 {sha256(file.read_bytes()).hexdigest()}" in text
    assert record["commitment"] in text
    assert record["entries"][-1]["hash"] in text
    assert "There were no deadlines." in text
    by_hand = {name: value for name, value in record.items() if name not in ("entries", "commitment")}
    text = read(by_hand).text
    assert "The record does not name it." in text
    assert "none: who moved, and when, is not told" in text


def test_the_command_fails_for_an_invalid_record():
    record = json.loads((RECORDS / "truco" / "log-resigned.json").read_text("utf-8"))
    record["entries"][8]["at"] = "2026-01-02T03:00:08.000001Z"
    done = run("dispute", "-", "--seat", "1", given=json.dumps(record))
    assert done.returncode == 1
    assert "This record does not hold." in Reader(done.stdout).text
    assert "chain" in done.stderr


@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_places_are_named_in_words(game: Any):
    text = read(logged(game.ID, max(game.SEATS), most=30)).text
    assert not re.search(r"\b\w+\.\d\b", text.partition("The rules")[0].partition("The match")[2])


def test_deadlines_that_do_not_follow_are_marked():
    record = json.loads(json.dumps(logged("bisca", 2, most=9, end="timed_out")))
    record["entries"][0]["pace"]["per_move"] = "PT71H"
    text = read(chained_anew(record)).text
    assert "It should have been" in text


@pytest.mark.parametrize("nonsense", [None, 7, "x", [], [1], {"0": 1}, {"9": "PT1H"}, {"of": {}}], ids=repr)
def test_nonsense_about_time_or_consent_is_reported(nonsense: Any):
    record = json.loads(json.dumps(logged("bisca", 2, most=9, end="timed_out")))
    entries = record["entries"]
    for entry, member in zip(
        entries[3:], ("deadlines", "reserve", "vacation", "undone", "of", "seat"), strict=False
    ):
        entry[member] = nonsense
    assert "This record does not hold." in read(chained_anew(record)).text
    entries[0]["pace"] = nonsense
    assert "This record does not hold." in read(chained_anew(record)).text


def test_what_people_wrote_is_isolated():
    record = logged("cats_and_dogs", 3)
    names = ["\u202eannA", "Ben\x1b[2J", "Cleo\u2067"]
    for entry in record["entries"]:
        if entry["type"] == "joined":
            record["names"][str(entry["seq"])]["name"] = names[entry["seat"]]
        if entry["type"] == "said":
            entry["private"] = {"all": {"text": "\u202e73 ta tuc\x9b", "salt": "00"}}
    page = "".join(dispute_report(chained_anew(record), 0))
    assert "\x1b" not in page
    assert "\x9b" not in page
    loose = re.sub("<bdi>[^<]*</bdi>", "", page)
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", loose)
    assert "<bdi>\u202e73 ta tuc\ufffd</bdi>" in page
    assert "<bdi>Cleo\u2067</bdi>" in page


def test_receipts_are_compared_with_the_log(tmp_path: Path):
    record = json.loads((RECORDS / "truco" / "log-resigned.json").read_text("utf-8"))
    file = tmp_path / "receipts"
    origin = "example.org/01890000-0000-7000-8000-000000000000"
    for hash_, fits in ((record["entries"][4]["hash"], True), ("00" * 32, False)):
        root = b64encode(bytes.fromhex(hash_)).decode()
        file.write_text(
            f"{origin}\n5\n{root}\n\n\u2014 example.org {b64encode(bytes(68)).decode()}\n", "utf-8"
        )
        words = ("dispute", "-", "--seat", "1", "--receipts", str(file))
        done = run(*words, given=json.dumps(record))
        assert done.returncode == (0 if fits else 1), done.stderr
        text = Reader(done.stdout).text
        assert (origin in text, "Does not fit:" in text) == (True, not fits)
        assert ("The record does not name it." in text) == (not fits)


def test_the_ending_and_everybody_who_held_a_seat_come_first():
    record = logged("truco", 6, most=9, end="resigned")
    text = read(record, 2).text
    last = next(entry for entry in record["entries"] if entry["type"] == "resigned")
    seat = last["seat"]
    assert f"It ended because Anna {seat} (seat {seat} ) resigned, entry {last['seq']}." in text
    began, ended = record["entries"][7]["at"], record["entries"][-1]["at"]
    assert f"Start {began[:19].replace('T', ' ')} UTC End {ended[:19].replace('T', ' ')} UTC" in text
    assert text.index("It ended") < text.index("Who held the seats") < text.index("The match Hatched")
    for seat in range(6):
        assert f"{seat} Anna {seat} player-{seat} " in text


def test_the_report_says_who_guarantees_what():
    text = read(logged("truco", 4), 0).text
    for name, (_, by) in PROMISES.items():
        assert re.search(rf" {name} (?:(?! {name} ).)* (nobody not checked|{by} (yes|not checked))", text), (
            name
        )
    record = json.loads(json.dumps(logged("truco", 4)))
    record["seed"] = "00" * 32
    assert "mathematics no" in read(record).text


def test_it_begins_with_what_was_disputed_what_is_proved_and_who_would_have_to_lie(tmp_path: Path):
    record = json.loads((RECORDS / "truco" / "log-resigned.json").read_text("utf-8"))

    def first(record: Any, *words: str) -> str:
        done = run("dispute", "-", "--seat", "0", *words, given=json.dumps(record))
        return Reader(done.stdout).text.partition("It ended")[0]

    text = first(record)
    assert text.index("Disputed is what happened in this match of Truco, which began on 2026-") < 120
    assert "between Anna 0 , Anna 1 , " in text
    assert "checks hold, and none fails. The verdict is: consistent; nobody vouches for it." in text
    assert "it is enough that whoever gave you this file wrote another game" in text
    (tmp_path / "keys").write_text(SERVER.vkey)
    (tmp_path / "receipt").write_text(SERVER.receipt(len(record["entries"]), record))
    signed = first(record, "--keys", str(tmp_path / "keys"), "--receipts", str(tmp_path / "receipt"))
    assert (
        "The verdict is: proved by the server's key. For it to be false, the server would have to lie."
        in signed
    )
    record["entries"][9]["at"] = "2020-01-01T00:00:00.000000Z"
    assert "The record is contradicted by its check of times: entry 10: 2020-" in first(record)
    assert "nobody has to lie but whoever made this file" in first(record)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0 seconds"),
        (1, "1 second"),
        (3.4567, "3.5 seconds"),
        (59.99, "1 minute"),
        (3792.345678, "1 hour, 3 minutes and 12 seconds"),
        (259_200, "3 days"),
    ],
)
def test_durations_are_told_as_people_say_them(seconds: float, words: str):
    assert length(timedelta(seconds=seconds)) == words


def test_acts_of_the_app_and_consents_are_listed_with_their_entries():
    record = json.loads((RECORDS / "truco" / "log-resigned.json").read_text())
    for entry in record["entries"]:
        if entry["type"] == "joined" and entry["seat"] == 3:
            entry["by"] = "app"
            number = entry["seq"]
    text = read(chained_anew(record)).text
    acts = text[text.index("Acts of the app and of the operator") : text.index("The match Hatched")]
    assert acts.startswith(f"Acts of the app and of the operator {number} ")
    assert "Acts of the app" not in read(logged("truco", 4)).text


def test_a_message_after_the_last_act_does_not_hide_how_the_match_ended():
    record = json.loads(json.dumps(logged("truco", 4, most=9, end="timed_out")))
    log = record["entries"]
    at = next(n for n, entry in enumerate(log) if entry["type"] == "finished")
    said = {
        "type": "said",
        "at": log[at]["at"],
        "seat": None,
        "player": None,
        "private": {"all": {"text": "Late!", "salt": "00"}},
    }
    log.insert(at, said)
    for seq, entry in enumerate(log, 1):
        entry["seq"] = seq
    text = read(chained_anew(record)).text
    assert re.search(rf"It ended because the time of Anna \d \(seat \d \) was over, entry {at}\.", text)


def test_everybody_who_ran_out_of_time_is_named():
    record = next(
        each for each in map(honest, range(8, 200)) if len((each["ended"] or {}).get("seats", [])) > 1
    )
    text = read(record).text
    ending = re.search(r"It ended because the time of (.*) was over", text)
    assert ending is not None
    assert [int(seat) for seat in re.findall(r"\(seat (\d)", ending[1])] == record["ended"]["seats"]


def test_acts_are_those_of_the_player_who_held_the_seat_then():
    """Not of the one who took it over later."""
    record = next(each for each in map(honest, range(60)) if handed_over(each) is not None)
    seat = handed_over(record)
    joined = [e for e in record["entries"] if e["type"] == "joined" and e["seat"] == seat]
    names = [record["names"][str(e["seq"])]["name"] for e in joined if e["player"]]
    text = read(record, seat).text
    story = text[text.index("The match Hatched") :]
    assert re.search(rf"\d+\. {re.escape(names[0])} seat {seat} ", story)


def handed_over(record: Any) -> int | None:
    """Return a seat that a player has left to another player, after a move that counts."""
    for move in record["moves"]:
        entry = record["entries"][move["seq"] - 1]
        later = record["entries"][move["seq"] :]
        joined = [e for e in later if e["type"] == "joined" and e["seat"] == move["seat"]]
        if entry["player"] and any(e["player"] for e in joined):
            return int(move["seat"])
    return None


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_all_deadlines_of_honest_games_are_explained(first: int):
    """With pauses, days off, outages, time added, take-backs, time-outs undone and changes of the pace."""
    for number in range(first, first + 10):
        record = honest(number, most=15)
        text = read(record).text
        assert "It should have been" not in text, number
        assert "cannot be understood" not in text, number
        named = sum(len(entry.get("deadlines", ())) for entry in record["entries"])
        told = re.findall(r" had until [-\d: ]+ UTC ?:|The deadline moved along, to", text)
        assert len(told) == named, number


def test_moves_are_written_with_spaces():
    record = next(each for each in (honest(number, "pedro", 10) for number in range(20)) if each["moves"])
    assert re.search(r" bid points \d", read(record).text)


def test_a_record_names_its_game():
    record = honest(3, most=5)
    assert f"Game {record['game']} " in read(record).text
