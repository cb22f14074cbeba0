"""The generated part of docs/reference/library-reference.md: each name that may be imported."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).parents[1] / "reference/library-reference.md"
GENERATED = re.compile(r"(<!-- names: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
MODULES = (
    "referee.authoring",
    "referee.cards",
    "referee.tricks",
    "referee.combos",
    "referee.choices",
    "referee",
    "referee.table",
    "referee.records",
    "referee.proofs",
    "referee.verification",
    "referee.dispute",
    "referee.clocks",
    "referee.texts",
    "referee.bots",
    "referee.positions",
    "referee.ratings",
)
LONGEST = 60  # characters of a value that is written out


def page(text: str) -> str:
    """Return the page with this text, its generated part written again."""
    names = "\n".join(line for module in MODULES for line in _module(import_module(module)))
    return GENERATED.sub(lambda found: f"{found[1]}{names}\n{found[2]}", text)


def public(module: ModuleType) -> list[str]:
    """Return the names that a module offers: its own without underscore, and what it imports `as` a name."""
    own = [name for name, value in vars(module).items() if _is_own(value, module) and name[0] != "_"]
    passed_on = re.findall(r"^from .* import (\w+) as \1$", inspect.getsource(module), re.MULTILINE)
    return sorted({*own, *passed_on}, key=lambda name: (name.lower(), name))


def _is_own(value: Any, module: ModuleType) -> bool:
    if inspect.ismodule(value):
        return False
    return getattr(value, "__module__", module.__name__) == module.__name__


def _module(module: ModuleType) -> Iterator[str]:
    yield f"\n## `{module.__name__}`\n{_words(module)}\n"
    for name in public(module):
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            yield f"- `{name}{_signature(value)}`: {_words(value) or 'see its source'}"
            if inspect.isclass(value):
                yield from _methods(value)
        else:
            shown = "" if isinstance(value, set | frozenset) else repr(value)
            plain = 0 < len(shown) <= LONGEST and "<" not in shown
            yield f"- `{name}`" + (f" = `{shown}`" if plain else f", a {type(value).__name__}")


def _methods(of: type) -> Iterator[str]:
    for name, value in vars(of).items():
        function = value.fget if isinstance(value, property) else value
        if name[0] != "_" and inspect.isfunction(function) and function.__doc__:
            called = name if isinstance(value, property) else name + _signature(function)
            yield f"  - `{called}`: {_words(function)}"


def _signature(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except ValueError:
        return ""
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text).replace("(self, ", "(").replace("(self)", "()")
    text = re.sub(r"'(\w[^']*)'", r"\1", re.sub(r"<(?:\w+ )?[^<>]*(?:<[^<>]*>[^<>]*)?>", "…", text)).replace(
        "~", ""
    )
    return text.removesuffix(" -> None") if inspect.isclass(value) else text


def _words(value: Any) -> str:
    """Return a docstring as one paragraph, without its example."""
    if inspect.isclass(value) and "__doc__" not in vars(value):
        return ""
    return " ".join(inspect.cleandoc(value.__doc__ or "").partition(">>>")[0].split())
