"""The `referee` command."""

import json
import os
import select
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.cli.stdio import answer_lines
from tests.referee.logged import logged
from tests.servers.commands import run, run_apart
from tests.support.forging import chained_anew
from tests.support.node import ask


@pytest.fixture(scope="module")
def record(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("records") / "game.json"
    path.write_text(run("random", "cats_and_dogs", "--seats", "3", "--seed", "ab").stdout)
    return path


def test_rulesets_lists_every_game():
    lines = run_apart("rulesets").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == [game.ID for game in referee.newest()]


def test_rules_prints_the_text():
    assert "`cats_and_dogs.sums`" in run("rules", "cats_and_dogs").stdout


def test_random_is_reproducible_for_a_seed(record: Path):
    again = run("random", "cats_and_dogs", "--seats", "3", "--seed", "ab").stdout
    assert again == record.read_text()
    assert run("random", "cats_and_dogs", "--seats", "3", "--seed", "ac").stdout != again
    short = json.loads(run("random", "cats_and_dogs", "--seats", "3", "--max-moves", "4").stdout)
    assert len(short["moves"]) == 4
    assert short["result"] is None


def test_replay_reaches_the_result(record: Path):
    written = json.loads(record.read_text())
    done = run("replay", str(record))
    assert done.returncode == 0
    assert json.loads(done.stdout)["result"] == written["result"]
    assert run("replay", "-", given=record.read_text()).stdout == done.stdout


def test_replay_names_the_first_refused_move(record: Path):
    written = json.loads(record.read_text())
    written["moves"][7] = {"seat": written["moves"][7]["seat"], "move": {"type": "play", "card": "X"}}
    done = run("replay", "-", given=json.dumps(written))
    assert done.returncode == 1
    refused = json.loads(done.stdout)["refused"]
    assert refused["n"] == 8
    assert refused["verdict"]["rule"] == "common.not_held"
    assert "move 8" in done.stderr


def test_trace_has_a_line_for_each_position(record: Path):
    written = json.loads(record.read_text())
    lines = [json.loads(line) for line in run("trace", str(record), "--legal").stdout.splitlines()]
    assert [line["n"] for line in lines] == list(range(len(written["moves"]) + 1))
    assert lines[-1]["position"]["result"] == written["result"]
    for line, entry in zip(lines, written["moves"], strict=False):
        assert entry["move"] in line["legal"][str(entry["seat"])]


def test_judge_legal_view_and_deal_answer_line_by_line():
    dealt = json.loads(
        run("deal", given='{"ruleset":"cats_and_dogs","seats":4,"options":{},"seed":"00"}').stdout
    )
    position = dealt["position"]
    seat = position["to_act"][0]
    hand = position["zones"][f"hand.{seat}"]
    lines = [
        {"position": position, "seat": seat, "move": {"type": "play", "card": hand[0]}},
        {"position": position, "seat": seat, "move": {"type": "play", "card": "no"}},
        {"position": {}, "seat": 0, "move": {}},
        {"position": position, "seat": 9, "move": {}},
        {"position": position, "seat": (seat + 1) % 4, "move": {}},
    ]
    done = run("judge", given="\n".join(map(json.dumps, lines)) + "\nnonsense\n")
    assert done.returncode == 1
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 6
    assert answers[0]["verdict"] == {"legal": True}
    assert answers[0]["position"]["zones"]["trick"] == [hand[0]]
    assert answers[0]["transfers"] == [{"from": f"hand.{seat}", "to": "trick", "cards": [hand[0]]}]
    assert answers[1]["verdict"]["rule"] == "common.not_held"
    assert "ruleset" in answers[2]["error"]["detail"]
    assert "seat" in answers[3]["error"]["detail"]
    assert answers[4]["verdict"]["rule"] == "common.turn"
    assert "JSON" in answers[5]["error"]["detail"]
    asked = json.dumps({"position": position, "seat": seat})
    assert len(json.loads(run("legal", given=asked).stdout)["legal"]) == len(hand)
    spectator = json.dumps({"position": position, "seat": None})
    shown = json.loads(run("view", given=spectator).stdout)["view"]
    assert shown["zones"][f"hand.{seat}"] == {"count": len(hand)}


def test_an_answer_does_not_wait_for_the_next_line(record: Path):
    position = json.loads(run("trace", str(record)).stdout.splitlines()[0])["position"]
    asked = json.dumps({"position": position, "seat": position["to_act"][0]}).encode()
    code = "from referee.cli import main; main()"
    command = [sys.executable, "-c", code, "legal"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=buffered) as process:
        assert process.stdin
        assert process.stdout
        for text in (asked + b"\n", asked + b"\n" + asked[:9], asked[9:] + b"\n\n", b"\r\n" + asked + b"\n"):
            process.stdin.write(text)
            process.stdin.flush()
            assert select.select([process.stdout], [], [], 120)[0], "no answer came"
            assert "legal" in json.loads(process.stdout.readline())
        process.stdin.write(asked)  # the last line need not end with a newline
        process.stdin.close()
        assert "legal" in json.loads(process.stdout.readline())
        assert process.stdout.read() == b""
    assert process.returncode == 0


class Pipe(BytesIO):
    """What a command writes, and how often."""

    written = 0

    def write(self, data: Any) -> int:
        self.written += len(data) > 0
        return super().write(data)


def test_answers_to_lines_that_arrived_together_are_written_together():
    pipe = Pipe()
    assert answer_lines(BytesIO(b'{"n":1}\n' * 500), pipe, lambda question: question)
    assert (pipe.getvalue(), pipe.written) == (b'{"n":1}\n' * 500, 1)


def test_answers_are_written_although_a_mistake_ends_the_command():
    def fails(question: dict[str, Any]) -> dict[str, Any]:
        return {"half": 4 // question["n"]}

    pipe = Pipe()
    with pytest.raises(ZeroDivisionError):
        answer_lines(BytesIO(b'{"n":2}\n{"n":0}\n'), pipe, fails)
    assert pipe.getvalue() == b'{"half":2}\n'


def test_a_move_that_draws_needs_chance(record: Path):
    lines = [json.loads(line) for line in run("trace", str(record)).stdout.splitlines()]
    moves = json.loads(record.read_text())["moves"]
    drawing = next(i for i, line in enumerate(lines[1:]) if line["position"]["facts"]["round"] == 2)
    asked = {"position": lines[drawing]["position"], **moves[drawing]}
    answer = json.loads(run("judge", given=json.dumps(asked)).stdout)
    assert "shuffle" in answer["error"]["detail"]
    shuffle = list(referee.find("cats_and_dogs").deck(3, {}))
    answer = json.loads(run("judge", given=json.dumps({**asked, "chance": [{"shuffle": shuffle}]})).stdout)
    assert answer["position"]["zones"]["hand.0"] == shuffle[:5]
    assert "position" in json.loads(run("judge", given=json.dumps({**asked, "seed": "01"})).stdout)


@pytest.mark.parametrize(
    "words",
    [
        ["random", "chess", "--seats", "2"],
        ["random", "cats_and_dogs", "--seats", "6"],
        ["random", "cats_and_dogs", "--seats", "2", "--options", '{"x": 1}'],
        ["random", "cats_and_dogs", "--seats", "2", "--options", "{"],
        ["random", "cats_and_dogs", "--seats", "2", "--seed", "g"],
        ["rules", "chess"],
        ["replay", "/nowhere/at/all"],
        ["check", "/nowhere/at/all"],
        ["nonsense"],
    ],
)
def test_a_wrong_call_ends_with_2_and_a_sentence(words: list[str]):
    done = run(*words)
    assert done.returncode == 2
    assert "Error" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["random"], ["league", "--bot", "random", "--bot", "cautious"]])
