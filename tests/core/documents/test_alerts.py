"""Alerts and the dashboard ask only for metrics that exist, and the runbook has an entry for each alert."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask

from api.core.config import Settings
from docs.generating import runbook
from tests.support.callers import Caller

TOKEN = "metrics-token-of-a-test"
ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "prometheus"
SELDOM = {
    "referee_youngest_process_seconds",
    "referee_worker_unseen_seconds",
    *("referee_backup_age_seconds", "referee_disk_free_bytes"),
}
"""What is left out while there is nothing to say."""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, metrics_token=TOKEN)


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "rules.yml").read_text())["groups"]
    return list(group["rules"])


def questions() -> list[str]:
    board = json.loads((FOLDER / "dashboard.json").read_text())
    return [
        *(rule["expr"] for rule in alerts()),
        *(target["expr"] for panel in board["panels"] for target in panel["targets"]),
    ]


@pytest.mark.parametrize("question", questions())
def test_every_metric_that_is_asked_for_exists(app: Flask, question: str) -> None:
    text = Caller(app, TOKEN).get("/metrics").text
    there = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")} | SELDOM
    asked = {re.sub("_bucket$", "", name) for name in re.findall(r"referee_\w+", question)}
    assert asked <= {*there, *(f"{name}_total" for name in there)} or question.startswith("up")


def test_a_restart_and_busy_minutes_fire_nothing_and_faults_do() -> None:
    prometheus = os.environ.get("PROMETHEUS")
    program = Path(prometheus).with_name("promtool") if prometheus else shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed here (apt install prometheus)")
    command = [program, "test", "rules", "rules_test.yml"]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_runbook_has_an_entry_for_each_alert() -> None:
    page = runbook.PAGE.read_text("utf-8")
    assert page == runbook.page(page), "run `make generate`"
    for rule in alerts():
        assert f"| {rule['alert']} | " in page
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["action"]
        assert rule["labels"]["severity"] in ("page", "ticket", "info")
