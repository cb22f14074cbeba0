"""The file that `/openapi.yaml` sends: to make it takes a second of processor time, so no web process does.

The one of all features comes with the code. A service that lacks some, or has further rulesets, has its own:
the first of its web processes starts a process that makes it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from api.core.metrics import SHARED
from api.feature import Features
from api.features import NAMES, load_features

NAME = "openapi.yaml"
DELIVERED = Path(__file__).with_name(NAME)  # in the sources a link to the file that `make generate` writes


@cache
def delivered(features: Features) -> Path | None:
    """Return the file that comes with the code, if it describes a service with these features."""
    if features.names != [*NAMES] or entry_points(group="card_referee.rulesets"):
        return None
    return DELIVERED if DELIVERED.is_file() else None


def own() -> Path | None:
    """Return where the processes of this server share the file of their own; None outside of a server."""
    shared = os.environ.get(SHARED)
    return Path(shared) / NAME if shared else None


def begin(features: Features) -> None:
    """Let another process make the file, if this server needs one and none of its processes has begun."""
    place = own()
    if place is None or delivered(features):
        return
    with suppress(FileExistsError):
        place.with_suffix(".begun").touch(exist_ok=False)
        # An interpreter of `serve` may be reached through a descriptor that is inherited.
        subprocess.Popen([sys.executable, "-P", "-m", __name__, str(place), *features.names], close_fds=False)


def make(place: Path, features: Features) -> None:
    """Write the file; it is there only when it is complete."""
    from api.features.specification.specification import spec_yaml

    part = place.with_suffix(".part")
    part.write_text(spec_yaml(features), "utf-8")
    part.replace(place)


if __name__ == "__main__":
    make(Path(sys.argv[1]), load_features(*sys.argv[2:]))
