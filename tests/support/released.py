"""The games of this repository that are released: their fingerprints are kept."""

from pathlib import Path

RULES = Path(__file__).parents[2] / "referee" / "games" / "rules"
RELEASED = sorted(path.stem for path in RULES.glob("*.sha256"))
