"""Logs of a fault: one line a minute for each kind, and every line is JSON."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import logging, threading, time, warnings
from api.core import logs
logs.configure("info")
log = logging.getLogger("card_referee.test")
now = [1000.0]
filter_ = logging.root.handlers[0].filters[0]
make = log.makeRecord
def timed(*args, **more):
    record = make(*args, **more)
    record.created = now[0]
    return record
log.makeRecord = timed
for n in range(50):
    now[0] += 1
    log.warning("webhook %s fails", n)
    try:
        raise ValueError("a secret")
    except ValueError:
        log.exception("a job failed")
now[0] += 60
log.warning("webhook %s fails", "again")
log.warning("another fault")
warnings.warn("old")
def fail():
    raise KeyError("a secret")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
raise RuntimeError("a secret")
"""


def test_a_fault_is_one_line_a_minute_and_all_are_json() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    events = [line["event"] for line in lines]
    assert events[:4] == [
        "webhook 0 fails",
        "a job failed",
        "webhook again fails (and 49 more like this)",
        "another fault",
    ]
    assert [line.get("error") for line in lines] == [
        None,
        "ValueError",
        None,
        None,
        None,
        "KeyError",
        "RuntimeError",
    ]
    assert "a secret" not in done.stderr
