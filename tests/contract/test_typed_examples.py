"""The programs for researchers, checked strictly by pyright, which runs on Node."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.servers.outside import ROOT
from tests.support.node import run

pytestmark = [pytest.mark.long, pytest.mark.node]

WRONG = """
from referee.typed import bisca

match = bisca.match(seats=2, options={"target": "5"})
for move in bisca.legal_moves(match, 0):
    if move["type"] == "cut":
        print(move["card"])
print(bisca.view(match, 0)["facts"]["trumps"])
"""


def check(directory: Path) -> str:
    settings = {"include": ["."], "typeCheckingMode": "strict", "extraPaths": [str(ROOT)]}
    (directory / "pyrightconfig.json").write_text(json.dumps(settings))
    return run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, directory=directory)


def test_pyright_finds_nothing_in_the_examples(tmp_path: Path) -> None:
    for program in (ROOT / "examples/research").glob("*.py"):
        shutil.copy(program, tmp_path)
    check(tmp_path)


def test_pyright_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    with pytest.raises(AssertionError) as found:
        check(tmp_path)
    for word in ('"Options"', '"card"', '"trumps"'):
        assert word in str(found.value)
