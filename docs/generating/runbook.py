"""The runbook: what each alert of deploy/prometheus/rules.yml means, and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PAGE, RULES = ROOT / "docs/guides/runbook.md", ROOT / "deploy/prometheus/rules.yml"
TABLE = re.compile(r"(<!-- alerts: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
VALUE = re.compile(r"\{\{ \$(?:labels\.)?(\w+)[^}]*\}\}")


def page(text: str) -> str:
    """Return docs/guides/runbook.md with the table of all alerts."""
    (group,) = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    rows = ["| alert | what it says | what to do |", "| --- | --- | --- |"]
    for rule in group["rules"]:
        summary = VALUE.sub(r"*\1*", rule["annotations"]["summary"])
        rows.append(f"| {rule['alert']} | {summary} | {rule['annotations']['action']} |")
    return TABLE.sub(lambda found: found[1] + "\n".join([*rows, ""]) + found[2], text)
