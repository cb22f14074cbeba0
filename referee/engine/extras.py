"""Packages that only some uses need, and that an extra installs."""

from importlib import import_module
from typing import Any

from referee.engine.verdicts import Malformed


def require(module: str, extra: str) -> Any:
    """Import a package of an extra. Raises Malformed, naming the extra, if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise Malformed("", f"needs {package}: pip install 'card-referee[{extra}]'") from None
