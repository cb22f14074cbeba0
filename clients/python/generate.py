"""Writes the package's generated core from the API's specification; `setup.py` does so wherever it is built.

In a source distribution, which has no specification beside it, the core is there already.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
CORE = HERE / "card_referee_client" / "core"
SETTINGS = {
    "content_type_overrides": {"application/yaml": "text/plain"},
    "literal_enums": True,
    "post_hooks": [],
}


def generate(specification: Path, core: Path = CORE) -> None:
    """Write the core, unless it was made from this specification and by this program already."""
    if not specification.exists():
        return
    sources = specification.read_bytes() + Path(__file__).read_bytes()
    digest, stamp = hashlib.sha256(sources).hexdigest(), core / "made-from"
    if stamp.exists() and stamp.read_text() == digest:
        return
    with tempfile.TemporaryDirectory() as directory:
        simple, settings = Path(directory, "openapi.yaml"), Path(directory, "settings.yaml")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        simple.write_text(yaml.dump(successes(yaml.load(specification.read_bytes(), loader)), Dumper=dumper))
        settings.write_text(yaml.dump(SETTINGS))
        scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
        tool = (sys.executable, "-m", "openapi_python_client", "generate", "--meta=none", "--overwrite")
        subprocess.run(
            [*tool, "--config", settings, "--path", simple, "--output-path", core],
            check=True,
            env={**os.environ, "PATH": scripts},
            stdout=subprocess.DEVNULL,
        )
    stamp.write_text(digest)


def successes(specification: dict[str, Any]) -> dict[str, Any]:
    """Return the specification with the answers that a call returns; the others are raised, as ApiError."""
    for item in specification["paths"].values():
        for operation in item.values():
            answers = operation["responses"]
            kept = {status: answer for status, answer in answers.items() if status < "300"}
            with_body = {status: answer for status, answer in kept.items() if answer.get("content")}
            operation["responses"] = with_body or kept
            for parameter in operation["parameters"]:
                as_text(parameter)
    for parameter in specification["components"]["parameters"].values():
        as_text(parameter)
    return specification


def as_text(parameter: dict[str, Any]) -> None:
    """Make a header a text: the generated code would hand over other objects as they are."""
    if parameter.get("in") == "header":
        parameter["schema"] = {"type": "string"}


if __name__ == "__main__":
    generate(HERE.parents[1] / "openapi.yaml")
