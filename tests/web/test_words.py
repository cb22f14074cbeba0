"""Times and durations on the pages: with dates, and in words."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.support.node import NODE

WORDS = Path(__file__).parents[2] / "api" / "web" / "texts.js"
SCRIPT = """
const {duration, moment} = await import(process.argv[1]);
const {paceSentence} = await import(process.argv[1].replace("texts.js", "site/pace-words.js"));
const now = new Date("2026-03-01T12:00:00Z");
console.log(JSON.stringify([
  ["P1DT12H", "PT72H", "PT1M", "PT90S", "P2W", "PT64800S", "PT0S"].map(duration),
  ["2026-04-10T22:13:00Z", "2027-04-10T22:13:00Z"].map(at => moment(at, now)),
  paceSentence({per_move: "P1DT12H", on_timeout: "resign", reserve: "PT3600S"}),
]));
"""


def test_times_have_dates_and_durations_have_words() -> None:
    command = [str(NODE), "--input-type=module", "-e", SCRIPT, WORDS.as_uri()]
    environment = {**os.environ, "TZ": "UTC", "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8"}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    durations, moments, pace = json.loads(ran.stdout)
    assert durations == [
        "1 day and 12 hours",
        "3 days",
        "1 minute",
        "1 minute and 30 seconds",
        "14 days",
        "18 hours",
        "no time",
    ]
    assert [moment.replace("\u202f", " ") for moment in moments] == [
        "Fri, Apr 10, 10:13 PM",
        "Sat, Apr 10, 2027, 10:13 PM",
    ]
    assert pace == (
        "Each move has 1 day and 12 hours."
        " Only after that a reserve of 1 hour for the whole game begins to run."
        " Whoever is late even then loses."
    )


RESERVE = """
const {reserveWords} = await import(process.argv[1]);
const monday = "2026-03-02T12:00:00Z";
const quiet = {quiet_weekends: true};
console.log(JSON.stringify([
  reserveWords({deadline: monday, reserve: "P1DT2H"}, {}, new Date("2026-03-01T09:00:00Z")),
  reserveWords({deadline: monday, reserve: "P1DT2H"}, {}, new Date("2026-03-01T11:00:00Z")),
  reserveWords({deadline: monday, reserve: "P1DT2H"}, quiet, new Date("2026-02-01T09:00:00Z")),
  reserveWords({deadline: monday, reserve: "PT0S"}, {}),
  reserveWords({deadline: null, reserve: "P1D"}, {}),
  reserveWords({deadline: monday}, {}),
]));
"""


def test_the_moment_when_a_reserve_begins_to_run_is_said_in_the_zone_of_the_reader() -> None:
    command = [str(NODE), "--input-type=module", "-e", RESERVE, WORDS.as_uri()]
    environment = {**os.environ, "TZ": "Asia/Tokyo", "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8"}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [
        "the reserve runs from Sun, Mar 1, 07:00 PM",
        "the reserve has been running since Sun, Mar 1, 07:00 PM",
        "the reserve runs from Fri, Feb 27, 07:00 PM",
        "",
        "",
        "",
    ]
