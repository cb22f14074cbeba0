"""Generates the types, errors and resources of the package from the API's specification.

`setup.py` does so during each build. A source distribution has no specification and already contains them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import yaml

from generator.operations import Resource
from generator.resources import module
from generator.types import errors, types

HERE = Path(__file__).resolve().parents[1]
GENERATED = HERE / "card_referee_client" / "generated"
NAMES = HERE.parent / "operations.yaml"


def generate(specification: Path, target: Path = GENERATED) -> None:
    """Write the modules, unless they already come from this specification and this program."""
    if not specification.exists():
        return
    sources = (specification, NAMES, *sorted(Path(__file__).parent.glob("*.py")))
    digest, stamp = hashlib.sha256(b"".join(map(Path.read_bytes, sources))).hexdigest(), target / "made-from"
    if stamp.exists() and stamp.read_text() == digest:
        return
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    spec = yaml.load(specification.read_bytes(), loader)
    names = yaml.load(NAMES.read_bytes(), loader)
    target.mkdir(exist_ok=True)
    resources = Resource.tree(spec, names)
    (target / "__init__.py").write_text('"""Generated from the specification."""\n')
    (target / "types.py").write_text(types(spec))
    (target / "errors.py").write_text(errors(spec))
    for name, asynchronous in (("resources", False), ("async_resources", True)):
        (target / f"{name}.py").write_text(module(resources, asynchronous))
    stamp.write_text(digest)
