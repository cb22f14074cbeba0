"""Generates the core of the package from the API's specification; `setup.py` does so during each build.

A source distribution has no specification and already contains the core.
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
OPEN = ("Entry", "Notice", "View", "Position", "Move")  # unions to which newer servers may add kinds
SETTINGS = {
    "content_type_overrides": {"application/yaml": "text/plain"},
    "literal_enums": True,
    "post_hooks": [],
}
# Newer servers may have more values (docs/versioning.md); an unknown one is returned unchanged.
LITERAL_ENUM = """\
from typing import Literal, cast

{{ enum.class_info.name }} = Literal{{ "%r" | format(enum.values|list|sort) }}


def check_{{ enum.get_class_name_snake_case() }}(value: object) -> {{ enum.class_info.name }}:
    return cast({{ enum.class_info.name }}, value)
"""


def generate(specification: Path, core: Path = CORE) -> None:
    """Write the core, unless it already comes from this specification and this program."""
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
        simple.write_text(
            yaml.dump(read_by_clients(yaml.load(specification.read_bytes(), loader)), Dumper=dumper)
        )
        settings.write_text(yaml.dump(SETTINGS))
        Path(directory, "literal_enum.py.jinja").write_text(LITERAL_ENUM)
        scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
        tool = (sys.executable, "-m", "openapi_python_client", "generate", "--meta=none", "--overwrite")
        subprocess.run(
            [
                *tool,
                "--config",
                settings,
                "--path",
                simple,
                "--output-path",
                core,
                f"--custom-template-path={directory}",
            ],
            check=True,
            env={**os.environ, "PATH": scripts},
            stdout=subprocess.DEVNULL,
        )
    stamp.write_text(digest)


def read_by_clients(specification: dict[str, Any]) -> dict[str, Any]:
    """Return the specification with only successful answers, and with a kind for additions to unions."""
    successes(specification)
    schemas = specification["components"]["schemas"]
    for name in OPEN:
        variants = flat(schemas[name], schemas)
        schemas[f"Other{name}"] = other(name, variants)
        kinds = schemas[name].get("oneOf") or schemas[name]["anyOf"]
        kinds.append({"$ref": f"#/components/schemas/Other{name}"})
        schemas[name].pop("discriminator", None)
    return specification


def flat(schema: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the kinds of objects of a union, including those of nested unions."""
    if "$ref" in schema:
        return flat(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas)
    kinds = schema.get("oneOf") or schema.get("anyOf")
    return [inner for kind in kinds for inner in flat(kind, schemas)] if kinds else [schema]


def other(name: str, variants: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a kind with the members that all known ones share, and any others; it is tried last."""
    shared = set.intersection(*(set(variant["properties"]) for variant in variants))
    known = {member: [variant["properties"][member] for variant in variants] for member in sorted(shared)}
    return {
        "type": "object",
        "description": f"A kind of {name} that this client does not know.",
        "properties": {
            member: {"type": "string"}
            if all("const" in one for one in ones)
            else ones[0]
            if ones.count(ones[0]) == len(ones)
            else {}
            for member, ones in known.items()
        },
        "required": sorted(set.intersection(*(set(variant.get("required", [])) for variant in variants))),
    }


def successes(specification: dict[str, Any]) -> None:
    """Keep only the answers that a call returns; the others are raised as ApiError."""
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


def as_text(parameter: dict[str, Any]) -> None:
    """Declare a header as a string, because the generated code does not convert other types."""
    if parameter.get("in") == "header":
        parameter["schema"] = {"type": "string"}


if __name__ == "__main__":
    generate(HERE.parents[1] / "openapi.yaml")