def test_options_that_are_no_json_are_named(command: list[str]):
    done = run(*command, "pies", "--seats", "4", "--options", "{")
    assert done.returncode == 2
    assert "Invalid value for '--options': is not JSON" in done.stderr


def test_an_invalid_record_ends_with_1():
    for text in (
        "",
        "[]",
        "{}",
        '{"format": "card-referee/1", "ruleset": "x", "seats": 2, "seed": "", "moves": []}',
    ):
        done = run("replay", "-", given=text)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr


def test_check_counts(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(
        "name: good\nruleset: cats_and_dogs\nseats: 2\nsteps: []\n---\nname: bad\n"
    )
    done = run("check", str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 passed, 1 failed"


HOSTILE = "\x1b[2J\u202e\x9b\u2067\u2028"


def test_control_characters_in_a_record_do_not_reach_the_terminal(record: Path):
    written = json.loads(record.read_text())
    bad = {"seat": written["moves"][0]["seat"], "move": {"type": HOSTILE, HOSTILE: HOSTILE}}
    wrong_move = json.dumps({**written, "moves": [bad]}, ensure_ascii=False)
    entry = {"seq": 1, "type": HOSTILE, "at": HOSTILE, "hash": HOSTILE}
    wrong_log = json.dumps({**written, "entries": [entry]}, ensure_ascii=False)
    wrong_shape = json.dumps({**written, "options": {HOSTILE: 1}, "result": HOSTILE})
    repeated = f'{{"{HOSTILE[4:]}": 1, "{HOSTILE[4:]}": 2}}'
    for given in (wrong_move, wrong_log, wrong_shape, repeated):
        for words in (["replay"], ["trace", "--legal"], ["verify"]):
            done = run(*words, "-", given=given)
            assert done.returncode in (0, 1), (words, done)
            for written_line in (done.stdout + done.stderr).splitlines():
                assert written_line.isprintable(), (words, written_line)
    shown = run("replay", "-", given=wrong_move).stdout
    assert json.loads(shown)["refused"]["move"] == bad["move"], "escaped, and still the same JSON"
    options = json.dumps({HOSTILE: 1})
    assert "\x1b" not in run("random", "--options", options, "pies", "--seats", "4").stderr


def test_a_log_of_another_number_is_refused_and_not_contradicted(tmp_path: Path):
    forged = logged("truco", 4, most=6, end="resigned")
    forged["entries"][0]["log"] = 2
    file, policy = tmp_path / "game.json", tmp_path / "policy"
    file.write_text(json.dumps(chained_anew(forged)))
    policy.write_text("quorum none\n")
    commands = (["verify", file], ["verify", file, "--policy", policy], ["dispute", file, "--seat", "0"])
    for done in [run(*map(str, command)) for command in commands]:
        assert done.returncode == 2
        assert "game.json: log: has the number 2" in done.stderr
    done = run("verify", str(tmp_path))
    assert (done.returncode, "log: has the number 2" in done.stdout) == (2, True)
    assert "0 do not, 1 lack evidence" in done.stdout
    (answer,) = ask([forged])
    assert "The log has the number 2" in json.dumps(answer)
