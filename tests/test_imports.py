"""What processes import before the first request: each module costs memory and time at every start."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Modules with locks, or classes of locks, from before gevent's patches.
UNPATCHED = """
import _thread, json, sys, threading
from importlib import import_module
from api.run.web.server import SHARED
known = set(sys.modules)
for name in SHARED:
    import_module(name)
locks = _thread.LockType, _thread.RLock
of_threads = {threading.Lock, threading.RLock, threading.Condition, threading.Event, threading.Thread}
def waits(value):
    return isinstance(value, locks) or (isinstance(value, type) or callable(value)) and value in of_threads
found = {name for name in set(sys.modules) - known for value in vars(sys.modules[name]).values()
         if getattr(value, "__hash__", None) and waits(value)}
print(json.dumps(sorted(found)))
"""


def run(script: str) -> Any:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_rarely_used_packages_are_imported_only_when_used() -> None:
    seldom = ["dateutil", "pywebpush", "requests", "httpx"]
    script = "import json, sys, api.app, api.run.worker\n"
    assert run(f"{script}print(json.dumps([each for each in {seldom} if each in sys.modules]))") == []


def test_a_web_process_does_not_import_what_only_the_worker_sends_with() -> None:
    script = (
        "import json, sys, api.app\nfrom api.features import load_features\nload_features().blueprints()\n"
    )
    assert run(f"{script}print(json.dumps('aiohttp' in sys.modules))") is False


def test_a_worker_imports_what_sends_webhooks_with_the_first_delivery() -> None:
    script = (
        "import asyncio, json, sys\nfrom api.features.webhooks import dispatcher\n"
        "asyncio.run(dispatcher(None, None)._make_outlet().close())\n"
    )
    assert run(f"{script}print(json.dumps('aiohttp' in sys.modules))") is False


def test_a_worker_does_not_import_the_web_framework() -> None:
    web = ["flask", "gunicorn", "jinja2", "marshmallow", "werkzeug"]
    script = "import json, sys, api.run.worker\n"
    assert run(f"{script}print(json.dumps([each for each in {web} if each in sys.modules]))") == []


def test_serve_starts_the_database_before_importing_what_prepares_it() -> None:
    late = ["alembic", "gunicorn", "psycopg", "referee", "sqlalchemy"]
    script = "import json, sys, api.run.cli, api.run.serve\n"
    assert run(f"{script}print(json.dumps([each for each in {late} if each in sys.modules]))") == []


def test_modules_imported_before_gevents_patches_contain_nothing_that_waits() -> None:
    found = run(UNPATCHED)
    assert [each for each in found if not each.startswith("asyncio.")] == [], "no web process uses asyncio"


# `from tests.a import b`, also over several lines, and `import tests.a`
IMPORT = re.compile(r"^[ ]*(?:from (tests[\w.]*) import (\([^)]*\)|.*)|import (tests[\w.]*))", re.MULTILINE)


@pytest.mark.parametrize("folder", ["tests", "docs", "bench"])
def test_no_module_imports_a_test_module(folder: str) -> None:
    """What several test modules use is in tests/support."""
    files = [*(Path(__file__).parents[1] / folder).rglob("*.py")]
    assert files
    for path in files:
        for module, names, whole in IMPORT.findall(path.read_text("utf-8")):
            parts = re.findall(r"\w+", f"{module} {whole}")
            modules = re.findall(r"\w+", names) if module.count(".") < 2 else []
            wrong = [part for part in parts + modules if part == "conftest" or part.startswith("test_")]
            assert not wrong, path
